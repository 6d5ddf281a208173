"""Cells on which something lies that is no piece are named once; they say nothing, and the game goes on."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import cv2
import numpy as np
import pytest

import games
from daemon.perception.occlusion_notices import OcclusionNotices
from daemon.perception.pipeline import Observation
from tests.daemon.match_bench import LOCKED, PICTURE, ScriptedPipeline, watching
from tests.daemon.readings import reading_of
from tests.daemon.sights import FROM_ABOVE, sight
from vision.frame import Frame
from vision.reading.board_reading import BoardReading
from vision.watching.watcher import REPORTED_S

MORRIS = games.load("morris")


def covered(*cells: int) -> BoardReading:
    hidden = np.zeros(24, dtype=np.bool_)
    hidden[list(cells)] = True
    return reading_of(MORRIS, "." * 24).without(hidden)


def told(*seen: tuple[BoardReading, float], outside: tuple[int, ...] = (), photo: str = "") -> list[str]:
    """What is said after readings, each with the seconds for which its board has been still."""
    notices, pipeline, said = OcclusionNotices(), ScriptedPipeline(), list[str]()
    for number, (reading, still_s) in enumerate(seen):
        pipeline.looks.told = reading
        gate = dataclasses.replace(sight("settled"), still_s=np.full(24, still_s))
        frame = Frame(PICTURE, float(number), number, name=photo)
        observation = Observation(frame, LOCKED, FROM_ABOVE, gate, outside=outside)
        found = notices._covered(observation, gate, MORRIS, pipeline)  # type: ignore[arg-type]
        said += [str(one) for sentences in found for one in sentences]
    return said


def test_what_lies_on_cells_for_long_is_named_once_and_again_after_they_lay_open() -> None:
    lies, free = (covered(0, 1), REPORTED_S), (covered(), REPORTED_S)
    assert told((covered(0, 1), REPORTED_S / 2)) == []
    first = "Something lies on a7 and d7, or a lamp is mirrored there. Please take it away."
    assert told(lies, lies, lies) == [first]
    assert told(lies, free, lies) == [first, first]
    assert told(lies, (covered(0, 1, 2), REPORTED_S)) == [first, first.replace("a7 and d7", "g7")]


def test_cells_beyond_the_picture_have_nothing_on_them() -> None:
    assert told((covered(0, 1), REPORTED_S), outside=(0, 1)) == []


def test_in_a_photo_it_is_said_at_once() -> None:
    assert len(told((covered(0), 0.0), photo="one.jpg")) == 1


@pytest.mark.parametrize("name", ["bowl_1.jpg"])
def test_a_bowl_that_stood_there_before_the_game_lays_no_stone(real_data: Path, name: str) -> None:
    """Its stones were once taken for White's first."""
    eyes, heard = watching(games.load("gomoku"))
    photo = cv2.imread(str(real_data / "gomoku" / "bowl" / name))
    assert photo is not None
    noise = np.random.default_rng(1)
    for number in range(40):
        shown = np.clip(photo + noise.normal(0, 2, photo.shape), 0, 255).astype(np.uint8)
        eyes.feed(Frame(shown, number / 5, number))
        eyes.poll()
    assert [one.move for one in heard if one.code == "move"] == ["h8"]
