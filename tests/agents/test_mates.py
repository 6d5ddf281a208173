"""Gomoku mates from files: plain Python checks every claimed win stone by stone."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.kernels.memory import NODES, STOP, begin_search
from agents.mates import read_positions, solve_mates
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import allocate
from games.gomoku.kernel.prover import Proof, write_stones
from tests.agents.threat_lines import faults, fives, holds, is_line_of_fours, windows, wins_by_fours

TIME_S = 20.0
"""Seconds, more than any test needs, so that the results do not depend on the machine's speed."""


def board(*rows: str, size: int = 15) -> tuple[int, int]:
    """The stones of X (the attacker) and O, drawn in the top left corner of an otherwise empty board."""
    stones = [0, 0]
    for row, text in enumerate(rows):
        for column, letter in enumerate(text):
            if letter in "XO":
                stones["XO".index(letter)] |= 1 << row * size + column
    return stones[0], stones[1]


class Prover:
    """The prover, callable as `threat_lines.holds` expects; the attacker plays `colour`."""

    def __init__(self, colour: int = 0, size: int = 15, exact: bool = False) -> None:
        self.memory = allocate(size, (exact, exact), 8)
        self.colour, self.size = colour, size
        self.hopeless = False

    def __call__(self, mine: int, theirs: int) -> Sequence[int] | None:
        begin_search(self.memory)
        write_stones(self.memory, self.size, (mine, theirs) if self.colour == 0 else (theirs, mine))
        proof = Proof(self.memory, self.colour)
        proof.within(TIME_S)
        self.hopeless = proof.hopeless
        return [layout.index_of(cell, self.size) for cell in proof.line] if proof.line else None


@pytest.fixture(scope="module")
def prove() -> Prover:
    return Prover()


FOUR = board("", " XXXX")
OPEN_THREE = board("", "", "  XXX")
THREE_AT_THE_EDGE = board("XXX")
DOUBLE_FOUR = board("", " OXXX", "     X", "     X", "     X", "     O")
TWO_OPEN_TWOS = board("", "", "", "    XX", "", "       X", "       X")
STOPPED_FOUR = board("", "OXXXXO")


def test_a_four_wins_by_the_fifth_stone(prove: Prover) -> None:
    line = prove(*FOUR)
    assert line is not None and len(line) == 1 and fives(*FOUR) >> line[0] & 1


def test_a_three_open_at_both_ends_wins_in_three_stones(prove: Prover) -> None:
    line = prove(*OPEN_THREE)
    assert line is not None and len(line) == 3 and not faults(*OPEN_THREE, line)


def test_two_fours_at_once_win(prove: Prover) -> None:
    line = prove(*DOUBLE_FOUR)
    assert line is not None and is_line_of_fours(*DOUBLE_FOUR, line)
    assert line[0] == 1 * 15 + 5


def test_two_threes_at_once_win_against_every_answer(prove: Prover) -> None:
    assert wins_by_fours(*TWO_OPEN_TWOS) is None
    line = prove(*TWO_OPEN_TWOS)
    assert line is not None and not faults(*TWO_OPEN_TWOS, line)
    assert holds(*TWO_OPEN_TWOS, prove) > 1


@pytest.mark.parametrize(
    "stones",
    [
        STOPPED_FOUR,
        THREE_AT_THE_EDGE,
        (OPEN_THREE[0], board("", "", " O   O")[1]),
        (0, 0),
        (1 << 112, 1 << 113),
        # The defender has a four, which the attacker cannot stop with a four of his own.
        (OPEN_THREE[0], board(*[""] * 8, "OOOO")[1]),
        # The attacker gets two threes, but the defender's open three becomes a five first.
        (TWO_OPEN_TWOS[0], board(*[""] * 10, "", "    OOO")[1]),
    ],
)
def test_no_win_is_claimed_where_there_is_none(prove: Prover, stones: tuple[int, int]) -> None:
    assert prove(*stones) is None
    assert prove.hopeless


def test_a_five_of_the_defender_is_stopped_with_a_four(prove: Prover) -> None:
    stones = board("", "", " XOOOO ", "      X", "      X", "      X", "  XXX")
    line = prove(*stones)
    assert line is not None and fives(stones[1], stones[0]) == 1 << line[0]
    assert not faults(*stones, line)


def test_six_in_a_row_do_not_win_where_just_five_do() -> None:
    stones = board("OXXX XXO")
    assert Prover()(*stones) == [4]
    assert Prover(exact=True)(*stones) is None


def test_the_same_win_is_found_for_both_colours_and_on_the_large_board() -> None:
    assert len(Prover(1)(*OPEN_THREE) or ()) == 3
    corner = board(*[""] * 18, "                XXX", size=19)
    assert Prover(size=19)(*corner) is None
    wide = board(*[""] * 18, "            XXX", size=19)
    line = Prover(size=19)(*wide)
    assert line is not None and not faults(*wide, line, 19)


def crowded(draw: random.Random, stones: int) -> tuple[int, int]:
    while True:
        cells = draw.sample([row * 15 + column for row in range(4, 11) for column in range(4, 11)], stones)
        mine, theirs = (sum(1 << cell for cell in cells[side::2]) for side in (0, 1))
        if not any((window & side).bit_count() == 5 for side in (mine, theirs) for window in windows(15)):
            return mine, theirs


def test_every_win_claimed_in_random_positions_holds_against_every_answer(prove: Prover) -> None:
    draw, claims, long_ones = random.Random(4), 0, 0
    for _ in range(30):
        mine, theirs = crowded(draw, 12)
        prove.memory[NODES] = 0
        write_stones(prove.memory, 15, (mine, theirs))
        prove.memory[STOP] = 0
        proof = Proof(prove.memory, 0)
        if proof.by_fours() or proof.by_threats(5000):
            line = [layout.index_of(cell, 15) for cell in proof.line or ()]
            assert not faults(mine, theirs, line)
            claims += 1
            if len(line) in (5, 7) and not is_line_of_fours(mine, theirs, line) and long_ones < 4:
                holds(mine, theirs, prove, most=400)
                long_ones += 1
    assert claims > 5 and long_ones > 0


def test_wins_by_fours_are_those_that_plain_python_finds() -> None:
    draw, prover, found = random.Random(8), Prover(), 0
    for _ in range(25):
        mine, theirs = crowded(draw, 20)
        write_stones(prover.memory, 15, (mine, theirs))
        proof = Proof(prover.memory, 0)
        plain = wins_by_fours(mine, theirs, deepest=4)
        if plain is not None:
            assert proof.by_fours()
            found += 1
        elif not proof.by_fours():
            continue
        else:
            assert is_line_of_fours(mine, theirs, [layout.index_of(cell, 15) for cell in proof.line or ()])
    assert found > 3


def test_lifting_all_stones_leaves_the_empty_board() -> None:
    prover, empty = Prover(), Prover().memory
    prover(*TWO_OPEN_TWOS)
    write_stones(prover.memory, 15, (0, 0))
    for start, end in (
        (layout.STONES, layout.ZOBRIST),
        (layout.SEEN_LINES, layout.LOOKED),
    ):
        assert np.array_equal(prover.memory[int(start) : int(end)], empty[int(start) : int(end)])


def written(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "mates.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_a_file_is_answered_position_by_position(tmp_path: Path) -> None:
    won = {"moves": [[4, 2], [0, 14], [5, 2], [14, 14], [6, 2], [14, 0]], "to_move": 0, "best": [0, 0], "class": "?"}
    first, second = solve_mates(written(tmp_path, won, "", {"moves": [[7, 7]]}), TIME_S)
    assert first["proven"] is True
    line: Any = first["line"]
    assert first["move"] == line[0] and len(line) == 3
    assert sorted(first) == ["line", "milliseconds", "move", "nodes", "proven"]
    assert second | {"milliseconds": 0, "nodes": 0} == {
        "proven": False, "move": None, "line": [], "milliseconds": 0, "nodes": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: this is no JSON"),
        ("[]", 'line 2: a position is an object with "moves"'),
        ({"moves": [[1, 1], [1, 1]]}, r"line 2: move 2, \[1, 1\], is on an occupied point"),
        ({"moves": [[1, 15]]}, r"line 2: the move \[1, 15\] is off the board"),
        ({"moves": [[1, True]]}, "line 2: a move is .x, y., not"),
        ({"moves": ["h8"]}, "line 2: a move is .x, y., not"),
        ({"moves": [[7, 7]], "to_move": 0}, "line 2: to_move is 1 after 1 moves, not 0"),
        ({"moves": [[k // 2, k % 2] for k in range(9)]}, "line 2: the game is over with move 9"),
    ],
)
def test_a_line_that_is_no_position_is_named(tmp_path: Path, line: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(solve_mates(written(tmp_path, {"moves": []}, line), TIME_S))


def test_some_of_the_known_mates_are_proven(real_data: Path) -> None:
    path = real_data / "engines" / "gomoku-mates.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    certain = [number for number, row in enumerate(rows) if row["class"] == "VCF"][::6]
    positions = list(read_positions(path))
    provers = Prover(0), Prover(1)
    for number in certain:
        stones, side = positions[number]
        line = provers[side](stones[side], stones[1 - side])
        assert line is not None and is_line_of_fours(stones[side], stones[1 - side], line)
