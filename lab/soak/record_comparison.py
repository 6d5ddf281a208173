"""Compares a record's plies with the plies made on the table."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Compared:
    missed: int
    """Plies with nothing recorded in their place, or nothing that led back to a board that stood there."""
    assumed: int
    """Plies recorded in another order or with another capture, in equal number between two true boards: they appeared
    in one look, and no observer could tell the order."""


def compare(made: Sequence[str], kept: Sequence[str], *, whole: bool = True) -> Compared:
    """Compares the true boards, the start's first and then one per ply, with those of the record.

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
