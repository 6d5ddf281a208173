"""Video files: timestamps, broken frames, the end of the file, and games recorded as videos."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import games
from calibration.template import load_template
from lab.simulated.scripted_games import ScriptedGames, record_video
from tests.vision.test_sources import picture, read_all, write_video
from vision.frame import SourceError
from vision.sources.files import VideoFile
from vision.sources.opening import open_source


@dataclasses.dataclass
class Film:
    """A fake `cv2.VideoCapture`; `stamps_ms` has the milliseconds of each frame, None for a broken one."""

    stamps_ms: list[float | None]
    rate_hz: float = 20.0
    count: float = 0.0
    place: int = -1

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def get(self, propId: int, /) -> float:  # noqa: N803
        if propId == cv2.CAP_PROP_POS_MSEC and 0 <= self.place < len(self.stamps_ms):
            return self.stamps_ms[self.place] or 0.0
        return {cv2.CAP_PROP_FPS: self.rate_hz, cv2.CAP_PROP_FRAME_COUNT: self.count}.get(propId, 0.0)

    def read(self) -> tuple[bool, Any]:
        self.place += 1
        if self.place >= len(self.stamps_ms) or self.stamps_ms[self.place] is None:
            return False, None
        return True, picture(self.place)

    def release(self) -> None:
        pass


def times(film: Film, path: Path) -> list[float]:
    path.touch()
    return [frame.time_s for frame in read_all(VideoFile(path, lambda _: film))]


def test_frames_carry_the_files_own_time_which_may_run_unevenly(tmp_path: Path) -> None:
    stamps: list[float | None] = [0, 33, 66, 500, 533, 1500]
    assert times(Film(stamps, count=6), tmp_path / "v.mp4") == pytest.approx([0, 0.033, 0.066, 0.5, 0.533, 1.5])


def test_frames_without_time_stamps_are_counted(tmp_path: Path) -> None:
    stamps: list[float | None] = [0, 0, 0, 0]
    assert times(Film(stamps, count=4), tmp_path / "v.avi") == pytest.approx([0, 0.05, 0.10, 0.15])


@pytest.mark.parametrize("count", [0.0, -1.9e14, 7.0])
def test_broken_frames_end_no_video_whether_its_length_is_known_or_not(tmp_path: Path, count: float) -> None:
    stamps: list[float | None] = [None, None, 100, 150, None, 250, 300]
    assert times(Film(stamps, count=count), tmp_path / "v.avi") == pytest.approx([0.1, 0.15, 0.25, 0.3])


def test_video_without_one_good_frame_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "v.avi").touch()
    with pytest.raises(SourceError, match="no frame"):
        VideoFile(tmp_path / "v.avi", lambda _: Film([None] * 9)).read(1.0)


def test_raw_stream_of_pictures_is_a_video_too(tmp_path: Path) -> None:
    pictures = [bytes(cv2.imencode(".jpg", picture(20 * index))[1]) for index in range(9)]
    (tmp_path / "raw.mjpeg").write_bytes(b"".join(pictures))
    frames = read_all(open_source(str(tmp_path / "raw.mjpeg")))
    assert len(frames) == 9
    assert np.all(np.diff([frame.time_s for frame in frames]) > 0)


def test_damaged_frame_in_the_middle_does_not_end_the_video(tmp_path: Path) -> None:
    write_video(tmp_path / "v.avi", 12)
    data = bytearray((tmp_path / "v.avi").read_bytes())
    place = data.find(b"\xff\xd8", len(data) // 2)
    data[place : place + 200] = bytes(200)
    (tmp_path / "hurt.avi").write_bytes(data)
    frames = read_all(open_source(str(tmp_path / "hurt.avi")))
    assert len(frames) >= 11 and frames[-1].time_s == pytest.approx(11 / 20)


@pytest.mark.parametrize("ending", [".avi", ".mp4", ".webm"])
def test_sitting_is_recorded_with_its_time(tmp_path: Path, ending: str) -> None:
    game, template = games.load("morris"), load_template("nine_mens_morris")
    sitting = ScriptedGames(
        game, template, frozenset((0, 1)), seed=2, think_s=0, pace=5, size_px=(160, 90), real_time=False
    )
    truth = record_video(sitting, tmp_path / f"game{ending}", longest_s=4.0)
    frames = read_all(open_source(str(tmp_path / f"game{ending}")))
    assert len(frames) == pytest.approx(60, abs=2) and frames[-1].time_s == pytest.approx(4.0, abs=0.2)
    assert frames[0].image.shape == (90, 160, 3)
    assert len(truth["moves"]) >= 2  # type: ignore[arg-type]


def test_recording_to_something_that_is_no_video_is_refused(tmp_path: Path) -> None:
    sitting = ScriptedGames(
        games.load("morris"), load_template("nine_mens_morris"), frozenset((0, 1)), size_px=(64, 36), real_time=False
    )
    with pytest.raises(SourceError, match=r"written as \.webm, \.mp4"):
        record_video(sitting, tmp_path / "game.gif")
