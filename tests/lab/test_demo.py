"""The main job, end to end: simulated table, real eyes, referee, journal, bus, worker process, voice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from calibration.template import load_template
from daemon.record.journal import Journal
from daemon.run.session import Session
from lab.demo import cli as demo_cli
from lab.demo.cli import demo_config, tally_text
from lab.demo.demo import Demo, Tally, seen_plies
from rules.turns import line_of_play
from system.weights import WeightsError

ROOT = Path(__file__).resolve().parents[2]
RULES = {"men": 3}
"""Three men a side: a whole game with mills and a result in about a dozen plies."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tally, Path, Path]:
    folder = tmp_path_factory.mktemp("demo")
    game = games.load("morris", RULES)
    config = demo_config(game.name, headless=True, fast=True)
    config = config.model_copy(update={"journal": config.journal.model_copy(update={"path": str(folder / "j.sqlite")})})
    session = Session(config, game, render_to=folder)
    try:
        tally = Demo(session, fast=True).play(load_template(game.name), seed=3)
        session.services.speaker.wait_until_silent(10.0)
    finally:
        session.close()
    return tally, folder / "j.sqlite", folder


def test_whole_game_is_played_without_a_wrong_board_or_a_missed_ply(played: tuple[Tally, Path, Path]) -> None:
    tally, _, _ = played
    assert tally.plies >= 6
    assert (tally.wrong_boards, tally.missed_plies, tally.false_reports) == (0, 0, 0)
    assert tally.outcome != "unfinished"
    assert tally.verdict_ms > 0


def test_every_ply_is_in_the_journal_with_its_result(played: tuple[Tally, Path, Path]) -> None:
    tally, path, _ = played
    journal = Journal(path, read_only=True)
    try:
        (game,) = journal.games()
    finally:
        journal.close()
    assert len(game.plies) == tally.plies
    assert game.outcome is not None
    assert game.players == ("person", "alphabeta:time_s=0.05")


def test_what_was_said_is_rendered_as_sound(played: tuple[Tally, Path, Path]) -> None:
    _, _, folder = played
    sounds = sorted(folder.glob("*.wav"))
    assert sounds
    assert all(path.stat().st_size > 1000 for path in sounds)


def test_two_people_lay_tiles_and_their_seats_tell_who_laid_which(tmp_path: Path) -> None:
    game = games.load("dominoes")
    config = demo_config(game.name, headless=True, fast=True)
    assert [one.agent for one in (config.players.first, config.players.second)] == ["", ""]
    config = config.model_copy(
        update={
            "journal": config.journal.model_copy(update={"path": str(tmp_path / "j.sqlite")}),
            "speech": config.speech.model_copy(update={"enabled": False}),
        }
    )
    session = Session(config, game, render_to=tmp_path)
    try:
        tally = Demo(session, fast=True, most_plies=3).play(load_template(game.name), seed=2)
    finally:
        session.close()
    assert (tally.plies, tally.wrong_boards, tally.missed_plies, tally.false_reports) == (3, 0, 0, 0)
    assert tally.right_movers == 3
    assert tally.scores == tally.true_scores != (0, 0)


def test_passes_are_no_plies_to_compare() -> None:
    game = games.load("dominoes")
    texts = ["8H6-8I6", "pass", "pass", "8J6-8K1"]
    sides = [game.to_move(position) for position in line_of_play(game, texts)]
    assert sides[0] != sides[2]
    assert seen_plies(game, texts) == [("8H6-8I6", sides[0]), ("8J6-8K1", sides[3])]


def test_points_and_movers_are_told_where_a_game_has_points() -> None:
    tally = Tally("dominoes", 4, plies=30, passes=2, right_movers=29, scores=(40, 50), true_scores=(43, 50))
    assert "30 plies and 2 passes" in tally_text(tally)
    assert "29 of 30 movers right, 40:50 (really 43:50)" in tally_text(tally)
    assert "movers" not in tally_text(Tally("nine_mens_morris", 4, plies=30))


def test_demo_command_refuses_an_unknown_rule_with_its_name() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "daemon.cli", "demo", "--rule", "wings=true"],
        capture_output=True, text=True, timeout=60, cwd=ROOT,
    )  # fmt: skip
    assert result.returncode == 2
    assert "wings" in result.stderr
    assert "Traceback" not in result.stderr


def test_demo_command_names_a_damaged_learnt_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_arguments: object) -> None:
        raise WeightsError("resnet18.onnx: its sha256 is wrong")

    monkeypatch.setattr(demo_cli.Demo, "play", damaged)
    result = CliRunner().invoke(demo_cli.app, ["--headless", "--fast"])
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        2,
        "kibitzer demo: resnet18.onnx: its sha256 is wrong",
    )


def test_watch_prints_one_object_per_event_and_skips_what_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "1_1.jpg").write_bytes(b"no picture at all")
    result = subprocess.run(
        [sys.executable, "-m", "daemon.cli", "watch", "--game", "morris", "--source", str(tmp_path)],
        capture_output=True, text=True, timeout=60, cwd=ROOT,
    )  # fmt: skip
    assert "1_1.jpg" in result.stderr
    assert "Traceback" not in result.stderr
    for line in result.stdout.splitlines():
        assert {"event", "ply", "move", "cells", "frame", "text"} <= set(json.loads(line))
