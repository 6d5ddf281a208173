"""Films are as long as what they show, whole under their own name, and say what is missing."""

from __future__ import annotations

import collections
from pathlib import Path

import numpy as np
import pytest

from tests.vision.test_sources import read_all
from vision import film as film_module
from vision.film import CODECS, RESERVE_BYTES, Film, FilmFull
from vision.frame import Image, SourceError
from vision.sources.opening import open_source

Usage = collections.namedtuple("Usage", "total used free")


def grey(level: int) -> Image:
    return np.full((90, 160, 3), level, dtype=np.uint8)


def levels(path: Path) -> list[int]:
    """The grey of every picture of a film, to the next ten."""
    return [round(float(frame.image.mean()) / 10) * 10 for frame in read_all(open_source(str(path)))]


@pytest.mark.parametrize("suffix", CODECS)
def test_pictures_stay_until_the_next_one_comes(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    film = Film(path, 10.0)
    for time_s, level in ((7.0, 40), (7.52, 120), (7.54, 250), (7.8, 200)):
        film.add(time_s, grey(level))
    assert not path.exists()
    assert film.close() and film.seconds == pytest.approx(0.9)
    assert levels(path) == [40] * 5 + [120] * 3 + [200]
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_only_what_is_shown_is_drawn(tmp_path: Path) -> None:
    film, drawn = Film(tmp_path / "film.avi", 10.0), []
    for index in range(60):
        film.add(index / 30, lambda: drawn.append(1) or grey(100))  # type: ignore[func-returns-value]
    film.close()
    assert len(drawn) == round(film.seconds * 10) == pytest.approx(20, abs=1)


@pytest.mark.parametrize("jump_s", [3600.0, -50.0])
def test_a_clock_that_jumps_is_cut(tmp_path: Path, jump_s: float) -> None:
    film = Film(tmp_path / "film.avi", 10.0, longest_gap_s=2.0)
    for index in range(20):
        film.add(100.0 + index / 10 + (jump_s if index >= 10 else 0.0), grey(10 * index))
    film.close()
    assert film.seconds == pytest.approx(2.0, abs=0.1)


def test_a_film_ends_before_the_disk_is_full_and_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film, free = Film(tmp_path / "film.mp4", 10.0), [RESERVE_BYTES] * 10 + [RESERVE_BYTES - 1]
    monkeypatch.setattr(film_module.shutil, "disk_usage", lambda _folder: Usage(0, 0, free.pop(0)))
    with pytest.raises(FilmFull, match=r"film\.mp4: the disk is nearly full; the film ends after 1 s"):
        for index in range(30):
            film.add(index / 10, grey(100))
    assert film.close()
    assert levels(tmp_path / "film.mp4") == [100] * 11


def test_pictures_that_did_not_reach_the_disk_are_counted(tmp_path: Path) -> None:
    film = Film(tmp_path / "film.avi", 10.0)
    for index in range(10):
        film.add(index / 10, grey(100))
    film._count += 5
    with pytest.raises(SourceError, match="of 15 pictures 10 were written; is there room on the disk"):
        film.close()
    assert not (tmp_path / "film.avi").exists() and (tmp_path / "film.part.avi").exists()


def test_a_film_without_a_picture_is_no_file(tmp_path: Path) -> None:
    assert not Film(tmp_path / "film.webm", 10.0).close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "fault"), [("film.gif", "a video is written as"), ("film", "a video"), ("none/film.mp4", "no folder")]
)
def test_a_name_that_no_film_can_have_is_refused(tmp_path: Path, name: str, fault: str) -> None:
    with pytest.raises(SourceError, match=fault):
        Film(tmp_path / name, 10.0)
