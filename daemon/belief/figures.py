"""Where it is seen which piece stands where: of lines that show the same board it tells which is right.

What one look decides stays decided, until another decides otherwise: the piece may be taken, or not looked at again.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from daemon.belief.costs import BELIEVE_NATS, HOPELESS_NATS, RARE_NATS, TENFOLD_NATS
from daemon.belief.line import Line
from daemon.belief.look import Evidence
from rules import EMPTY, AnyGame, Figures, figures_of
from rules.turns import changed_cells
from vision.reading.arrangements import Arrangements
from vision.reading.board_reading import SeenFigures

KNOWN = 0.8
"""Least share of pieces named right in a set that the eye knows; of men that all look like pawns to it, half."""


def told_apart(game: AnyGame, evidence: Evidence, lines: Iterable[Line]) -> list[Line]:
    """The lines, less likely where the pieces seen contradict them rather than another that shows the same board.

    Those that nobody has gone on from are not weighed yet.
    """
    lines, seen = list(lines), evidence.reading.figures
    if seen is None or not isinstance(game, Figures):
        return lines
    alike: dict[object, list[Line]] = {}
    for line in lines:
        key = (game.board(line.position), line.shown, game.to_move(line.position))
        alike.setdefault(id(line) if line.unproved else key, []).append(line)
    return [one for same in alike.values() for one in _told_apart(game, seen, same)]


def _told_apart(game: AnyGame, seen: SeenFigures, lines: Sequence[Line]) -> Sequence[Line]:
    boards = [figures_of(game, line.position) for line in lines] if len(lines) > 1 else []
    cells = [cell for cell, letters in enumerate(zip(*boards, strict=True)) if len(set(letters)) > 1]
    if not cells or not is_known(seen, boards[0], cells):
        return lines
    logs = seen.log_probabilities
    nats = [-float(sum(logs[cell, seen.letters.index(board[cell])] for cell in cells)) for board in boards]
    least, right = min(zip(nats, boards, strict=True))
    others = min(one for one, board in zip(nats, boards, strict=True) if any(board[at] != right[at] for at in cells))
    # A piece that looks like none of them, such as the pawn that is still to be exchanged, tells nothing.
    if others - least < TENFOLD_NATS + BELIEVE_NATS or any(seen.board[cell] != right[cell] for cell in cells):
        return lines
    bare = [line.prior - line.by_figures for line in lines]
    told = [prior + min(one - least, HOPELESS_NATS) for prior, one in zip(bare, nats, strict=True)]
    shift = min(line.prior for line in lines) - min(told)  # together they are as likely as before
    return [
        dataclasses.replace(line, prior=one + shift, by_figures=one + shift - prior)
        for line, one, prior in zip(lines, told, bare, strict=True)
    ]


def misplaced(game: AnyGame, evidence: Evidence, position: Any, *, again: bool = False) -> str:
    """The figures seen, where they surely contradict those of a position whose board is right; else empty.

    Each two pieces exchanged are as rare as anything that hands seldom do; what was told already stays so as long as it
    is likelier (`again`). More contradictions than a set that the eye knows can have are the eye's.
    """
    if not isinstance(game, Figures) or evidence.reading.figures is None or evidence.unsure:
        return ""
    weighed, own = Arrangements(game, evidence.reading), figures_of(game, position)
    seen = next(itertools.chain(weighed.likeliest(), [own]))
    if not is_known(evidence.reading.figures, own, ()):
        return ""
    rare = 0.0 if again else RARE_NATS * len(changed_cells(own, seen)) / 2 + BELIEVE_NATS
    return seen if weighed.nats(own) - weighed.nats(seen) > rare else ""


def is_known(seen: SeenFigures, figures: str, asked: Collection[int]) -> bool:
    """Whether the eye knows this set of pieces: of most that are not asked about it says what they are."""
    others = [cell for cell, letter in enumerate(figures) if letter != EMPTY and cell not in asked]
    men = sum(letter != EMPTY for letter in figures)
    return 2 * len(others) > men and sum(seen.board[cell] == figures[cell] for cell in others) >= KNOWN * len(others)


def are_checked(game: AnyGame, evidence: Evidence | None, position: Any) -> bool:
    """Whether it is seen without doubt that each piece of a position stands where it should."""
    if evidence is None or evidence.unsure or evidence.reading.figures is None or not isinstance(game, Figures):
        return False
    own = figures_of(game, position)
    return is_known(evidence.reading.figures, own, ()) and not Arrangements(game, evidence.reading).doubtful(own)
