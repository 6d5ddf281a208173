"""Pictures of recorded plies: kept without holding anything up, under a quota, and deleted with their game."""

from __future__ import annotations

import shutil
import stat
import threading
from collections import namedtuple
from pathlib import Path

import cv2
import numpy as np
import pytest

from daemon.config.settings import ConfigError, load_config
from daemon.record import pictures as stored_pictures
from daemon.record.pictures import LONGER_SIDE_PX, MAX_WAITING, PictureKeeper, Pictures, encoded

GAME, OTHER = "20261121T120000-00000001", "20261121T130000-00000002"
BOARD = "B" + "." * 63
RESERVE = 1 << 20


def picture(shade: int = 100, side: int = 700) -> np.ndarray:
    return np.full((side, side + 100, 3), shade, np.uint8)


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    return Pictures(tmp_path / "journal.sqlite")


def kept_with(pictures: Pictures, plies: list[tuple[str, int]], quota_bytes: int = 1 << 30) -> PictureKeeper:
    """Keeps a picture of each of these plies and closes the keeper."""
    keeper = PictureKeeper(pictures, quota_bytes, RESERVE)
    for game_id, ply in plies:
        while keeper._waiting.full():
            threading.Event().wait(0.005)
        keeper.keep(game_id, ply, BOARD, picture(ply % 200))
    keeper.close()
    return keeper


def test_a_small_picture_of_every_ply_is_kept_for_the_owner_alone(pictures: Pictures) -> None:
    keeper = kept_with(pictures, [(GAME, 1), (GAME, 2)])
    jpeg = pictures.read(GAME, 2, BOARD)
    assert jpeg is not None and keeper.left_out == 0
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None and image.shape == (420, LONGER_SIDE_PX, 3) and abs(float(image.mean()) - 2) < 2
    path = pictures.path(GAME, 2, BOARD)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
    assert pictures.names(GAME) == {path.name, pictures.path(GAME, 1, BOARD).name}


def test_a_ply_that_was_played_otherwise_gets_no_picture_of_the_one_taken_back(pictures: Pictures) -> None:
    kept_with(pictures, [(GAME, 3)])
    assert pictures.read(GAME, 3, BOARD) and pictures.read(GAME, 3, "W" + "." * 63) is None
    assert pictures.read(OTHER, 3, BOARD) is None


def test_the_oldest_pictures_make_room_for_the_newest(pictures: Pictures) -> None:
    size = len(encoded(picture()))
    kept_with(pictures, [(GAME, ply) for ply in range(1, 5)])
    kept_with(pictures, [(OTHER, ply) for ply in range(1, 12)], quota_bytes=round(6.5 * size))
    taken = sum(path.stat().st_size for path in pictures.kept())
    assert taken <= 6.5 * size
    assert not pictures.names(GAME) and not (pictures.folder / GAME).exists()
    assert [path.name.partition("-")[0] for path in pictures.kept()][-1] == "11"
    assert pictures.read(OTHER, 1, BOARD) is None


def test_whoever_hands_a_picture_over_never_waits_and_the_oldest_is_left_out(
    pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    real = encoded
    monkeypatch.setattr(stored_pictures, "encoded", lambda image: (go_on.wait(10), real(image))[1])
    keeper = PictureKeeper(pictures, 1 << 30, RESERVE)
    for ply in range(1, 30):
        keeper.keep(GAME, ply, BOARD, picture())
    go_on.set()
    keeper.close()
    assert keeper.left_out >= 29 - MAX_WAITING - 1
    assert pictures.read(GAME, 29, BOARD) is not None


def test_a_clock_that_was_set_back_costs_the_game_being_played_no_picture(pictures: Pictures) -> None:
    kept_with(pictures, [(OTHER, 1), (OTHER, 2)])
    size = sum(one.stat().st_size for one in pictures.kept())
    kept_with(pictures, [(GAME, 1), (GAME, 2)], size)  # by its id the game is the older one
    assert {one.parent.name for one in pictures.kept()} == {GAME} and len(pictures.kept()) == 2


def test_a_disk_that_is_nearly_full_takes_no_picture_and_that_is_told(
    pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(1, 1, RESERVE))
    keeper = kept_with(pictures, [(GAME, 1)])
    assert pictures.kept() == [] and keeper.left_out == 1
    assert keeper._trouble == "the disk is nearly full"


def test_a_folder_that_cannot_be_written_ends_nothing(pictures: Pictures) -> None:
    pictures.folder.write_text("in the way")
    keeper = PictureKeeper(pictures, 1 << 30, RESERVE)
    keeper.keep(GAME, 1, BOARD, picture())
    keeper.keep("../../etc", 1, BOARD, picture())
    pictures.folder.unlink()
    keeper.close()
    assert keeper.left_out >= 1


def test_a_deleted_games_pictures_go_and_a_strange_id_reaches_no_other_folder(pictures: Pictures) -> None:
    kept_with(pictures, [(GAME, 1), (OTHER, 1)])
    assert pictures.forget(GAME) and pictures.read(GAME, 1, BOARD) is None and pictures.read(OTHER, 1, BOARD)
    assert pictures.forget("..") and pictures.forget("") and pictures.folder.exists()
    with pytest.raises(ValueError, match="no id of a game"):
        pictures.path("../x", 1, BOARD)


@pytest.mark.parametrize(("text", "named"), [("pictures = 7", "pictures = 7"), ("pictures_mb = 0", "pictures_mb = 0")])
def test_a_wrong_setting_of_the_pictures_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[journal]\n{text}\n")
    with pytest.raises(ConfigError, match=rf"journal\.{named}"):
        load_config(path)
