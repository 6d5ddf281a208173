"""A bowl of stones that stands over a corner hides the cells under it, and its stones are none of the board's."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

import games
from tests.daemon.match_bench import watching
from vision.frame import Frame

RATE_HZ = 5.0
SHOWN_S = {"bowl_0": 2.0, "bowl_1": 7.0, "bowl_4": 8.0, "bowl_5": 2.0}
"""Photos of one game, and seconds for which each is shown: the bowl is put down with the first stone."""


def test_a_bowl_over_a_corner_stops_no_game_and_lays_no_stone(real_data: Path) -> None:
    eyes, heard = watching(games.load("gomoku"))
    noise, number = np.random.default_rng(1), 0
    for name, seconds in SHOWN_S.items():
        photo = cv2.imread(str(real_data / "gomoku" / "bowl" / f"{name}.jpg"))
        assert photo is not None
        for _ in range(round(seconds * RATE_HZ)):
            picture = np.clip(photo + noise.normal(0, 2, photo.shape), 0, 255).astype(np.uint8)
            eyes.feed(Frame(picture, number / RATE_HZ, number))
            eyes.poll()
            number += 1
    moves = [one.move for one in heard if one.code == "move"]
    assert [set(moves[:1]), set(moves[1:3]), set(moves[3:])] == [{"h8"}, {"h7", "i8"}, {"h9", "i7"}]
    assert not {one.code for one in heard} & {"illegal", "desync", "unclear", "takeback"}
