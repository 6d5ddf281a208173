"""Go: captures, ko, suicide, handicap, passes, counting; and beside GNU Go."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from games.go import Go, Move, Position
from games.go.counting import proposal
from lab.bench import go_oracle
from lab.soak.legal_boards import is_beyond_doubt
from rules import EMPTY, Fault, MoveError, PositionError, RuleError, Step
from rules.turns import begins_turn, carry_out, line_of_play
from tests.games.asked import game_of

FINISHED = Path(__file__).parent / "data" / "go_finished.jsonl"
KO = ["E5", "D5", "D4", "C4", "D6", "C6", "A1", "B5"]
"""Black threatens to take on C5, where white retakes on D5; white has just laid on B5."""


go = functools.partial(game_of, Go)


def played(game: Go, *texts: str) -> Position:
    position: Position = line_of_play(game, texts)[-1]
    return position


def refused(game: Go, position: Position, text: str) -> str:
    """The rule by which a move is refused."""
    with pytest.raises(MoveError) as error:
        game.parse_move(position, text)
    assert str(error.value)
    return error.value.rule


def drawn(game: Go, *rows: str, side: int = 0) -> Position:
    """The position with these rows, `X` black and `O` white; rows below are empty."""
    empty = ["." * game.size] * (game.size - len(rows))
    return game.parse_position(f"{'/'.join([*rows, *empty])} {'bw'[side]} - 0,0 0")


def taken(game: Go, position: Position, text: str) -> list[str]:
    """The points that a move takes stones from."""
    steps = game.steps(position, game.parse_move(position, text))
    return [game.cells[step.cell] for step in steps if step.kind == "remove"]


def test_columns_leave_out_i_and_small_letters_are_read() -> None:
    game = go(size=19)
    assert (game.cells[0], game.cells[8], game.cells[-1]) == ("A19", "J19", "T1")
    position = game.initial()
    assert game.parse_move(position, "t19") == game.parse_move(position, "T19")
    assert refused(game, position, "I5") == "no_such_cell"
    assert refused(go(), position, "K1") == "no_such_cell"


def test_one_stone_takes_several_chains_and_counts_the_prisoners() -> None:
    game = go()
    position = drawn(game, ".OX......", "OX.......", "XX.......")
    assert taken(game, position, "A9") == ["B9", "A8"]
    after = game.apply(position, game.parse_move(position, "A9"))
    assert (after.prisoners, after.ko) == ((2, 0), None)


def test_a_ko_is_not_retaken_at_once_but_after_a_move_elsewhere() -> None:
    game = go()
    position = played(game, *KO, "C5")
    assert refused(game, position, "D5") == "ko" and game.forbidden(position) == (game.cells.index("D5"),)
    assert "ko" in game.fault(position, carry_out(game.board(position), [
        Step("place", game.cells.index("D5"), None, "W"), Step("remove", game.cells.index("C5")),
    ])).rule  # fmt: skip
    later = played(game, *KO, "C5", "J9", "J8")
    assert taken(game, later, "D5") == ["C5"]
    assert played(game, *KO, "C5", "pass").ko is None


def test_superko_forbids_every_board_that_was_there_before() -> None:
    game = go(superko=True)
    position = played(game, *KO, "C5")
    assert refused(game, position, "D5") == "superko" and position.ko is None
    assert len(position.seen) == 10
    free = played(game, "E5", "C3")
    later = dataclasses.replace(free, seen=free.seen | {played(game, "E5", "C3", "G7").stones})
    assert refused(game, later, "G7") == "superko" and game.forbidden(later) == (game.cells.index("G7"),)
    assert len(game.legal_moves(later)) == len(game.legal_moves(free)) - 1


def test_suicide_is_forbidden_or_takes_the_own_chain_but_never_a_single_stone() -> None:
    corner = (".XO......", "XXO......", "OOO......")
    plain, allowed = go(), go(suicide=True)
    assert refused(plain, drawn(plain, *corner), "A9") == "suicide"
    position = drawn(allowed, *corner)
    assert taken(allowed, position, "A9") == ["A9", "B9", "A8", "B8"]
    after = allowed.apply(position, allowed.parse_move(position, "A9"))
    assert after.prisoners == (0, 4) and allowed.board(after).count("B") == 0
    single = drawn(allowed, ".O.......", "O........")
    assert refused(allowed, single, "A9") == "suicide"


def test_handicap_stones_lie_on_the_star_points_and_white_begins() -> None:
    assert go(size=19, handicap=2).geometry.names(go(size=19, handicap=2).initial().stones[0]) == ["Q16", "D4"]
    nine = go(size=19, handicap=9)
    assert nine.to_move(nine.initial()) == 1 and nine.initial().stones[0].bit_count() == 9
    assert "K10" in nine.geometry.names(go(size=19, handicap=5).initial().stones[0])
    with pytest.raises(RuleError, match="handicap"):
        go(handicap=1)
    with pytest.raises(RuleError, match="komi"):
        go(komi="6.3")


def test_two_passes_end_the_game_and_dead_stones_may_be_counted_otherwise() -> None:
    game = go(komi="0.5")
    position = played(game, "E5", "A1", "pass")
    end = game.parse_move(position, "pass:-")
    assert game.format_move(position, end) == "pass:-"
    outcome = game.outcome(game.apply(position, end))
    assert outcome is not None and outcome.scores == (0, 0.5)
    changed = game.counted(position, end, game.cells.index("A1"))
    assert changed is not None and game.format_move(position, changed) == "pass:A1"
    after = game.apply(position, changed)
    assert game.dead(after) == (game.cells.index("A1"),)
    outcome = game.outcome(after)
    assert outcome is not None and outcome.scores == (81, 0.5) and outcome.winner == 0
    assert game.parse_position(game.format_position(after)) == after
    assert game.counted(position, changed, game.cells.index("A1")) == end
    assert game.counted(position, end, game.cells.index("B1")) is None
    assert refused(game, position, "pass:B1") == "no_stone"
    assert refused(game, played(game, "E5"), "pass:E5") == "not_the_end"


def test_a_chain_without_liberties_is_no_position() -> None:
    with pytest.raises(PositionError, match="no liberty"):
        drawn(go(), "XO.......", "O........")


def wrong(game: Go, position: Position, **changes: str) -> Fault:
    """The fault of the board with these cells changed."""
    board = list(game.board(position))
    for name, letter in changes.items():
        board[game.cells.index(name)] = letter
    assert not begins_turn(game, position, "".join(board))
    return game.fault(position, "".join(board))


@pytest.mark.parametrize(
    ("changes", "rule", "said"),
    [
        ({"A1": "W"}, "not_your_turn", "It is black's turn, but white laid a stone on A1. Take it back."),
        ({"A1": "B", "B1": "B"}, "two_stones_laid", "Take all but one back"),
        ({"B9": "."}, "stone_missing", "The white stone on B9 is missing"),
        ({"B9": ".", "A5": "W"}, "stone_moved", "Stones never move"),
        ({"B9": "B"}, "piece_changed_colour", "changed its colour"),
        ({"A9": "B", "C9": "."}, "not_captured", "The stone on A9 does not capture C9. Put it back."),
        ({"J1": "B", "B9": "."}, "not_captured", "The stone on J1 does not capture B9. Put it back."),
        ({"A9": "B", "J1": "W"}, "capture_half_taken", "captures B9 and A8: take them off the board first"),
        ({"J8": "B"}, "suicide", "would have no liberty"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_fault_names_the_rule(changes: dict[str, str], rule: str, said: str) -> None:
    game = go()
    position = drawn(game, ".OX....O.", "OX.....O.", "XX.....OO", "........."[:9])
    if rule == "suicide":
        position = drawn(game, ".OX....OX", "OX.....O.", "XX.....OO")
    fault = wrong(game, position, **changes)
    assert fault.rule == rule and said in fault.text


def test_a_capture_of_twelve_stones_is_an_unfinished_turn_in_any_order() -> None:
    game = go()
    position = drawn(game, "OOOOOOX..", "OOOOOO...", "XXXXXX...")
    assert len(taken(game, position, "G8")) == 12
    board = list(game.board(game.apply(position, game.parse_move(position, "G8"))))
    for name in ("A9", "F8", "C9"):
        board[game.cells.index(name)] = "W"
    assert begins_turn(game, position, "".join(board))


def test_points_are_gnu_gos_for_twenty_games_it_finished() -> None:
    same = 0
    lines = FINISHED.read_text(encoding="utf-8").splitlines()
    for one in map(json.loads, lines):
        for scoring in ("territory", "area"):
            game = go(size=one["size"], scoring=scoring)
            moves: Sequence[str] = one["moves"].split()[:-1]
            position = played(game, *moves)
            end = game.parse_move(position, f"pass:{','.join(one['dead']) or '-'}")
            outcome = game.outcome(game.apply(position, end))
            assert outcome is not None and outcome.scores is not None and outcome.winner is not None
            lead = abs(outcome.scores[0] - outcome.scores[1])
            assert f"{'BW'[outcome.winner]}+{lead:g}" == one[scoring]
        same += end.dead == proposal(game.size, position.stones, 1 - position.side)
    assert len(lines) == 20 and same >= 19  # one game ends with most stones of a side in doubt


@pytest.mark.skipif(not os.access(go_oracle.GNUGO, os.X_OK), reason="GNU Go is not installed")
@pytest.mark.parametrize("rules", go_oracle.RULES, ids=lambda rules: "+".join(rules) or "plain")
def test_random_games_are_legal_and_stand_as_in_gnu_go(rules: dict[str, object]) -> None:
    options = [option for name, option in go_oracle.OPTIONS.items() if rules.get(name)]
    with go_oracle.GnuGo(*options) as gnugo:
        assert go_oracle.compare(go(**rules), gnugo, seed=7, plies=120) == 120


@pytest.mark.parametrize("suicide", [False, True])
def test_after_a_pass_few_lines_are_looked_through_to_find_what_was_played(suicide: bool) -> None:
    game = go(size="19", suicide=suicide)
    start, one_ply = game.initial(), game.apply(game.initial(), game.parse_move(game.initial(), "D4"))
    strays = [game.board(game.apply(start, move)) for move in game.legal_moves(start) if move.cell is not None]
    assert not any(game.may_become(stray, game.board(start), 1) for stray in strays)
    target = game.board(game.apply(one_ply, game.parse_move(one_ply, "pass")))
    assert sum(game.may_become(stray, target, 1) for stray in strays) < 6


@pytest.mark.parametrize("suicide", [False, True])
def test_what_play_leads_to_may_become_and_a_stone_that_moved_may_not(suicide: bool) -> None:
    game, chance, gone = go(size=9, suicide=suicide), random.Random(3), 0
    for _ in range(4):
        position, boards = game.initial(), [game.board(game.initial())]
        for _ in range(160):
            laid = [move for move in game.legal_moves(position) if move.cell is not None]
            if not laid:
                break
            position = game.apply(position, chance.choice(laid))
            boards.append(game.board(position))
            for plies in (1, 2, 3):
                before = boards[-1 - plies : -plies] or boards[:1]
                assert game.may_become(before[0], boards[-1], plies)
                gone += any(was != "." and now == "." for was, now in zip(before[0], boards[-1], strict=True))
    assert gone > 100, "stones were taken"
    start = drawn(game, ".........", "....X....")
    moved = drawn(game, ".........", ".........", "......X..")
    assert not game.may_become(game.board(start), game.board(moved), 3)
    assert game.may_become(game.board(start), game.board(moved), 5)


def test_a_dropped_stone_on_nineteen_lines_is_seen_to_be_illegal_without_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, chance, searched = go(size=19), random.Random(8), 0
    positions = [game.initial()]
    for _ in range(100):
        laid = [move for move in game.legal_moves(positions[-1]) if move.cell is not None]
        positions.append(game.apply(positions[-1], chance.choice(laid)))

    def counted(position: Position) -> list[Move]:
        nonlocal searched
        searched += 1
        assert searched < 100
        return legal_moves(position)

    legal_moves = game.legal_moves
    monkeypatch.setattr(game, "legal_moves", counted)
    board = game.board(positions[-1])
    for cell in [cell for cell, letter in enumerate(board) if letter != EMPTY][::9]:
        dropped = carry_out(board, (Step("move", board.index(EMPTY), cell, board[cell]),))
        assert is_beyond_doubt(game, positions, dropped)
