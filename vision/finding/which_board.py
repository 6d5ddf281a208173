"""Tells which known board is in a picture, and which drawing of it: 15 or 19 lines, with diagonals or without.

1. A printed board's markers name it at once.
2. Otherwise every board is searched, those first that are quick to find and give the strongest evidence; a very sure
   one ends the search.
3. All found boards are compared by one measure: the probability of each, from the evidence for and against it. A clear
   lead names the board; otherwise none is named.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import games
from calibration.sheet import known_sheets
from calibration.template import BoardTemplate, load_template
from vision.finding.confidence import is_ruled
from vision.finding.finder import find_drawn, surely
from vision.finding.found import Found
from vision.finding.markers import find_sheet, name_sheet
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.channels import shrink_to_board
from vision.primitives.ridges import cut_chunks, rectified_grey, styled_peaks, visible

ENOUGH = 0.97
"""Probability of a board from which the search stops."""
NAMED = 0.6
"""Probability from which the likeliest board is named."""
RUNS_SEEN = 0.5
"""Share of the lines particular to one drawing of a board that must be seen to choose this drawing."""
LINE_SEEN = 0.35
"""Share of a line that must be seen for it to count as drawn: pieces hide some of it."""
SEARCH_PX = 8
MIN_WORTH = 0.02
"""Probability from which a runner-up is mentioned."""

Progress = Callable[[int, int, str], None]
"""Called with the steps done, the most steps there can be, and the board being searched."""


@dataclasses.dataclass(frozen=True, eq=False)
class Naming:
    """Which board is in a picture."""

    board: Found | None
    """None where no board has a clear lead."""
    others: tuple[Found, ...]
    """Other candidates, the likeliest first."""


def name_board(image: Image, progress: Progress | None = None) -> Naming:
    """Names the board in the picture; 3 to 10 seconds unless it is a printed one."""
    sheet = _printed_board(image)
    if sheet is not None:
        return Naming(sheet, ())
    candidates: list[Found] = []
    families = drawings()
    for number, family in enumerate(families):
        if progress is not None:
            progress(number, len(families), str(games.find(family[0].game).title))
        candidate = _look_for(image, family)
        if candidate is not None:
            candidates.append(candidate)
            if candidate.sure >= ENOUGH:
                break
    return compared(candidates)


def compared(candidates: Sequence[Found]) -> Naming:
    """Ranks candidates of which at most one is really there: each one's probability allows for the others'."""
    odds = np.array([candidate.sure / max(1 - candidate.sure, 1e-6) for candidate in candidates])
    ranked = sorted(zip(candidates, odds / (1 + odds.sum()), strict=True), key=lambda pair: -pair[1])
    boards = [dataclasses.replace(candidate, sure=float(sure)) for candidate, sure in ranked]
    named = boards[0] if boards and boards[0].sure >= NAMED else None
    others = boards[1:] if named is not None else boards
    return Naming(named, tuple(other for other in others if other.sure >= MIN_WORTH))


@functools.cache
def drawings() -> tuple[tuple[BoardTemplate, ...], ...]:
    """All known boards in the order of the search, except those whose template says `marked_only`.

    Drawings with the same cells are grouped, the one with fewest lines first: its pose is the others' pose too.
    """
    names = {(game, frozenset[str]()) for game in games.names()}
    names |= {name.game_and_options for name in known_sheets().values()}
    families: dict[tuple[str, int], list[BoardTemplate]] = {}
    for game, options in sorted(names, key=lambda name: (name[0], sorted(name[1]))):
        template = load_template(game, options)
        if not template.source.get("marked_only"):
            families.setdefault((game, len(template.cell_names)), []).append(template)
    ordered = sorted(families.values(), key=lambda family: _rank(family[0]))
    return tuple(tuple(sorted(family, key=lambda one: len(one.lines_mm))) for family in ordered)


def _rank(template: BoardTemplate) -> tuple[int, int, str]:
    """Rank in the search.

    Prints and squares match fastest; the largest lattice cannot be a part of another; outlines are slow.
    """
    kind = 0 if template.printed is not None or template.first_square else 1 if is_ruled(template) else 2
    return kind, -len(template.cell_names) if kind == 1 else len(template.cell_names), template.game


def _printed_board(image: Image) -> Found | None:
    name = name_sheet(image)
    found = None if name is None else find_sheet(image, load_template(*name.game_and_options))
    return None if found is None else surely(image, Found(found[0], found[1].template, found[1], "markers"))


def _look_for(image: Image, family: tuple[BoardTemplate, ...]) -> Found | None:
    """Finds a board of the family, as the drawing whose lines are seen."""
    found = find_drawn(image, family[0])
    if found is None:
        return None
    for richer in family[1:]:
        shaped = richer.with_shape(found.template.shape) if richer.shape else richer
        more = np.array([not _is_in(line, family[0].with_shape(shaped.shape)) for line in shaped.lines_mm])
        if _seen_runs(image, found.pose, shaped, more) >= RUNS_SEEN:
            found = dataclasses.replace(found, template=shaped)
    return found


def _is_in(line: NDArray[np.float64], template: BoardTemplate) -> bool:
    return bool(np.isclose(template.lines_mm, line, atol=1e-6).all(axis=(1, 2)).any())


def _seen_runs(image: Image, pose: BoardPose, template: BoardTemplate, which: NDArray[np.bool_]) -> float:
    """Share, 0 to 1, of the template lines selected by `which` that are seen in the style of the others."""
    small, small_from_image = shrink_to_board(image, pose.image_from_board, template)
    grey = rectified_grey(small, small_from_image @ pose.image_from_board, template)
    chunks = cut_chunks(template)
    asked = which[chunks.segment]
    _, _, heights, noise = styled_peaks(grey, chunks, SEARCH_PX)
    # All lines of a board are drawn in the same style: the others show it.
    clear = heights > visible(heights[~asked], noise)
    shares = np.bincount(chunks.segment, weights=clear) / np.bincount(chunks.segment)
    return float((shares[which] > LINE_SEEN).mean())
