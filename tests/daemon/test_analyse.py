"""Reviews of recorded games: made by the real analysis, shown, kept, broken off; faults of the process are named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from agents.values import Value, accuracy
from daemon.bus.analysing import AnalysisError, analysis
from daemon.cli import games as games_cli
from daemon.record.journal import Journal
from daemon.record.reviews import JudgedPly, Review, Reviews, curve, fingerprint, loss, question, worth
from daemon.record.stored_game import StoredGame
from rules.turns import line_of_play
from tests.daemon.recorded_games import connection, record_game

BLUNDER = "h8 h7 h9 g9 h10 g10 h11 a1 h12"
"""Gomoku: white, who stands little worse, lets black make five."""


def recorded(path: Path, name: str = "gomoku", moves: str = BLUNDER) -> StoredGame:
    game = games.load(name)
    journal = Journal(path)
    stored = record_game(journal, game, game.initial(), moves.split(), players=("Ana", "Ben"))
    journal.close()
    return stored


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(games_cli.app, [str(word) for word in words])
    return result.exit_code, result.output


def test_a_blunder_is_marked_with_the_better_move_and_the_review_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    stored = recorded(path)
    status, text = run("analyse", "last", "--time-s", "0.1", "--journal", path, "--json")
    told = json.loads(text)
    assert status == 0 and told["whole"] and told["id"] == stored.game_id
    bad = told["judged"][7]
    assert (bad["move"], bad["mark"], bad["best"]["move"]) == ("a1", "blunder", "h12")
    assert bad["value"]["exact"] and bad["value"]["plies"] == 2 and bad["value"]["chance"] == 0
    lost = [ply["lost"] for ply in told["judged"] if ply["side"] == 1 and ply["move"]]
    # Without the blunder white's play is better; how good black's is depends on how deep the computer searched.
    assert told["accuracy"][1] == pytest.approx(accuracy(lost)) and lost[-1] == bad["lost"]
    assert told["accuracy"][1] < (accuracy(lost[:-1]) or 0)
    assert [point[0] for point in told["curve"]] == list(range(10)) and told["curve"][-1][1] == 1
    kept = Reviews(path).read(stored)
    assert kept is not None and json.loads(json.dumps(kept.as_object()["judged"])) == told["judged"]
    status, text = run("analyse", stored.game_id, "--time-s", "0.1", "--journal", path)
    assert status == 0  # from what is kept
    assert "a1         loses in 1 move, proven" in text and "better h12" in text
    blunders = sum(ply["mark"] == "blunder" for ply in told["judged"][1::2])
    assert blunders >= 1 and f"white  accuracy {told['accuracy'][1]:.0f}" in text and f", {blunders} blunder" in text


def test_a_game_with_a_broken_move_is_analysed_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    stored = recorded(path, "reversi", "f5 d6 c3 d3")
    journal = Journal(path)
    connection(journal).execute("UPDATE plies SET move = 'a1' WHERE ply = 3")
    journal.close()
    status, text = run("analyse", stored.game_id, "--time-s", "0.05", "--journal", path)
    assert status == 0
    assert "analysed as far as the game can be read: move 3, a1" in text
    assert "   2  white" in text and "   3  black" not in text


def test_dominoes_from_hidden_hands_are_compared_with_the_same_tile_only(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    stored = recorded(path, "double_double_dominoes", "8H6-8I1 8J1-8K4 6K2-7K4")
    status, text = run("analyse", "last", "--time-s", "0.1", "--journal", path, "--json")
    told = json.loads(text)
    assert status == 0 and told["unit"] == "point"
    for one in told["judged"][:3]:
        laid, best = games.load("dominoes"), one["best"]["move"]
        assert sorted(_pips(one["move"])) == sorted(_pips(best)), laid
    assert [height for _, height in curve(stored, Reviews(path).read(stored) or Review("", "", 1.0))][-1] == 1.0


def _pips(text: str) -> list[str]:
    return [end[-1] for end in text.split("-")]


def test_ctrl_c_keeps_what_is_done_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    stored = recorded(path, "reversi", "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 d7 c5")
    words = ["analyse", "last", "--time-s", "1", "--journal", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "daemon.cli", "games", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FORCE_COLOR": "1"},
    )
    seen = ""
    assert process.stderr is not None
    while "judging" not in seen:  # the bar says when the first move is judged
        seen += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "stopped; the last" in errors and "of 12 moves are judged and kept" in errors
    kept = Reviews(path).read(stored)
    assert kept is not None and kept.judged and not kept.is_whole
    assert len([line for line in out.splitlines() if "  white  " in line or "  black  " in line]) >= len(kept.moves())


def test_a_review_of_other_moves_or_of_another_format_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    stored = recorded(path)
    kept, review = Reviews(path), Review(stored.game_id, fingerprint(stored), 1.0)
    kept.keep(review)
    assert kept.read(stored) == review
    kept.keep(Review(stored.game_id, "another", 1.0))
    assert kept.read(stored) is None
    for text in ("", "{", "[]", "{}", '{"format": 2}', "null"):
        (kept.folder / f"{stored.game_id}.json").write_text(text)
        assert kept.read(stored) is None
    for game_id in (stored.game_id, "../journal"):
        kept.forget(game_id)
    assert [*kept.folder.iterdir()] == [] and path.exists()


def test_a_deleted_game_takes_its_review_with_it(tmp_path: Path) -> None:
    path, config = tmp_path / "journal.sqlite", tmp_path / "config.toml"
    config.write_text("[page]\nport = 1\n")
    stored = recorded(path)
    Reviews(path).keep(Review(stored.game_id, fingerprint(stored), 1.0))
    status, _ = run("delete", stored.game_id, "--yes", "--journal", path, "--config", config)
    assert status == 0 and not list(Reviews(path).folder.iterdir())


def told_by(program: str) -> list[dict[str, object]]:
    """What an analysis run by this program says."""
    with analysis("gomoku", {}, {"moves": []}, 0.1, command=(sys.executable, "-c", program)) as told:
        return list(told)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit('kibitzer analyse: no')", "no"),
        ("import os; os._exit(3)", "status 3"),
        ("print('hello')", "rubbish"),
        ("print('[1]')", "rubbish"),
        ("print('x' * 200000, end='')", "rubbish"),
    ],
)
def test_a_process_that_dies_or_talks_nonsense_is_named(program: str, why: str) -> None:
    with pytest.raises(AnalysisError, match=why):
        told_by(program)


def test_an_analysis_ends_once_it_is_stopped() -> None:
    stop = threading.Event()
    stop.set()
    program = "import time; time.sleep(60)"
    with analysis("gomoku", {}, {}, 0.1, command=(sys.executable, "-c", program), stop=stop) as told:
        assert list(told) == []


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (Value(0, 1.0, None, 5, True), "", "wins in 3 moves"),
        (Value(0, 0.0, None, 2, True), "", "loses in 1 move"),
        (Value(0, 0.0, None, 0, True), "", "lost"),
        (Value(0, 0.5, None, None, True), "", "draw"),
        (Value(0, 0.617, None, None, False), "", "62 %"),
        (Value(0, 0.6, 3.24, None, False), "disc", "+3.2 discs"),
        (Value(0, 0.0, -12.0, None, True), "disc", "-12 discs"),
        (Value(0, 0.5, -0.04, None, False), "point", "-0.0 points"),
        (Value(17, 0.5, 17.0, None, False), "score", "score +17.0"),
    ],
)
def test_a_value_is_said_as_people_count(value: Value, unit: str, said: str) -> None:
    assert str(worth(value, unit)) == said


def test_a_loss_is_said_in_units_and_in_shares_of_the_point() -> None:
    assert str(loss(0.126, 4.1, "disc")) == "gives away 4.1 discs, 13 %"
    assert str(loss(0.5, None, "disc")) == "gives away 50 %"


def test_hands_that_the_record_tells_go_into_the_question(tmp_path: Path) -> None:
    stored = recorded(tmp_path / "journal.sqlite", "double_double_dominoes", "8H6-8I1 8J1-8K4")
    positions = question(stored)["positions"]
    assert isinstance(positions, list) and positions[1] == stored.plies[0].position


def test_a_judged_ply_is_read_as_it_was_written() -> None:
    review = Review("a", "b", 1.0, plies=1)
    told = {"ply": 1, "side": 0, "move": "h8", "value": vars(Value(1.0, 0.5)), "best": None, "lost": 0.0}
    review.add(told)
    assert Review.of(json.loads(json.dumps(review.as_object()))) == review
    assert review.judged[1] == JudgedPly.of(told)


def with_review(path: Path, stored: StoredGame) -> Review:
    """Keeps a review of a game in which move 2 was a blunder."""
    unit = {"reversi": "disc", "gomoku": "", "nine_mens_morris": ""}[stored.game]
    game = games.load(stored.game, stored.rules)
    positions = line_of_play(game, stored.moves)
    review = Review(stored.game_id, fingerprint(stored), 1.0, unit=unit, plies=len(stored.plies))
    for ply, position in enumerate(positions, 1):
        value = vars(Value(-150.0, 0.25, -1.5 if unit else None))
        told: dict[str, object] = {"ply": ply, "side": game.to_move(position), "value": value, "best": None, "move": ""}
        if ply <= len(stored.plies):
            told["move"] = stored.moves[ply - 1]
        if ply == 2:
            other = [game.format_move(position, move) for move in game.legal_moves(position)]
            best = next(text for text in other if text != stored.moves[1])
            told |= {"best": {"move": best, "value": vars(Value(300.0, 0.5)), "line": [best]}, "lost": 0.25}
            told |= {"mark": "blunder"}
        review.add(told)
    Reviews(path).keep(review)
    return review


@pytest.mark.parametrize(
    ("name", "moves", "wanted"),
    [
        ("gomoku", "h8 h9 g8 g9", ["C[25 %; blunder, gives away 25 %; better", "BM[2]", "\n(;W["]),
        ("reversi", "f5 d6 c3 d3", ["B[F5/-1.50]", "W[D6/-1.50]"]),
        ("nine_mens_morris", "d6 f4 d2 b4", ["f4 $4 {", "[%eval -150]", "blunder, gives away 25 %; better"]),
    ],
)
def test_a_game_is_exported_with_its_review_and_read_again(
    tmp_path: Path, name: str, moves: str, wanted: list[str]
) -> None:
    path, out = tmp_path / "journal.sqlite", tmp_path / "game.txt"
    stored = recorded(path, name, moves)
    usual = games.find(name).about.formats[0]
    status, text = run("export", "last", "--comments", "--format", usual, "--journal", path)
    assert status == 2 and "has not been reviewed" in text
    with_review(path, stored)
    assert run("export", "last", "--comments", "--format", usual, "--journal", path, "--out", out)[0] == 0
    written = " ".join(out.read_text().split()) if name == "nine_mens_morris" else out.read_text()
    for one in wanted:
        assert one in written, written
    status, _ = run("import", out, "--journal", path)
    assert status == 0
    journal = Journal(path, read_only=True)
    assert journal.games()[-1].moves == stored.moves
    journal.close()


def test_formats_without_comments_refuse_them_and_json_holds_everything(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    stored = recorded(path, "reversi", "f5 d6 c3 d3")
    review = with_review(path, stored)
    status, text = run("export", "last", "--comments", "--format", "transcript", "--journal", path)
    assert status == 2 and "transcript holds no comments" in text
    status, text = run("export", "last", "--comments", "--format", "json", "--journal", path)
    assert status == 0 and Review.of(json.loads(text)["review"]) == review


def test_an_engine_of_the_settings_is_asked_for_its_move_as_well(tmp_path: Path) -> None:
    path, config = tmp_path / "journal.sqlite", tmp_path / "config.toml"
    engine = Path(__file__).parents[1] / "agents" / "fake_engines" / "engine.py"
    command = [sys.executable, str(engine), "nboard", "good", str(tmp_path / "marks")]
    config.write_text(f'[engines.fake]\nprotocol = "nboard"\ncommand = {command}\n')
    recorded(path, "reversi", "f5 d6 c3 d3")
    words = ["analyse", "last", "--time-s", "0.05", "--engine", "fake", "--config", config, "--journal", path]
    status, text = run(*words, "--json")
    told = json.loads(text)
    assert status == 0 and told["engine"] == "fake"
    assert all(one["engine"]["score"] == 1.5 for one in told["judged"][:4])
    assert "[the engine plays" in run(*words)[1]
    status, text = run("analyse", "last", "--time-s", "0.05", "--engine", "nobody", "--anew", "--journal", path)
    assert status == 2 and "nobody" in text
    config.write_text(config.read_text().replace('"nboard", "good"', '"nboard", "dies"').replace("'good'", "'dies'"))
    status, text = run(*words, "--anew")
    assert status == 0 and "no engine's opinion: engine fake ended with status 3" in text


def test_the_background_analysis_leaves_the_processor_to_others(tmp_path: Path) -> None:
    stored = recorded(tmp_path / "journal.sqlite", "reversi", "f5 d6 c3 d3")
    with analysis(stored.game, stored.rules, question(stored), 1.0, background=True) as told:
        next(told)
        children = [Path(path) for path in Path("/proc").glob("[0-9]*")]
        child = f"PPid:\t{os.getpid()}\n".encode()
        mine = [one for one in children if b"--background" in _read(one / "cmdline") and child in _read(one / "status")]
        assert mine
        assert all(os.sched_getscheduler(int(one.name)) == os.SCHED_IDLE for one in mine)
        assert all(os.getpriority(os.PRIO_PROCESS, int(one.name)) == 19 for one in mine)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
