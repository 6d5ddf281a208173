"""`kibitzer solve`: exact results for files of endgames, and messages for bad files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agents.endgames import Solver
from agents.solve_cli import app, read_obf
from games.reversi import Reversi

FIRST = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;"
ALIKE = "-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X;"
"""A position with two equally good moves: h8 and a5."""
OVER = "X" * 60 + "-" * 4 + " O;"
MUST_PASS = "X" * 62 + "O- O;"
GAME = Reversi()
ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["solve", *arguments])


def write(folder: Path, *lines: str) -> Path:
    path = folder / "positions.obf"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_position_of_a_file_gets_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "% two positions", FIRST, "", ALIKE.lower(), OVER)
    done = run("--game", "reversi", "--obf", str(path), "--json")
    assert done.exit_code == 0, done.stderr
    first, alike, over = [json.loads(line) for line in done.stdout.splitlines()]
    assert (first["line"], first["empties"], first["score"], first["best"]) == (2, 14, 18, ["g8"])
    assert first["nodes"] > 1000
    assert first["seconds"] >= 0
    assert alike["score"] == 0
    assert set(alike["best"]) < {"h8", "a5"}
    assert (over["score"], over["best"]) == (-64, [])


def test_all_best_moves_are_found_where_asked_for(tmp_path: Path) -> None:
    solver = Solver(16)
    position = GAME.parse_position(ALIKE)
    solution = solver.solve(position, every=True)
    assert {GAME.format_move(position, move) for move in solution.best} == {"h8", "a5"}


def test_an_ending_of_fourteen_squares_takes_few_positions() -> None:
    """44,357 if five and six empty squares are searched without the table and by parity alone."""
    assert Solver(16).solve(GAME.parse_position(FIRST.split(";")[0])).nodes < 35_000


def test_a_side_that_must_pass_is_solved() -> None:
    position = GAME.parse_position(MUST_PASS)
    solution = Solver(1).solve(position)
    assert (solution.score, [GAME.format_move(position, move) for move in solution.best]) == (-64, ["pass"])


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([FIRST, "XO- X;"], "line 2: 'XO- X'"),
        ([FIRST[:64] + " Y;"], "line 1"),
        (["", "%"], "holds no position"),
    ],
)
def test_a_line_that_is_no_position_is_named(tmp_path: Path, lines: list[str], named: str) -> None:
    path = write(tmp_path, *lines)
    with pytest.raises(ValueError, match=named):
        read_obf(path)
    done = run("--game", "reversi", "--obf", str(path))
    assert done.exit_code == 2
    assert named.split(":")[0] in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--game", "reversi"], "--game reversi takes --obf FILE"),
        (["--game", "morris", "--obf", "x"], "no solver for nine_mens_morris"),
        (["--game", "reversi", "--obf", "/no/such/file"], "/no/such/file"),
        (["--game", "ludo", "--obf", "x"], "no game 'ludo'"),
    ],
)
def test_wrong_use_is_refused(arguments: list[str], named: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "positions.obf"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="no text file"):
        read_obf(path)


def test_published_endgames_have_the_published_results(real_data: Path) -> None:
    path = real_data / "engines" / "ffo-1-59.jsonl"
    if not path.is_file():
        pytest.skip(f"no published endgames: {path} is absent")
    solver = Solver(16)
    for line in path.read_text(encoding="utf-8").splitlines()[:5]:
        published = json.loads(line)
        position = GAME.parse_position(f"{published['board']} {published['side']}")
        solution = solver.solve(position, every=True)
        assert solution.score == published["score"]
        assert {GAME.format_move(position, move) for move in solution.best} == set(published["best"])


def test_a_file_that_is_not_there_is_said_before_anything_is_compiled() -> None:
    code = (
        "import sys; from daemon.cli.main import main\n"
        "try: main(['solve', '--game', 'reversi', '--obf', '/nowhere.obf'])\n"
        "except SystemExit as ended: print(ended.code, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout == "2 False\n"
    assert done.stderr == "kibitzer solve: /nowhere.obf: No such file or directory\n"
