"""A book as a file: JSON lines, in the game's own notation.

The first line says which game and rules, and how many positions each search visited. Every other line is a position:
its `key`, a `line` of moves that leads to it, and its good `moves`, best first, each by the columns of the first line:

    ["c3", 35, 20, 14]      move, score by the whole book, score by its own search, plies of that search

Scores are the mover's, in the unit of the game's search.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.books import BookError
from system.named_files import read_text
from system.numbers import whole

FORMAT = "kibitzer opening book 1"
COLUMNS = ("move", "score", "searched", "depth")
MAX_BYTES = 64 << 20


@dataclasses.dataclass(frozen=True)
class BookMove:
    move: str
    score: int
    """By all positions of the book that follow."""
    searched: int
    depth: int
    """Plies of that search, the move itself included."""


@dataclasses.dataclass(frozen=True)
class Entry:
    line: tuple[str, ...]
    """Moves that lead to it, in one of its symmetries; its own moves belong to the same."""
    moves: tuple[BookMove, ...]
    """Its good moves, best first; of moves that lead to the same position up to symmetry, one."""


@dataclasses.dataclass(frozen=True)
class Book:
    game: str
    rules: Mapping[str, str]
    nodes: int
    entries: Mapping[str, Entry]
    """By `agents.books.opening.Keys.key`."""


def write(path: Path, book: Book) -> None:
    """Writes through a file beside it, so that nobody reads half a book. Raises OSError."""
    head = {"format": FORMAT, "game": book.game, "rules": dict(book.rules), "nodes": book.nodes, "columns": COLUMNS}
    lines: list[dict[str, object]] = [head]
    for key, entry in book.entries.items():
        moves = [list(dataclasses.astuple(move)) for move in entry.moves]
        lines.append({"key": key, "line": " ".join(entry.line), "moves": moves})
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: Path) -> Book:
    """The book in a file. Raises BookError naming the file and the line."""
    try:
        lines = read_text(path, MAX_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{path} cannot be read: {error}") from None
    found: Any
    entries: dict[str, Entry] = {}
    book = Book("", {}, 0, entries)
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
            if number == 1:
                book = _book(found, entries)
            else:
                entries[str(found["key"])] = _entry(found)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BookError(f"{path}, line {number} is damaged: {error!r}") from None
    if not lines:
        raise BookError(f"{path} is empty")
    return book


def _book(found: Any, entries: dict[str, Entry]) -> Book:
    if found["format"] != FORMAT or tuple(found["columns"]) != COLUMNS:
        raise ValueError(f"the format is {found['format']!r}, not {FORMAT!r}")
    rules = {str(name): str(value) for name, value in found["rules"].items()}
    return Book(str(found["game"]), rules, whole(found["nodes"]), entries)


def _entry(found: Any) -> Entry:
    moves = tuple(
        BookMove(str(move), whole(score), whole(own), whole(depth)) for move, score, own, depth in found["moves"]
    )
    if not moves:
        raise ValueError("a position without a move")
    return Entry(tuple(str(found["line"]).split()), moves)
