"""A recorded game as one file for download, in any format."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import NamedTuple

from daemon.storage.exporting.formats import check, to_json
from daemon.storage.exporting.played import play_again
from daemon.storage.reviews import Review
from daemon.storage.stored_game import StoredGame

KINDS = {
    "sgf": "application/x-go-sgf",
    "moves": "application/vnd.chess-pgn",
    "pgn": "application/vnd.chess-pgn",
    "pdn": "text/plain",
    "json": "application/json",
    "png": "image/png",
    "annotations": "application/zip",
}
"""Media types by format; all others are plain text."""
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""Date of every file in a zip, so that the same game gives the same bytes."""


class Download(NamedTuple):
    """One file to download."""

    name: str
    kind: str
    """The media type."""
    content: bytes


def download(stored: StoredGame, format_name: str, review: Review | None = None) -> Download:
    """The game in that format, with a review as its comments; the annotations folder becomes a zip file.

    Raises ExportError.
    """
    chosen = check(format_name, stored.game)
    suffix = ".zip" if format_name == "annotations" else chosen.suffixes[0]
    return Download(
        f"kibitzer-{stored.game_id}{suffix}",
        KINDS.get(format_name, "text/plain"),
        _content(stored, format_name, review),
    )


def _content(stored: StoredGame, name: str, review: Review | None) -> bytes:
    if name == "json":
        return to_json(stored, review).encode()
    played = play_again(stored, review)
    if name == "png":
        from daemon.storage.exporting.strip import strip_png  # needs what draws letters, which is slow to import

        return strip_png(played)
    if name == "annotations":
        from daemon.storage.exporting.tile_files import tile_files  # imports a game, which may not be the one played

        return _zipped(tile_files(played))
    writer = check(name, stored.game).write
    assert writer is not None
    return writer(played).encode()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, one in sorted(files.items()):
            file.writestr(zipfile.ZipInfo(name, _FIRST_DAY), one)
    return content.getvalue()
