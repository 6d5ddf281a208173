"""Texts as a voice must read them: cells letter by letter, "d2" as "d, 2", so that nobody hears a word.

The number is left to the voice, which says it in its language; so is the letter, whose name every voice knows once it
stands alone.
"""

from __future__ import annotations

import re

CELL = r"[a-t]\d{1,2}"
"""Of boards whose columns are letters."""
PRINTED = r"\d{1,2}[A-O]"
"""Of boards that name the row first."""
MOVE = rf"{CELL}(?:[-x]{CELL})*"
LAY = rf"{PRINTED}\d-{PRINTED}\d"
NAMED = re.compile(rf"(?<![\w-])(?:{LAY}|{MOVE}|{PRINTED})(?![\w-])")
PART = re.compile(r"[A-Za-z]|\d+")
TILE = re.compile(r"(?<![\w-])(\d)-(\d)(?![\w-])")
LISTED = re.compile(r"(?<=\d),(?= [a-t], \d)|(?<=[A-O]),(?= \d{1,2}, [A-O]\b)")
"""The comma between two cells that were spelled."""


def spelled(text: str) -> str:
    """The text with every cell, move and tile written so that it is heard right."""
    told = TILE.sub("\\1\u2013\\2", NAMED.sub(_letter_by_letter, text))
    return LISTED.sub(";", told)


def _letter_by_letter(found: re.Match[str]) -> str:
    """A cell, or the cells of a move, in parts; the x of a capture is not read."""
    cells = re.split(r"[-x]", found[0])
    return "; ".join(", ".join(PART.findall(cell)) for cell in cells)
