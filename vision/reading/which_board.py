"""Tells which known board is in a picture, and which drawing of it: 15 or 19 lines, with diagonals or without.

1. A printed board's markers name it at once.
2. Otherwise every board is searched, those first that are quick to find and give the strongest evidence; boards that
   differ only in their number of lines or squares are searched together. A very sure one ends the search.
3. Boards with the same lines are told apart by where men stand: on the squares of one colour in draughts, on those of
   both in chess; on crossings in go, between the lines in reversi. An empty one may be either.
4. All found boards are compared by one measure: the probability of each, from the evidence for and against it. A clear
   lead names the board; otherwise none is named.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

import games
from calibration.arrays import Flags, FloatArray
from calibration.sheet import known_sheets
from calibration.template import BoardTemplate, load_template
from rules import EMPTY
from vision.finding.finder import find_in, proposed
from vision.finding.found import Found, is_ruled
from vision.finding.lattice_evidence import ON_SQUARES, look_at
from vision.finding.lattice_fit import Scene, Views, lines_of, on_points
from vision.finding.markers import find_sheet, name_sheet
from vision.finding.outline import SEARCH_PX
from vision.frame import Image
from vision.pose import BoardPose, pose_from_corners, project, rectify, turned_pose
from vision.primitives.channels import BoardView
from vision.primitives.ridges import cut_chunks, styled_peaks, visible
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
    """Names the board in the picture; a second or two of processor time unless it is a printed one."""
    sheet = _printed_board(image)
    if sheet is not None:
        return Naming(sheet, ())
    candidates: list[Found] = []
    together = searches()
    scene, quads = Scene(image), proposed(image, together[0][0][0])
    for number, families in enumerate(together):
        if progress is not None:
            progress(number, len(together), str(games.find(families[0][0].game).title))
        candidate = _look_for(scene, quads, families)
        if candidate is not None and not any(_have_same_lines(one.template, candidate.template) for one in candidates):
            candidates += _told_by_men(scene, [candidate, *_with_same_lines(candidate)])
            if candidate.sure >= ENOUGH:
                break
    return compared(candidates)


def have_same_cells(one: BoardTemplate, other: BoardTemplate) -> bool:
    """Whether two boards cannot be told apart, such as those of gomoku and go with 19 lines."""
    return _have_same_lines(one, other) and len(one.cells_mm) == len(other.cells_mm)


def _have_same_lines(one: BoardTemplate, other: BoardTemplate) -> bool:
    """Whether two boards are ruled or chequered by as many lines each way, and by nothing else."""
    if kind_of(one)[:1] != kind_of(other)[:1] or kind_of(one)[0] not in ("lines", "squares"):
        return False
    return lines_of(one) == lines_of(other)


def kind_of(template: BoardTemplate) -> tuple[str, ...]:
    """How a board is searched; boards of one kind, but for those with a drawing of their own, are searched together."""
    if template.printed is not None or not (template.first_square or is_ruled(template)):
        return "drawing", template.game
    if template.first_square:
        return ("squares",)
    return "lines", "points" if on_points(template) else "squares"


def _with_same_lines(found: Found) -> list[Found]:
    """The same lines as other boards, whose cells lie elsewhere between them."""
    corners_px = found.pose.corners_px(found.template)
    others = [
        family[0]
        for family in drawings()
        if family[0].game != found.template.game
        and _have_same_lines(family[0], found.template)
        and not have_same_cells(family[0], found.template)
    ]
    poses = [pose_from_corners(corners_px, template) for template in others]
    return [
        dataclasses.replace(found, pose=dataclasses.replace(pose, quality=found.pose.quality), template=template)
        for pose, template in zip(poses, others, strict=True)
    ]


def _told_by_men(scene: Scene, alike: list[Found]) -> list[Found]:
    """Boards with the same lines, each less sure by how much less likely the places of the men are on it."""
    if len(alike) == 1:
        return alike
    if alike[0].template.first_square:
        alike, logs = _by_squares_used(scene.image, alike)
    else:
        logs = _by_places_used(scene, alike)
    odds = np.exp(logs - logs.max()) * np.array([one.sure / max(1 - one.sure, 1e-6) for one in alike])
    return [dataclasses.replace(one, sure=float(now / (1 + now))) for one, now in zip(alike, odds, strict=True)]


def _by_squares_used(image: Image, alike: Sequence[Found]) -> tuple[list[Found], FloatArray]:
    """Chequered boards, each turned as its men suggest, and the log likelihoods of where men are seen on them."""
    squares = max(alike, key=lambda one: len(one.template.cells_mm))
    occupied = _occupied(image, squares)
    most = min(len(one.template.cells_mm) for one in alike)
    told, logs = [], []
    for one in alike:
        # Some people play on the light squares: their board lies turned by a quarter.
        turned = [turned_pose(one.pose, one.template, turn) for turn in (0, 1)]
        seen = [_log_likelihood(occupied, _cells_among(squares, one.template, pose), most) for pose in turned]
        told.append(dataclasses.replace(one, pose=turned[int(np.argmax(seen))]))
        logs.append(float(np.logaddexp.reduce(seen)))
    return told, np.array(logs)


def _occupied(image: Image, found: Found) -> FloatArray:
    """(cells,) probability that a man stands on each: the mean of what is read of a cell alone and among the others.

    Each makes mistakes of its own, and both tell too surely. Men are taken to be flat, as they may be of another game.
    """
    template = dataclasses.replace(found.template, man_height_mm=0.0)
    reader = Reader(template)
    together = reader.read(rectify(image, found.pose, template), 0.0)
    assert reader.cells is not None
    empty = together.letters.index(EMPTY)
    return np.asarray(1 - np.exp(np.stack([reader.cells.logs, together.log_probabilities])[..., empty]).mean(axis=0))


def _cells_among(squares: Found, template: BoardTemplate, pose: BoardPose) -> Flags:
    """(squares,) which of the squares are cells of another board in the same place."""
    places = project(squares.pose.image_from_board, squares.template.cells_mm)
    cells = project(pose.image_from_board, template.cells_mm)
    used: Flags = np.zeros(len(places), dtype=np.bool_)
    used[np.linalg.norm(cells[:, None] - places, axis=2).argmin(axis=1)] = True
    return used


def _log_likelihood(occupied: FloatArray, used: Flags, most: int) -> float:
    """Log likelihood of what is seen on all squares if men stand only on the used ones, and nowhere rather than there.

    Every number of men up to `most` is as likely as any other, and every way to place them.
    """
    shares = np.clip(occupied, MIN_SHARE, 1 - MIN_SHARE)
    log_odds = np.log(shares / (1 - shares))[used]
    ways = np.full(most + 1, -np.inf)  # of each number of men: log of the sum over all ways to place them
    ways[0] = 0.0
    for one in log_odds:
        ways[1:] = np.logaddexp(ways[1:], ways[:-1] + one)
    count = np.arange(most + 1)
    possible = np.array([math.log(math.comb(int(used.sum()), men)) for men in count])
    return float(np.log(1 - shares).sum() + np.logaddexp.reduce(ways - possible))


def _by_places_used(scene: Scene, alike: Sequence[Found]) -> FloatArray:
    """Log probabilities of ruled boards that most men stand on the crossings, or that most stand between the lines.

    A man on a crossing hides all that is drawn there, and also reaches into the squares around it; a man in a square
    hides none of its four crossings.
    """
    crossings, squares = sorted(alike, key=lambda one: not on_points(one.template))
    on_crossings, in_squares = _occupied(scene.image, crossings), _occupied(scene.image, squares)
    hidden = np.asarray(_hidden_crossings(scene.grey, crossings))
    bare = ~(hidden[:-1, :-1] | hidden[:-1, 1:] | hidden[1:, :-1] | hidden[1:, 1:])
    on, between = round(on_crossings[hidden.ravel()].sum()), round(in_squares[bare.ravel()].sum())
    # Before looking, every share of men on crossings is equally likely; this is a beta distribution's tail above half.
    mostly = sum(math.comb(on + between + 1, count) for count in range(on + 1)) / 2 ** (on + between + 1)
    shares = [mostly if one is crossings else 1 - mostly for one in alike]
    return np.asarray(np.log(np.maximum(shares, MIN_SHARE)))


def _hidden_crossings(views: Views, board: Found) -> Flags:
    """(rows, columns) whether nothing is seen of the lines that meet there."""
    columns, rows = lines_of(board.template)
    gaps = np.array(board.template.size_mm) / (columns - 1, rows - 1)
    small_from_lattice = np.linalg.inv(views.image_from_small) @ board.pose.image_from_board @ np.diag([*gaps, 1.0])
    pictures, middle = (views.colours_in_levels, views.grey_in_levels), np.array([columns - 1.0, rows - 1.0]) / 2
    seen: Flags = np.zeros((rows, columns), dtype=np.bool_)
    for evidence in look_at(*pictures, small_from_lattice, middle, ON_SQUARES, max(columns, rows)):
        at = np.indices(evidence.seen.shape).transpose(1, 2, 0) + evidence.origin[::-1]
        inside = ((at >= 0) & (at < (rows, columns))).all(axis=2)
        here: Flags = np.zeros((rows, columns), dtype=np.bool_)
        lines = np.asarray(evidence.arms > 0, dtype=np.bool_).any(axis=2)
        here[tuple(at[inside].T)] = np.asarray(lines)[inside]
        seen = here if here.sum() > seen.sum() else seen  # lines are either dark or light
    return ~seen


def compared(candidates: Sequence[Found]) -> Naming:
    """Ranks candidates of which at most one is really there: each one's probability allows for the others'."""
    odds = np.array([candidate.sure / max(1 - candidate.sure, 1e-6) for candidate in candidates])
    ranked = sorted(zip(candidates, odds / (1 + odds.sum()), strict=True), key=lambda pair: -pair[1])
    boards = [dataclasses.replace(candidate, sure=float(sure)) for candidate, sure in ranked]
    named = boards[0] if boards and boards[0].sure >= NAMED else None
    others = boards[1:] if named is not None else boards
    twins = [] if named is None else _with_same_cells(named)
    return Naming(named, (*twins, *(other for other in others if other.sure >= MIN_WORTH)))


def _with_same_cells(found: Found) -> list[Found]:
    """The same board as that of other games, from which nothing that is seen tells it apart."""
    families = [family for family in drawings() if family[0].game != found.template.game]
    same = [family[0] for family in families if have_same_cells(family[0], found.template)]
    return [dataclasses.replace(found, template=template) for template in same]


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


def searches() -> tuple[tuple[tuple[BoardTemplate, ...], ...], ...]:
    """The families of `drawings` that are searched together, those of one game after the other."""
    groups: dict[tuple[str, ...], list[tuple[BoardTemplate, ...]]] = {}
    for family in drawings():
        groups.setdefault(kind_of(family[0]), []).append(family)
    return tuple(tuple(group) for group in groups.values())


def _look_for(scene: Scene, quads: Sequence[FloatArray], families: Sequence[tuple[BoardTemplate, ...]]) -> Found | None:
    """Finds a board of one of the families, as the drawing whose lines are seen."""
    sizes: list[BoardTemplate] = []
    for family in families:
        if not any(_have_same_lines(family[0], one) for one in sizes):
            sizes.append(family[0])
    found = find_in(scene, quads, sizes)
    return None if found is None else _richest(scene.image, found, families)


def _richest(image: Image, found: Found, families: Sequence[tuple[BoardTemplate, ...]]) -> Found:
    """The board as the drawing of its family whose lines are seen."""
    family = next(family for family in families if family[0].cell_names == found.template.cell_names)
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
