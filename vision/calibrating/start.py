"""Learns a table from a board whose content is known: the start of the game, with men on it.

Nobody has to say that the board lies ready: it must look so. Every known cell is read by what the others tell, and a
board on which one is read as something else teaches nothing. So a man that is missing, a board set up otherwise, or
men that cannot be told apart are noticed. Boards may lie any way round: the way in which the cells fit best counts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal

import cv2
import numpy as np

from calibration.arrays import Flags, FloatArray, Indices, Patches
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.calibrate import varied_patch
from vision.calibrating.verdict import MIN_BOARDS, Expectation
from vision.frame import Image
from vision.pose import project, turns_of
from vision.reading.cells import cut_patches
from vision.reading.descriptors import load_descriptor
from vision.reading.heads import GENERIC, judge, load_generic
from vision.reading.leaning import Leaning, leaning_men
from vision.reading.plda import BoardMeans
from vision.reading.reader import DescribedCells
from vision.reading.taught import WITNESSES, CellFeatures, Taught, features_of, square_colours

SHARE = 0.4
"""Share of the cells over which a shadow lies."""
LENGTH, WIDTH = (0.5, 1.3), 0.8
"""Of a shadow, in distances between cells and in men's diameters."""
LEFT = 0.5, 0.9
"""Grey value in a shadow, relative to that in the light."""
SOFT = 0.03, 0.12
"""Blur of its edge, in distances between cells."""


def shaded(rectified: Image, template: BoardTemplate, chance: np.random.Generator) -> Image:
    """The picture with shadows at random cells, all of one lamp."""
    left = np.ones(rectified.shape[:2], dtype=np.float32)
    pitch_px, man_px = (length * template.pixels_per_mm for length in (template.pitch_mm, template.man_diameter_mm))
    turn, length_px, dark = chance.uniform(0, 360), chance.uniform(*LENGTH) * pitch_px, chance.uniform(*LEFT)
    for place in project(template.rectified_from_board, template.cells_mm):
        if chance.random() < SHARE:
            x, y = chance.normal(place, 0.3 * pitch_px)
            box = (float(x), float(y)), (float(length_px), WIDTH * man_px), float(turn)
            cv2.ellipse(left, box, (float(dark),), -1)
    left = np.asarray(cv2.GaussianBlur(left, (0, 0), float(chance.uniform(*SOFT)) * pitch_px), dtype=np.float32)
    return np.asarray(np.rint(rectified * left[..., None]), dtype=np.uint8)


MIN_MEN = 2
"""Fewest pieces of each side on a board that teaches: each is judged by the others."""
EVEN = 0.25
"""Weight of every witness while it is not known how right each is."""
WEIGHTS = (0.0, 0.03, 0.06, 0.125, 0.25, 0.5, 1.0)
ROUNDS = 3
VARIANTS = 2
"""Copies of every cell, slightly displaced and in other light, by which the witnesses are weighed; where men are tall,
one more with shadows."""
MAX_UNLIKE = 0.2
"""Greatest share of the cells of which the network thinks otherwise; it has never seen most kinds of men."""
MAX_SUSPECT, MAX_ODD = 0.1, 0.03
"""Greatest shares of the cells that the others contradict, though not clearly: while every witness counts the same, and
once it is known how right each is; between the two, the boards must be read as well as by a calibration."""
CLEARLY_NATS = 2.0
"""Nats by which a single cell may not look more like another class."""
HIDDEN = 0.6
"""Share of a cell, where most is seen of it, below which men in front hide it."""
HEADS, MIN_HEADS = 0.4, 4
"""Share of the men at whose heads the network sees a man if they are tall, and fewest men by which that is decided; on
simulated tables 0 to 0.45 of flat men, 0.3 to 1 of chessmen."""
NEARLY_ALIKE = 1
"""Cells by which another board to which play may have led must be less like what is seen. A ply changes two cells or
more, or in some games one."""
MAX_PLAYED_ON = 0.1
"""Greatest share of the cells that may have changed while nobody watched, by plies made then."""
LUMINANCE = np.array([0.0722, 0.7152, 0.2126])
"""Shares of blue, green and red light in how light a colour is (ITU-R BT.709)."""


@dataclasses.dataclass(frozen=True, eq=False)
class Lesson:
    taught: Taught
    turn: int
    """Number of corners by which the board's own top left lies further clockwise than it was taken to."""
    expectation: Expectation
    board: str
    """Empty where it is not in view now."""
    lean: bool = False
    """Whether men are seen over other cells."""


@dataclasses.dataclass(frozen=True, eq=False)
class Unlike:
    why: Literal["absent", "alike", "odd", "hidden"]
    """No such board is in view; it is, but the sides' men look alike; some cells look otherwise than they should; or
    men in front hide them."""
    cells: tuple[int, ...]
    """Cells that look like another class than they should, ascending; none where the sides' men look alike."""


def can_teach(board: str, template: BoardTemplate) -> bool:
    """Whether a board has enough men of both sides, and empty cells, and the shipped network knows the classes."""
    model = load_generic(template.descriptor).means if template.descriptor in GENERIC else None
    known = model is not None and sorted(template.letters) == sorted(model.letters)
    return known and all(board.count(letter) >= MIN_MEN for letter in template.letters)


def turned_cells(template: BoardTemplate, turn: int) -> Indices | None:
    """(cells,) index of the cell seen where each cell lies once the board is turned; None if no cell is there."""
    at = template.cells_mm - np.array(template.size_mm) / 2
    for _ in range(turn):
        at = np.stack([-at[:, 1], at[:, 0]], axis=1)  # a quarter clockwise, as y points down
    at += np.array(template.size_mm) / 2
    apart = np.linalg.norm(at[:, None] - template.cells_mm[None], axis=2)
    return np.asarray(apart.argmin(axis=1)) if apart.min(axis=1).max() < template.pitch_mm / 4 else None


def learn_from(
    rectified: Image,
    boards: Sequence[str],
    template: BoardTemplate,
    raised_mm: Sequence[FloatArray] = (),
    begun: Sequence[str] = (),
) -> Lesson | Unlike | None:
    """What the rectified picture teaches if it shows one of the boards, in any turn; None where none of them can teach.

    `begun` are boards to which play may have led before anybody watched. The picture teaches by one of them only if it
    looks more like it than like each of `boards`, and like no other of them as well.

    `raised_mm` are the places where tall men are seen. Half a second for a lesson, a tenth without; for tall men three
    times as long.
    """
    boards, begun = ([board for board in some if can_teach(board, template)] for some in (boards, begun))
    if not boards:
        return None
    look = _looked_at(rectified, template, raised_mm)
    picture = _Picture(look, rectified, template, raised_mm, *_features(look, template))
    first = picture.likeliest(boards)
    if not begun or first[0].unlike == 0:
        return picture.teaches(first)
    since = picture.likeliest(begun)
    if not since or first[0].unlike <= since[0].unlike:
        return picture.teaches(first)
    usual = picture.teaches(first)
    near = [picture.teaches([way]) for way in since if way.unlike <= since[0].unlike + NEARLY_ALIKE]
    lessons = [one for one in near if isinstance(one, Lesson) and picture.shows_plies(one, boards)]
    return lessons[0] if len(lessons) == 1 and not isinstance(usual, Lesson) else usual


@dataclasses.dataclass(frozen=True)
class _Way:
    unlike: int
    """Number of cells that hold men according to the network but not to the board, or the other way round."""
    turn: int
    board: str
    cells: Indices
    """(cells,) the cells seen where the board's own cells lie."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Picture:
    """A picture of the board, as far as the witnesses look at it."""

    look: DescribedCells
    rectified: Image
    template: BoardTemplate
    raised_mm: Sequence[FloatArray]
    seen: CellFeatures
    unknown: FloatArray
    """(cells,) the network's shares of nothing learnt."""

    def likeliest(self, boards: Sequence[str]) -> list[_Way]:
        """Every distinguishable way in which one of the boards may lie, the likeliest first."""
        occupied = self.seen.network[:, 0, 0] < np.log(0.5)
        ways = [
            _Way(int((occupied[cells] != (np.array(list(board)) != EMPTY)).sum()), turn, board, cells)
            for turn, board, cells in _ways_to_lie(boards, self.template)
        ]
        return sorted(ways, key=lambda way: way.unlike)

    def teaches(self, ways: Sequence[_Way]) -> Lesson | Unlike:
        """What the picture teaches by the likeliest of the ways in which the light side's men are lighter."""
        likely = [way for way in ways if way.unlike <= MAX_UNLIKE * len(self.unknown)]
        if not likely:
            otherwise = np.flatnonzero(_occupied_otherwise(self._taught(ways[0]))) if ways else ()
            return Unlike("absent", tuple(map(int, otherwise)))
        rightly = next((way for way in likely if _lighter(self._taught(way))), None)
        return Unlike("alike", ()) if rightly is None else self._lesson(rightly)

    def shows_plies(self, lesson: Lesson, before: Sequence[str]) -> bool:
        """Whether the cells changed since the likeliest of the boards before show clearly what they hold by the lesson.

        Nor may any other cell be in doubt: where play has begun, men are elsewhere than at the start.
        """
        taught, leaning = lesson.taught, leaning_men(self.raised_mm, self.template)
        cells = turned_cells(self.template, lesson.turn)
        changed = min(([a != b for a, b in zip(lesson.board, one, strict=True)] for one in before), key=sum)
        if lesson.expectation.boards < MIN_BOARDS or cells is None or _occupied_otherwise(taught)[changed].any():
            return False
        own = np.eye(len(taught.model.letters), dtype=np.bool_)[taught.classes]
        leaning = None if leaning is None else leaning.at(cells)
        if _fault(taught, leaning, 0.0) is not None:
            return False
        for way in {leaning, None}:
            logs = _left_out(taught, [taught.known], way)[0]
            ahead = logs[own] - np.where(own, -np.inf, logs).max(axis=1)
            if (ahead[changed] < CLEARLY_NATS).any():
                return False
        return True

    def _taught(self, way: _Way) -> Taught:
        """What the cells would tell if the board lay so, with every witness weighed the same."""
        model = load_generic(self.template.descriptor).means
        assert model is not None
        views = len(self.look.views)
        even = np.full(len(WITNESSES) * views, EVEN / views)
        own, colours = self.seen.at(way.cells), square_colours(self.template)
        return Taught(model, own, _classes(way.board, model), colours, even, float(self.unknown.max()))

    def _lesson(self, way: _Way) -> Lesson | Unlike:
        template, raised_mm, cells = self.template, self.raised_mm, len(self.unknown)
        taught, leaning = self._taught(way), leaning_men(raised_mm, template)
        leaning = None if leaning is None else leaning.at(way.cells)
        lean = leaning is not None and leaning.shown(taught.known.contrast[:, 0], taught.classes > 0, taught.kinds)
        tall = leaning is not None and (lean is True or _tall(taught, leaning))
        taught = dataclasses.replace(taught, tall=tall)
        fault = _fault(taught, leaning, MAX_SUSPECT)
        if fault is not None:
            return fault
        doubt = _fault(taught, leaning, MAX_ODD)
        copies = _varied(self.look, self.rectified, template, raised_mm, shadows=taught.tall)
        varied = [_features(one, template)[0].at(way.cells) for one in copies]
        taught = _weighed(taught, varied, leaning)
        left_out = _left_out(taught, varied[: 1 + VARIANTS], leaning)
        right = np.mean([one.argmax(axis=1) == taught.classes for one in left_out], axis=0)
        expectation = Expectation(float(right.sum()), cells, cells, by_picture=False)
        fault = _fault(taught, leaning, MAX_ODD) or (doubt if expectation.boards < MIN_BOARDS else None)
        return fault or Lesson(taught, way.turn, expectation, way.board, lean is not False)


def _fault(taught: Taught, leaning: Leaning | None, most: float) -> Unlike | None:
    """Why the known cells teach nothing, if the others contradict more than that share of them, or one clearly.

    Among tall men a contradiction counts as far as it holds whether what is seen is another man's or not.
    """
    share = taught.weights / max(float(taught.weights.sum()), 1e-9)
    behind, like = np.full(len(taught.classes), np.inf), taught.classes
    for way in {leaning, None}:
        logs = _left_out(dataclasses.replace(taught, weights=share), [taught.known], way)[0]
        here = logs.max(axis=1) - logs[np.arange(len(logs)), taught.classes]
        behind, like = np.minimum(behind, here), np.where(here < behind, logs.argmax(axis=1), like)
    odd = np.flatnonzero(behind > 0)
    if len(odd) <= most * len(logs) and (behind <= CLEARLY_NATS).all():
        return None
    mistaken = odd[(taught.classes[odd] > 0) & (like[odd] > 0)]
    if 2 * len(mistaken) > len(odd) and len(set(taught.classes[mistaken])) > 1:  # men of either side for the other's
        return Unlike("alike", ())
    hidden = leaning is not None and (leaning.open_to(taught.classes > 0).max(axis=0)[odd] < HIDDEN).all()
    return Unlike("hidden" if hidden else "odd", tuple(map(int, odd)))


def turn_by(
    taught: Taught, rectified: Image, boards: Sequence[str], template: BoardTemplate, raised_mm: Sequence[FloatArray]
) -> int | None:
    """The turn in which the picture shows one of the boards, or nearly, by what was taught before; None if in none.

    What was taught must fit the picture clearly better in that turn than in others. Where it sees a changed cell that
    the network sees unchanged, the light is another, or the men are.
    """
    look = _looked_at(rectified, template, raised_mm)
    if taught.views != len(look.views):
        return None
    seen, _ = _features(look, template)
    leaning = leaning_men(raised_mm, template)
    rows, found = np.arange(len(look.patches)), list[tuple[float, int, bool]]()
    for turn, board, cells in _ways_to_lie(boards, template):
        own, classes = seen.at(cells), _classes(board, taught.model)
        told = taught.log_probabilities(own, square_colours(template), None if leaning is None else leaning.at(cells))
        changed = told.argmax(axis=1) != classes
        doubted = changed & (own.network[:, 0].argmax(axis=1) == classes)
        fits = changed.mean() <= MAX_PLAYED_ON and not doubted.any()
        found.append((float(told[rows, classes].sum()), turn, bool(fits)))
    found.sort(reverse=True)
    if not found or not found[0][2]:
        return None
    others = [likely for likely, turn, _ in found if turn != found[0][1]]
    return found[0][1] if not others or found[0][0] - others[0] > CLEARLY_NATS else None


def _ways_to_lie(boards: Sequence[str], template: BoardTemplate) -> Iterator[tuple[int, str, Indices]]:
    """Yields turns, boards and the cells seen where the board's own cells lie, each distinguishable way once."""
    ways = set[str]()
    for turn in turns_of(template):
        cells = turned_cells(template, turn)
        if cells is None:
            continue
        for board in boards:
            as_seen = "".join(board[cell] for cell in np.argsort(cells))
            if as_seen not in ways:
                ways.add(as_seen)
                yield turn, board, cells


def _classes(board: str, model: BoardMeans) -> Indices:
    return np.array([model.letters.index(letter) for letter in board])


def _occupied_otherwise(taught: Taught) -> Flags:
    """(cells,) True where the network sees a man on a cell that should be empty, or none where one should be."""
    return np.asarray((taught.known.network[:, 0, 0] < np.log(0.5)) != (taught.classes > 0))


def _features(look: DescribedCells, template: BoardTemplate) -> tuple[CellFeatures, FloatArray]:
    """The cells' features, and (cells,) the network's shares of nothing learnt."""
    generic = load_generic(template.descriptor)
    assert generic.means is not None
    judged = [judge(view.descriptors, generic.means.letters, None, generic.head) for view in look.views]
    views = [(view.patches, view.descriptors, logs) for view, (logs, _) in zip(look.views, judged, strict=True)]
    return features_of(views, generic.means), judged[0][1]


def _left_out(taught: Taught, seen: Sequence[CellFeatures], leaning: Leaning | None) -> list[FloatArray]:
    """(cells, classes) normalised log probabilities of every known cell as seen, by what the others tell."""
    told = np.tensordot(taught.weights, _testimonies(taught, seen, leaning), axes=1)
    told -= np.logaddexp.reduce(told, axis=-1, keepdims=True)
    return list(told)


def _tall(taught: Taught, leaning: Leaning) -> bool:
    """Whether men are seen where their heads would be, clear of all others; also where that cannot be told."""
    heads = leaning.apart(taught.classes > 0)
    seen = taught.known.network[heads, -1, 0] < np.log(0.5)
    return len(seen) < MIN_HEADS or float(seen.mean()) > HEADS


def _testimonies(taught: Taught, seen: Sequence[CellFeatures], leaning: Leaning | None) -> FloatArray:
    """(views * witnesses, pictures, cells, classes) log likelihoods of every known cell, by what the others tell.

    Past the men that are known to stand around each, where they are tall.
    """
    cells, classes = len(taught.classes), len(taught.model.letters)
    found = np.zeros((len(taught.weights), len(seen), cells, classes))
    for cell in range(cells):
        pictures = CellFeatures(
            *(np.stack([getattr(one, field.name)[cell] for one in seen]) for field in dataclasses.fields(CellFeatures))
        )
        found[:, :, cell] = taught.testimonies(pictures, int(taught.kinds[cell]), cell)
    if leaning is None or not taught.tall:
        return found
    men = np.eye(classes)[taught.classes]
    return np.stack([taught.past(found[:, number], leaning, men) for number in range(len(seen))], axis=1)


def _lighter(taught: Taught) -> bool:
    light, dark = (taught.classes == taught.model.letters.index(letter) for letter in "WB")
    shine = np.exp(taught.known.colour[:, 0]) @ LUMINANCE
    return float(np.median(shine[light])) > float(np.median(shine[dark]))


def _weighed(taught: Taught, varied: Sequence[CellFeatures], leaning: Leaning | None) -> Taught:
    """The same with the weights under which the witnesses are right about cells that they were not told."""
    heard = _testimonies(taught, varied, leaning)
    counts = np.bincount(taught.classes, minlength=len(taught.model.letters))
    share = 1 / counts[taught.classes] / (counts > 0).sum()
    weights = taught.weights.copy()

    def loss(weights: FloatArray) -> float:
        told = np.tensordot(weights, heard, axes=1)
        told -= np.logaddexp.reduce(told, axis=-1, keepdims=True)
        return -float((told[:, np.arange(len(share)), taught.classes].mean(axis=0) * share).sum())

    for _ in range(ROUNDS):  # one after another, until they agree
        for number in range(len(weights)):
            tried = [np.where(np.arange(len(weights)) == number, weight, weights) for weight in WEIGHTS]
            weights = min(tried, key=loss)
    return dataclasses.replace(taught, weights=weights)


def _looked_at(rectified: Image, template: BoardTemplate, raised_mm: Sequence[FloatArray]) -> DescribedCells:
    """The cells on the board, and as they are seen at those places."""
    places = (template.cells_mm, *raised_mm)
    return _described(template, [cut_patches(rectified, template, places_mm=each) for each in places])


def _described(template: BoardTemplate, views: Sequence[Patches]) -> DescribedCells:
    machine = load_descriptor(template.descriptor)
    ground, *raised = (DescribedCells(patches, machine.describe(patches)) for patches in views)
    return dataclasses.replace(ground, raised=tuple(raised))


def _varied(
    look: DescribedCells, rectified: Image, template: BoardTemplate, raised_mm: Sequence[FloatArray], *, shadows: bool
) -> list[DescribedCells]:
    """The cells as they were seen, slightly displaced in other light, and once more in shadows."""
    chance, side_px = np.random.default_rng(0), template.cell_mm * template.pixels_per_mm
    centres = [project(template.rectified_from_board, places) for places in (template.cells_mm, *raised_mm)]
    found = [look]
    for number in range(VARIANTS + shadows):
        lit = rectified if number < VARIANTS else shaded(rectified, template, chance)
        views = [np.stack([varied_patch(lit, centre, side_px, chance) for centre in each]) for each in centres]
        found.append(_described(template, views))
    return found
