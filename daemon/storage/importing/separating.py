"""The games of a PGN or PDN text, which may hold one after the other."""

from __future__ import annotations

from daemon.storage.importing.movetext import TAG


def games_in(text: str) -> list[str]:
    """The text of each game, at least one; a game begins with its tags. A tag within a comment is none."""
    games: list[list[str]] = [[]]
    moved, in_comment = False, False
    for line in text.splitlines(keepends=True):
        rest = line if in_comment else TAG.sub("", line)
        if moved and rest != line:
            games.append([])
            moved = False
        games[-1].append(line)
        moved = moved or (not rest.lstrip().startswith(("%", ";")) and bool(rest.strip()))
        in_comment = _is_open(rest, in_comment)
    return ["".join(lines) for lines in games]


def _is_open(line: str, in_comment: bool) -> bool:
    """Whether a comment in braces is open after the line."""
    place = 0
    while True:
        mark = "}" if in_comment else "{"
        found = line.find(mark, place)
        if found < 0 or (not in_comment and 0 <= line.find(";", place) < found):
            return in_comment
        in_comment, place = not in_comment, found + 1
