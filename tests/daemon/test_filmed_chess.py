"""A filmed game of chess is followed from the video alone: the start teaches, and no hand is waited for."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.core.match import Match
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from vision.frame import Frame

FILM = Path(__file__).parents[2].parent / "shared/data/video/scholarsmate.avi"
RATE_HZ = 20.0
MOVES = ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]

pytestmark = pytest.mark.skipif(not FILM.is_file(), reason=f"no film at {FILM}")


def test_seven_plies_and_the_mate_are_seen_though_the_board_lies_with_white_at_the_top() -> None:
    game, heard = games.load("chess"), list[Announcement]()
    pipeline, match = Pipeline(load_template(game.name), None), Match(Referee(game))
    eyes = BoardTracker(pipeline, match)
    match.listeners.append(heard.append)
    match.start()
    film = cv2.VideoCapture(str(FILM))
    for number in range(300):
        seen, image = film.read()
        assert seen
        if number % 2:  # ten pictures a second are enough
            turned = np.ascontiguousarray(np.rot90(image))
            eyes.feed(Frame(turned, number / RATE_HZ, number))
            eyes.poll()
        if match.referee.outcome is not None:
            break
    assert [one.move for one in heard if one.code == "move"] == MOVES
    assert {one.code for one in heard} == {"move", "game_over"}
    assert pipeline.lesson is not None and pipeline.lesson.turn == 2
