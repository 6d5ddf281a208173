"""One move on a board file, and matches between two programs that do this well or badly."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agents import programs
from agents.programs import BoardFileError
from agents.programs_cli import app
from games.reversi import Position, Reversi
from rules.turns import line_of_play

PROGRAM = Path(__file__).parent / "fake_engines" / "file_program.py"
ROWS = ("00000000", "00000000", "00000000", "00021000", "00012000", "00000000", "00000000", "00000000")
CLEAN = [[int(value) for value in row] for row in ROWS]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def command(manner: str) -> str:
    return f"{sys.executable} {PROGRAM} {manner}"


def write(path: Path, rows: object) -> Path:
    path.write_text(json.dumps(rows))
    return path


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return write(tmp_path / "board.json", CLEAN)


def test_a_board_makes_the_round_trip_and_keeps_its_permissions(board: Path) -> None:
    assert programs.read_board(board) == Reversi().initial().discs
    board.chmod(0o640)
    position = line_of_play(Reversi(), ["d3", "c5", "f6"])[-1]
    programs.write_board(board, position.discs)
    assert programs.read_board(board) == position.discs
    assert board.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in board.parent.iterdir()] == ["board.json"]
    assert json.loads(board.read_text())[2][3] == 1


@pytest.mark.parametrize("symbol", [1, 2])
def test_one_move_plays_a_legal_move_for_the_symbol(board: Path, symbol: int) -> None:
    done = run("one-move", str(symbol), str(board), "--agent", "minimax:depth=1", "--json")
    told = json.loads(done.stdout)
    game, before = Reversi(), Position(Reversi().initial().discs, symbol - 1)
    after = game.apply(before, game.parse_move(before, told["move"]))
    assert programs.read_board(board) == after.discs
    assert told["symbol"] == symbol


def test_one_move_leaves_the_file_where_its_side_has_no_move(tmp_path: Path) -> None:
    rows = [[0] * 8 for _ in range(8)]
    rows[0][:2] = [1, 2]
    path = write(tmp_path / "board.json", rows)
    before = path.read_bytes()
    assert run("one-move", "2", str(path)).stdout == "no move\n"
    assert path.read_bytes() == before
    assert json.loads(run("one-move", "2", str(path), "--json").stdout) == {"move": None, "symbol": 2}


def changed(row: int, column: int, value: object) -> list[list[object]]:
    rows: list[list[object]] = [list(one) for one in CLEAN]
    rows[row][column] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (CLEAN[:7], "a board is a list of 8 rows, not 7 rows"),
        ([*CLEAN[:7], [0] * 9], "row 8 is a list of 8 values, not 9 values"),
        ([*CLEAN[:7], "00000000"], "row 8 is a list of 8 values, not '00000000'"),
        (changed(2, 3, 3), r"row 3, column 4 \(d3\) is 0, 1 or 2, not 3"),
        (changed(0, 7, True), r"row 1, column 8 \(h1\) is 0, 1 or 2, not True"),
        (changed(0, 0, "1"), "not '1'"),
        ({"board": CLEAN}, "not dict"),
    ],
)
def test_a_wrong_board_is_refused_with_row_and_value(tmp_path: Path, rows: object, words: str) -> None:
    path = write(tmp_path / "board.json", rows)
    with pytest.raises(BoardFileError, match=words):
        programs.read_board(path)
    before = path.read_bytes()
    assert run("one-move", "1", str(path)).exit_code == 2
    assert path.read_bytes() == before


@pytest.mark.parametrize("data", [b"", b"[[0,", b"\xff\xfe", b"[" * 60_000, b" " * 70_000])
def test_a_file_that_is_no_json_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "board.json"
    path.write_bytes(data)
    with pytest.raises(BoardFileError, match=r"board\.json"):
        programs.read_board(path)


def test_a_missing_file_and_a_wrong_symbol_are_refused(board: Path, tmp_path: Path) -> None:
    done = run("one-move", "1", str(tmp_path / "none.json"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "none.json: cannot be read" in done.stderr
    assert "SYMBOL is 1 (black) or 2 (white), not 3" in run("one-move", "3", str(board)).stderr


def test_two_good_programs_play_to_the_end_by_the_rules(board: Path) -> None:
    game, dice = Reversi(), random.Random(3)
    position = game.initial()
    while position.side == 1 or (position.discs[0] | position.discs[1]).bit_count() < 50:
        position = game.apply(position, dice.choice(game.legal_moves(position)))
    programs.write_board(board, position.discs)
    done = run("match", "--programs", command("good"), command("good"), "--json", "--board", str(board))
    told = json.loads(done.stdout)
    last = line_of_play(game, told["moves"], position)[-1]
    assert len(told["moves"]) >= 10
    outcome = game.outcome(last)
    assert outcome is not None
    assert told["reason"] == outcome.reason
    assert told["scores"] == list(outcome.scores or ())
    assert told["winner"] == (None if outcome.winner is None else "AB"[outcome.winner])
    assert told["board"] == game.format_position(last)


@pytest.mark.parametrize(
    ("manner", "rule", "words"),
    [
        ("stalls", "out_of_time", "gave no answer within 0.5 s"),
        ("dies", "program_failed", "ended with status 1: out of ideas"),
        ("garbage", "broken_file", "is not JSON"),
        ("seven", "broken_file", "row 3, column 4 (d3) is 0, 1 or 2, not 7"),
        ("lies", "turns_nothing", "A white disc on a1 turns no disc over"),
        ("sleeps", "no_move_made", "left the board as it was, though it could play"),
    ],
)
def test_a_bad_program_loses_with_the_rule_named(board: Path, manner: str, rule: str, words: str) -> None:
    # One that stalls moves first: its time may then be short, for the other needs none.
    more = ("--first", "2", "--timeout-s", "0.5") if manner == "stalls" else ()
    done = run("match", "--programs", command("good"), command(manner), "--json", "--board", str(board), *more)
    told = json.loads(done.stdout)
    assert (told["winner"], told["reason"], done.exit_code) == ("A", rule, 0)
    assert told["text"].startswith("B ")
    assert words in told["text"]
    assert len(told["moves"]) == (manner != "stalls")
    after = line_of_play(Reversi(), told["moves"])[-1]
    assert programs.read_board(board) == after.discs


def test_a_program_that_must_pass_and_changes_the_board_loses(tmp_path: Path) -> None:
    rows = [[0] * 8 for _ in range(8)]
    rows[7][6:] = [2, 1]
    path = write(tmp_path / "board.json", rows)
    match = ("match", "--first", "2", "--board", str(path), "--json", "--programs")
    told = json.loads(run(*match, command("good"), command("lies")).stdout)
    assert (told["winner"], told["reason"]) == ("A", "must_pass")
    path = write(tmp_path / "board.json", rows)
    told = json.loads(run(*match, command("good"), command("good")).stdout)
    assert (told["winner"], told["moves"]) == ("A", ["pass", "f8"])


def test_the_boards_are_printed_as_they_come() -> None:
    done = run("match", "--programs", command("good"), command("dies"))
    assert "A (X) d3" in done.stdout
    assert "3 . . . X . . . ." in done.stdout
    assert done.stdout.splitlines()[-1].startswith("A wins (program_failed): B ended with status 1")


def test_a_program_that_is_not_there_and_a_board_that_is_over_are_refused(tmp_path: Path) -> None:
    done = run("match", "--programs", command("good"), "/nonexistent/program x")
    assert done.exit_code == 2
    assert "program B: '/nonexistent/program x' cannot be run" in done.stderr
    empty = write(tmp_path / "board.json", [[0] * 8] * 8)
    done = run("match", "--programs", command("good"), command("good"), "--board", str(empty))
    assert "the game is over already" in done.stderr
    with pytest.raises(ValueError, match="is no command"):
        programs.program("A", '"unclosed')
