"""Tells which known board is in a picture, and which drawing of it: 15 or 19 lines, with diagonals or without.

1. A printed board's markers name it at once.
2. Otherwise every board is searched, those first that are quick to find and give the strongest evidence; a very sure
   one ends the search.
3. Boards with the same lines, such as those of reversi and of go with nine lines, are told apart by the men: taken for
   the wrong one, they lie across its cells.
4. All found boards are compared by one measure: the probability of each, from the evidence for and against it. A clear
   lead names the board; otherwise none is named.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np

import games
from calibration.arrays import Flags, FloatArray
from calibration.sheet import known_sheets
from calibration.template import BoardTemplate, load_template
from rules import EMPTY
from vision.finding.finder import find_drawn
from vision.finding.found import Found, is_ruled
from vision.finding.lattice_fit import lines_of
from vision.finding.markers import find_sheet, name_sheet
from vision.finding.outline import SEARCH_PX
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, rectify
from vision.primitives.channels import BoardView
from vision.primitives.ridges import cut_chunks, styled_peaks, visible
from vision.reading.board_reading import BoardReading
from vision.reading.heads import MIN_SHARE
from vision.reading.reader import Reader

ENOUGH = 0.97
"""Probability of a board from which the search stops."""
NAMED = 0.6
"""Probability from which the likeliest board is named."""
RUNS_SEEN = 0.5
"""Share of the lines particular to one drawing of a board that must be seen to choose this drawing."""
LINE_SEEN = 0.35
"""Share of a line that must be seen for it to count as drawn: pieces hide some of it."""
MIN_WORTH = 0.02
"""Probability from which a runner-up is mentioned."""

Progress = Callable[[int, int, str], None]
"""Called with the steps done, the most steps there can be, and the board being searched."""


@dataclasses.dataclass(frozen=True, eq=False)
class Naming:
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
        if any(_have_same_lines(family[0], one.template) for one in candidates):
            continue
        if progress is not None:
            progress(number, len(families), str(games.find(family[0].game).title))
        candidate = _look_for(image, family)
        if candidate is not None:
            alike = [candidate, *_with_same_lines(candidate, families)]
            candidates += _told_by_men(image, alike) if len(alike) > 1 else alike
            if candidate.sure >= ENOUGH:
                break
    return compared(candidates)


def have_same_cells(one: BoardTemplate, other: BoardTemplate) -> bool:
    """Whether two boards cannot be told apart, such as those of gomoku and go with 19 lines."""
    return _have_same_lines(one, other) and len(one.cells_mm) == len(other.cells_mm)


def _have_same_lines(one: BoardTemplate, other: BoardTemplate) -> bool:
    """Whether two boards are ruled by as many lines each way, and by nothing else."""
    if any(template.first_square or not is_ruled(template) for template in (one, other)):
        return False
    return lines_of(one) == lines_of(other)


def _with_same_lines(found: Found, families: Sequence[tuple[BoardTemplate, ...]]) -> list[Found]:
    """The same lines as other boards, whose cells lie elsewhere between them."""
    corners_px = found.pose.corners_px(found.template)
    others = [
        family[0]
        for family in families
        if _have_same_lines(family[0], found.template) and not have_same_cells(family[0], found.template)
    ]
    poses = [pose_from_corners(corners_px, template) for template in others]
    return [
        dataclasses.replace(found, pose=dataclasses.replace(pose, quality=found.pose.quality), template=template)
        for pose, template in zip(poses, others, strict=True)
    ]


def _told_by_men(image: Image, alike: Sequence[Found]) -> list[Found]:
    """Boards with the same lines, each less sure by how much less certainly its cells are read than another's."""
    readings = [Reader(one.template).read(rectify(image, one.pose, one.template), 0.0) for one in alike]
    if not any(set(reading.board) - {EMPTY} for reading in readings):
        return list(alike)  # an empty board may be either
    logs = np.array([_certainty(reading) for reading in readings])
    odds = np.exp(logs - logs.max()) * [one.sure / max(1 - one.sure, 1e-6) for one in alike]
    return [dataclasses.replace(one, sure=float(now / (1 + now))) for one, now in zip(alike, odds, strict=True)]


def _certainty(reading: BoardReading) -> float:
    """Logarithm of the probability that every cell shows what was read, and something known."""
    known = 1.0 if reading.unknown is None else np.clip(1 - reading.unknown, MIN_SHARE, 1)
    return float(np.log(reading.confidence * known).sum())


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
    return None if found is None else Found(found[0], found[1].template, found[1], "markers").believed(image)


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


def _is_in(line: FloatArray, template: BoardTemplate) -> bool:
    return bool(np.isclose(template.lines_mm, line, atol=1e-6).all(axis=(1, 2)).any())


def _seen_runs(image: Image, pose: BoardPose, template: BoardTemplate, which: Flags) -> float:
    """Share, 0 to 1, of the template lines selected by `which` that are seen in the style of the others."""
    grey = BoardView.clearest(image, pose, template).rectified()
    chunks = cut_chunks(template)
    asked = which[chunks.segment]
    _, _, heights, noise = styled_peaks(grey, chunks, SEARCH_PX)
    # All lines of a board are drawn in the same style: the others show it.
    clear = heights > visible(heights[~asked], noise)
    shares = np.bincount(chunks.segment, weights=clear) / np.bincount(chunks.segment)
    return float((shares[which] > LINE_SEEN).mean())
