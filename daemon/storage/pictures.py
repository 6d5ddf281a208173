"""File layout of the pictures of recorded plies: small JPEGs beside the journal, one folder per game.

A picture's name holds its ply and a hash of the board believed then: a ply that was taken back and replayed differently
never shows the picture of the other move.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from pathlib import Path

SUFFIX = ".pictures"
MAX_BYTES = 1 << 20
"""Bytes; pictures kept here are far smaller."""
_GAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_PICTURE = re.compile(r"(\d{1,6})-[0-9a-f]{12}\.jpg")


class Pictures:
    """The pictures of one journal. Several threads and processes may use it at once."""

    def __init__(self, journal: Path) -> None:
        self.folder = journal.with_name(journal.name + SUFFIX)
        """Folder beside the journal's file, named after it."""

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
        return [path for folder in folders for path in sorted(_pictures_in(folder), key=_ply_of)]

    def _folder_of(self, game_id: str) -> Path:
        if _GAME.fullmatch(game_id) is None:
            raise ValueError(f"{game_id[:80]!r} is no id of a game")
        return self.folder / game_id


def _pictures_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if _PICTURE.fullmatch(path.name)]
    except OSError:
        return []


def _ply_of(path: Path) -> int:
    return int(path.name.partition("-")[0])
