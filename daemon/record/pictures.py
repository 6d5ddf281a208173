"""Small pictures of the board for every ply: JPEGs beside the journal, one folder per game.

A picture's name holds its ply and a hash of the board believed then: a ply that was taken back and replayed differently
never shows the picture of the other move. Whoever keeps one only hands it over; a thread shrinks, encodes and writes it
once the ply is on the disk. Pictures are optional: if the disk is full or slow they are skipped, and the game goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import queue
import re
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from calibration.atomic_file import write_private
from daemon.words.translation import worded
from vision.frame import Image

LOGGER = logging.getLogger(__name__)
LONGER_SIDE_PX = 480
JPEG_QUALITY = 75
MAX_WAITING = 8
CLOSE_S = 3.0
SUFFIX = ".pictures"
MAX_BYTES = 1 << 20
"""Bytes; pictures kept here are far smaller."""
_GAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_PICTURE = re.compile(r"(\d{1,6})-[0-9a-f]{12}\.jpg")


class Pictures:
    """The pictures of one journal. Several threads and processes may use it at once."""

    def __init__(self, journal: Path) -> None:
        self.folder = journal.with_name(journal.name + SUFFIX)

    def path(self, game_id: str, ply: int, board: str) -> Path:
        """Path of the picture for that ply and board, existing or not. Raises ValueError for an invalid id."""
        digest = hashlib.sha256(board.encode()).hexdigest()[:12]
        return self._folder_of(game_id) / f"{ply}-{digest}.jpg"

    def names(self, game_id: str) -> frozenset[str]:
        try:
            return frozenset(path.name for path in self._folder_of(game_id).iterdir())
        except (OSError, ValueError):
            return frozenset()

    def read(self, game_id: str, ply: int, board: str) -> bytes | None:
        """The JPEG for that ply and board; None if there is none."""
        with contextlib.suppress(OSError, ValueError):
            path = self.path(game_id, ply, board)
            if path.stat().st_size <= MAX_BYTES:
                return path.read_bytes()
        return None

    def forget(self, game_id: str) -> bool:
        """Removes the pictures of a game; returns whether none is left."""
        try:
            folder = self._folder_of(game_id)
        except ValueError:
            return True
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    def kept(self) -> list[Path]:
        """All pictures in deletion order: oldest game first, then by ply."""
        try:
            folders = sorted(path for path in self.folder.iterdir() if path.is_dir() and not path.is_symlink())
        except OSError:
            return []
        return [
            path
            for folder in folders
            for path in sorted(_pictures_in(folder), key=lambda one: int(one.name.partition("-")[0]))
        ]

    def _folder_of(self, game_id: str) -> Path:
        if _GAME.fullmatch(game_id) is None:
            raise ValueError(f"{game_id[:80]!r} is no id of a game")
        return self.folder / game_id


def _pictures_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if _PICTURE.fullmatch(path.name)]
    except OSError:
        return []


class QueuedPicture(NamedTuple):
    game_id: str
    ply: int
    board: str
    image: Image


class PictureKeeper:
    """Writes pictures in its own thread. Every method is thread-safe, and `keep` never blocks."""

    def __init__(self, pictures: Pictures, quota_bytes: int, reserve_bytes: int) -> None:
        """Deletes the oldest pictures when all exceed `quota_bytes`, and leaves `reserve_bytes` of the disk free."""
        self._pictures, self._quota_bytes, self._reserve_bytes = pictures, quota_bytes, reserve_bytes
        self._waiting: queue.Queue[QueuedPicture | None] = queue.Queue(MAX_WAITING)
        self._taken_bytes = 0
        self._trouble = ""
        self.left_out = 0
        """Pictures skipped because too many were waiting or writing failed."""
        self._thread = threading.Thread(target=self._run, name="pictures", daemon=True)
        self._thread.start()

    def keep(self, game_id: str, ply: int, board: str, image: Image) -> None:
        """Queues a picture for writing; nobody may modify it afterwards."""
        with contextlib.suppress(queue.Full):
            if self._waiting.full():
                with contextlib.suppress(queue.Empty):
                    self._waiting.get_nowait()
                    self.left_out += 1
            self._waiting.put_nowait(QueuedPicture(game_id, ply, board, image))

    def status(self) -> dict[str, object]:
        """For the health page; missing pictures do not count as a fault."""
        alive = self._thread.is_alive()
        figures = {"number": round(self._taken_bytes / 1e6), "most": round(self._quota_bytes / 1e6)}
        text = self._trouble or worded("{number} MB of {most} MB", **figures)
        return {"ok": alive, "text": text if alive else worded("the thread that keeps them has ended")}

    def close(self) -> None:
        """Writes the waiting pictures, as far as time allows."""
        with contextlib.suppress(queue.Full):
            self._waiting.put(None, timeout=CLOSE_S)
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        try:
            self._taken_bytes = sum(_size(path) for path in self._pictures.kept())
            while (kept := self._waiting.get()) is not None:
                self._write(kept)
        except Exception:
            LOGGER.exception("pictures are not kept any more")

    def _write(self, kept: QueuedPicture) -> None:
        """Writes a picture, readable by its owner only, whole or not at all."""
        try:
            jpeg = encoded(kept.image)
            path = self._pictures.path(kept.game_id, kept.ply, kept.board)
            self._pictures.folder.mkdir(mode=0o700, exist_ok=True)
            if shutil.disk_usage(self._pictures.folder).free < self._reserve_bytes + len(jpeg):
                raise OSError("the disk is nearly full")
            self._taken_bytes -= _size(path)
            self._make_room(len(jpeg), path)
            write_private(path, jpeg)
            self._taken_bytes += len(jpeg)
            self._trouble = ""
        except (OSError, ValueError, cv2.error) as error:
            self.left_out += 1
            why = getattr(error, "strerror", None) or str(error)
            if self._trouble != why:
                LOGGER.warning("the picture of ply %d of %s is not kept: %s", kept.ply, kept.game_id, why)
            self._trouble = why

    def _make_room(self, size: int, path: Path) -> None:
        if self._taken_bytes + size <= self._quota_bytes:
            return
        # The pictures of this game come last, whatever the computer's clock said when each game began.
        kept = sorted((one for one in self._pictures.kept() if one != path), key=lambda one: one.parent == path.parent)
        self._taken_bytes = make_room(kept, self._quota_bytes - size)  # other code deletes games, too
        for folder in {one.parent for one in kept}:
            with contextlib.suppress(OSError):
                folder.rmdir()  # if it is empty now


def make_room(files: Sequence[Path], most_bytes: int) -> int:
    """Deletes the first files until the others have at most so many bytes; returns how many they have."""
    taken_bytes = sum(map(_size, files))
    for file in files:
        if taken_bytes <= most_bytes:
            break
        taken_bytes -= _size(file)
        file.unlink(missing_ok=True)
    return taken_bytes


def encoded(image: Image) -> bytes:
    """The picture as a small JPEG. Raises ValueError if encoding fails."""
    scale = LONGER_SIDE_PX / max(image.shape[:2])
    if scale < 1:
        size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done or data.size > MAX_BYTES:
        raise ValueError("the picture cannot be written as JPEG")
    return data.tobytes()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
