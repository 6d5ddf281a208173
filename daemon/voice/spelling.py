"""Rewrites texts for the voice: cells letter by letter, "d2" as "d, 2", so that they are not read as words.

Numbers stay as digits, which the voice reads in its language; so do letters, which every voice can name once they stand
alone.
"""

from __future__ import annotations

import re

CELL = r"[a-t]\d{1,2}"
"""Cells of boards that name columns by letters."""
PRINTED = r"\d{1,2}[A-O]"
"""Cells of boards that name the row first."""
MOVE = rf"{CELL}(?:[-x]{CELL})*"
LAY = rf"{PRINTED}\d-{PRINTED}\d"
NAMED = re.compile(rf"(?<![\w-])(?:{LAY}|{MOVE}|{PRINTED})(?![\w-])")
PART = re.compile(r"[A-Za-z]|\d+")
TILE = re.compile(r"(?<![\w-])(\d)-(\d)(?![\w-])")
LISTED = re.compile(r"(?<=\d),(?= [a-t], \d)|(?<=[A-O]),(?= \d{1,2}, [A-O]\b)")
"""The comma between two spelled cells."""


def spelled(text: str) -> str:
    """The text with every cell, move and tile rewritten for correct pronunciation."""
    told = TILE.sub("\\1\u2013\\2", NAMED.sub(_letter_by_letter, text))
    return LISTED.sub(";", told)


def _letter_by_letter(found: re.Match[str]) -> str:
    """A cell, or the cells of a move, in parts; the x of a capture is omitted."""
    cells = re.split(r"[-x]", found[0])
    return "; ".join(", ".join(PART.findall(cell)) for cell in cells)
