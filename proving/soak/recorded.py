"""How far the plies of a record are those that were made on the table."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Compared:
    """What became of the plies that were made."""

    missed: int
    """Plies in whose place nothing was recorded, or nothing that led back to a board that stood there."""
    assumed: int
    """Plies that were recorded in another order, or with another capture, than they were made, as many as were made
    between two boards that were: they came in one look, and nobody who looks then can tell."""


def compare(made: Sequence[str], kept: Sequence[str], *, whole: bool = True) -> Compared:
    """Compares the boards after each ply that was made, the start's first, with those of the record.

    `whole` is whether the record must reach as far as what was made.
    """
    kept = [board for number, board in enumerate(kept) if number == 0 or board != kept[number - 1]]
    missed = assumed = 0
    for what, begin, end, first, last in difflib.SequenceMatcher(None, made, kept, autojunk=False).get_opcodes():
        if what not in ("delete", "replace"):
            continue
        plies, instead = end - begin, last - first
        if end == len(made):
            missed += plies if whole else 0
        else:
            missed += max(0, plies - instead)
            assumed += min(plies, instead)
    return Compared(missed, assumed)
