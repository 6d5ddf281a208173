"""A filmed game of chess is followed from the video alone: the start teaches, and no hand is waited for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest

import games
from daemon.perception.pipeline import Pipeline
from tests.daemon.match_bench import watching
from vision.frame import Frame

FILM = Path(__file__).parents[2].parent / "shared/data/video/scholarsmate.avi"
RATE_HZ = 20.0
MOVES = ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]

pytestmark = pytest.mark.skipif(not FILM.is_file(), reason=f"no film at {FILM}")


def followed(fed: Iterable[int], turns: int = 0) -> Pipeline:
    """Feeds these pictures of the film, each turned by quarters, and compares what is told with the game."""
    eyes, heard = watching(games.load("chess"))
    film, wanted = cv2.VideoCapture(str(FILM)), set(fed)
    for number in range(300):
        seen, image = film.read()
        assert seen
        if number in wanted:
            turned = np.asarray(np.ascontiguousarray(np.rot90(image, turns)), dtype=np.uint8)
            eyes.feed(Frame(turned, number / RATE_HZ, number))
            eyes.poll()
        if eyes.match.referee.outcome is not None:
            break
    assert [one.move for one in heard if one.code == "move"] == MOVES
    assert {one.code for one in heard} - {"start"} == {"move", "game_over"}
    return eyes.pipeline


def test_seven_plies_and_the_mate_are_seen_though_the_board_lies_with_white_at_the_top() -> None:
    lesson = followed(range(1, 300, 2), turns=1).lesson  # ten pictures a second are enough
    assert lesson is not None and lesson.turn == 2


def test_three_pictures_a_second_are_enough() -> None:
    followed(math.ceil(third * RATE_HZ / 3) for third in range(45))


def test_a_busy_computer_that_drops_most_pictures_at_random_follows_the_game() -> None:
    followed(np.flatnonzero(np.random.default_rng(1).random(300) > 0.7).tolist())
