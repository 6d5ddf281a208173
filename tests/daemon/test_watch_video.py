"""A recorded game is watched as a live one is."""

from __future__ import annotations

from pathlib import Path

import games
from calibration.template import load_template
from daemon.cli.watch import follow
from daemon.core.match import Match
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from vision.simulated.recording import record_video
from vision.simulated.scripted_games import ScriptedGames
from vision.sources.opening import open_source


def test_moves_of_a_recorded_game_are_those_that_were_made(tmp_path: Path) -> None:
    game, template = games.load("morris"), load_template("nine_mens_morris")
    sitting = ScriptedGames(
        game, template, frozenset((0, 1)), seed=4, think_s=0.8, pace=3, size_px=(640, 360), real_time=False
    )
    truth = record_video(sitting, tmp_path / "game.mp4", longest_s=10.0)["moves"]
    match = Match(Referee(game))
    said: list[str] = []
    match.listeners.append(lambda announcement: said.append(announcement.code))
    follow(BoardTracker(Pipeline(template, None), match), open_source(str(tmp_path / "game.mp4")))
    assert isinstance(truth, list) and len(truth) >= 3
    assert list(match.referee.moves[: len(truth)]) == truth
    assert set(said) <= {"start", "move"}
