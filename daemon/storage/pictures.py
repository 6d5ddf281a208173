"""Where the pictures of recorded plies lie: small JPEGs beside the journal, a folder a game.

A picture is named after its ply and the board that was believed then: what was taken back and played otherwise never
lends its picture to another move.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from pathlib import Path

SUFFIX = ".pictures"
LARGEST_BYTES = 1 << 20
"""No picture kept here comes near."""
_GAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_PICTURE = re.compile(r"(\d{1,6})-[0-9a-f]{12}\.jpg")


class Pictures:
    """The pictures of one journal. May be used by several threads and processes at a time."""

    def __init__(self, journal: Path) -> None:
        self.folder = journal.with_name(journal.name + SUFFIX)
        """Beside the journal's file, and named after it."""

    def path(self, game_id: str, ply: int, board: str) -> Path:
        """Where the picture of that board after that ply is, or would be. Raises ValueError for a strange id."""
        digest = hashlib.sha256(board.encode()).hexdigest()[:12]
        return self._folder_of(game_id) / f"{ply}-{digest}.jpg"

    def names(self, game_id: str) -> frozenset[str]:
        """The names of all files kept of a game."""
        try:
            return frozenset(path.name for path in self._folder_of(game_id).iterdir())
        except (OSError, ValueError):
            return frozenset()

    def read(self, game_id: str, ply: int, board: str) -> bytes | None:
        """The JPEG of that board after that ply; None where none is kept."""
        with contextlib.suppress(OSError, ValueError):
            path = self.path(game_id, ply, board)
            if path.stat().st_size <= LARGEST_BYTES:
                return path.read_bytes()
        return None

    def forget(self, game_id: str) -> bool:
        """Removes the pictures of a game; whether none is left."""
        try:
            folder = self._folder_of(game_id)
        except ValueError:
            return True
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    def kept(self) -> list[Path]:
        """Every picture, the oldest game's first, each by ply: in the order in which room is made."""
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
