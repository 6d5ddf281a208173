"""The networks' numbering of the board, the good-moves format and its split, legality of batches, the measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.morris_networks import CHOICES, NONE, POINTS
from agents.morris_networks.board import LINES, NEIGHBOURS, PAIR_KINDS, POINT_KINDS, SYMMETRIES, THIRD
from agents.morris_networks.good_moves import (
    GoodMoves,
    as_rows,
    held_out,
    join_states,
    read_good_moves,
    read_states,
    state_of,
)
from agents.morris_networks.legality import is_legal, legal_to
from agents.morris_networks.measure import PURPOSES, confusion, measure, purposes
from games.nine_mens_morris import MorrisRules, NineMensMorris
from tests.agents.random_games import positions
from tests.conftest import DATA

SEED_LINES = """EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2
OMOMOOOMMOMOEOOEEMMOOMEO0084-b6d6d3
OOOMOEEMEOMOEEMOMEMEMOEO1078-d7
"""


def some(tmp_path: Path, text: str = SEED_LINES) -> GoodMoves:
    path = tmp_path / "good.txt"
    path.write_text(text, encoding="ascii")
    return read_good_moves(path)


def test_sixteen_symmetries_carry_lines_to_lines_and_neighbours_to_neighbours() -> None:
    assert len({tuple(row) for row in SYMMETRIES.tolist()}) == 16
    lines = {frozenset(line) for line in LINES.tolist()}
    for symmetry in SYMMETRIES:
        assert sorted(symmetry) == list(range(POINTS))
        assert {frozenset(symmetry[line].tolist()) for line in LINES} == lines
        assert (NEIGHBOURS[symmetry[:, None], symmetry] == NEIGHBOURS).all()
        assert (PAIR_KINDS[symmetry[:, None], symmetry] == PAIR_KINDS).all()
        assert (POINT_KINDS[symmetry] == POINT_KINDS).all()


def test_the_third_point_makes_a_line() -> None:
    for a, b, c in LINES.tolist():
        assert (THIRD[a, b], THIRD[c, a], THIRD[b, c]) == (c, b, a)
    assert (THIRD < POINTS).sum() == 6 * len(LINES)


def test_the_good_moves_of_the_format_are_read(tmp_path: Path) -> None:
    good = some(tmp_path)
    assert good.moves.tolist() == [[7, NONE, 18], [4, 3, 16], [1, NONE, NONE]]
    assert good.states.phases().tolist() == [0, 1, 0]
    assert is_legal(good.states, good.moves).all()


@pytest.mark.parametrize(
    "line",
    [
        "EMOOMMOOEEOOMOOOOEEOMEOO1156",
        "EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b9",
        "EMOOMMOOEEOOMOOOOEEOMEOO1157-d5b2",
        "EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2a1",
        "OMOMOOOMMOMOEOOEEMMOOMEO0084-b6",
        "XMOMOOOMMOMOEOOEEMMOOMEO0084-b6d6",
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match="line 4"):
        some(tmp_path, SEED_LINES + line)


def test_files_that_are_empty_or_no_text_are_refused(tmp_path: Path) -> None:
    for content, said in ((b"\n", "no good move"), (b"\xff\xd8\xff", "no text file")):
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(ValueError, match=said):
            read_good_moves(tmp_path / "file")


@pytest.mark.parametrize("flying", [False, True])
@pytest.mark.parametrize("protected", [False, True])
def test_legality_for_many_states_is_that_of_the_rules(flying: bool, protected: bool) -> None:
    game = NineMensMorris(MorrisRules(flying=flying, mill_protected=protected, repetition=0, quiet_plies=0))
    for position in positions(game, 5, 120, longest=400):
        state = state_of(game, position)
        rows = as_rows(game.legal_moves(position))
        assert set(np.flatnonzero(legal_to(state, flying)[0])) == set(rows[:, 0])
        every = np.stack(np.unravel_index(np.arange(POINTS * CHOICES**2), (POINTS, CHOICES, CHOICES)), axis=1)
        legal = is_legal(state.rows(np.zeros(len(every), dtype=np.intp)), every, flying, protected)
        assert legal.sum() == len(rows) and {*map(tuple, every[legal].tolist())} == {*map(tuple, rows.tolist())}


def test_the_held_out_fifth_knows_no_symmetry_and_no_order() -> None:
    game = NineMensMorris()
    states = join_states([state_of(game, position) for position in positions(game, 3, 400)])
    apart = held_out(states, 1)
    assert 0.1 < apart.mean() < 0.3
    assert (held_out(states.rows(np.arange(400)[::-1]), 1) == apart[::-1]).all()
    assert (held_out(states, 2) != apart).any()
    good = GoodMoves(states, np.full((400, 3), NONE, dtype=np.int8))
    for number in range(16):
        assert (held_out(good.turned(np.full(400, number)).states, 1) == apart).all()


def test_a_good_move_turned_with_its_state_stays_legal(tmp_path: Path) -> None:
    good = some(tmp_path)
    for number in range(16):
        turned = good.turned(np.full(3, number))
        assert is_legal(turned.states, turned.moves).all()
        assert (turned.moves[2, 1:] == NONE).all()


def test_figures_count_whole_moves_each_choice_and_legality_by_phase(tmp_path: Path) -> None:
    good = some(tmp_path)
    answers = good.moves.astype(np.intp)
    answers[0, 2] = 8
    answers[1, 1] = 7
    figures = measure(good, answers)
    assert figures["all"] == {
        "states": 3, "accuracy": 33.333, "to": 100.0, "from": 66.667, "remove": 66.667, "legality": 66.667,
    }  # fmt: skip
    assert (figures["placing"]["legality"], figures["moving"]["accuracy"]) == (100.0, 0.0)
    assert (figures["flying"]["states"], figures["flying"]["accuracy"]) == (0, None)


@pytest.mark.parametrize("text", ["", "M" * 28, "O" * 24 + "99", "o" * 24 + "9900", "O" * 24 + "99000"])
def test_texts_that_are_no_state_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="24 letters"):
        read_states([text])


def test_every_published_good_move_is_legal() -> None:
    path = DATA / "morris" / "good-moves.train.txt"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    good = read_good_moves(path).rows(slice(0, 20_000))
    assert is_legal(good.states, good.moves).all()


def test_purposes_of_moves(tmp_path: Path) -> None:
    good = some(tmp_path)
    assert [PURPOSES[one] for one in purposes(good.states, good.moves)][:2] == ["mill", "mill"]
    state = read_states(["MOO" + 18 * "O" + "EEO8712"])
    to = {"two": 1, "block": 23, "other": 12}
    for purpose, point in to.items():
        assert PURPOSES[purposes(state, np.array([[point, NONE, NONE]]))[0]] == purpose
    assert PURPOSES[purposes(state, np.array([[0, NONE, NONE]]))[0]] == "illegal"


def test_confusion_counts_every_state_once_by_phase(tmp_path: Path) -> None:
    good = some(tmp_path)
    tables = confusion(good, good.moves)
    assert {name: int(table.sum()) for name, table in tables.items()} == {"placing": 2, "moving": 1, "flying": 0}
    assert all((table == np.diag(np.diag(table))).all() for table in tables.values())
