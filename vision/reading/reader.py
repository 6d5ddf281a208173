"""Reads a rectified picture: the class probabilities of every cell."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray, Patches
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate
from system.weights import WeightsError
from vision.frame import Image
from vision.pose import BoardPose
from vision.primitives.features import Reference
from vision.reading.board_reading import SURE, UNKNOWN, BoardReading, SeenFigures
from vision.reading.cells import cut_patches, differing
from vision.reading.descriptors import Descriptors, load_descriptor
from vision.reading.face_colours import matching_face_colours
from vision.reading.figures import figure_reader
from vision.reading.foreign import foreign_shares
from vision.reading.heads import GENERIC, OTHER, Head, head_from_arrays, judge, load_generic
from vision.reading.joint import read_jointly
from vision.reading.leaning import leaning_men
from vision.reading.man_colours import man_colours
from vision.reading.taught import KEPT_NATS, CellFeatures, Taught, features_of, in_order, square_colours
from vision.reading.tiles import pair_halves
from vision.sources.encoded import TooLargeError, decode

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, eq=False)
class DescribedCells:
    patches: Patches
    descriptors: Descriptors
    """(cells, length)."""
    raised: tuple[DescribedCells, ...] = ()
    """The same cells at middle and head of a man, where men are tall."""
    figures: Descriptors | None = None
    """(cells, views, length) as the reader of figures describes them; None where men of a side are alike."""

    @property
    def views(self) -> tuple[DescribedCells, ...]:
        return (self, *self.raised)

    def with_cells(self, other: DescribedCells, cells: Flags) -> DescribedCells:
        if len(self.raised) != len(other.raised):
            return self
        raised = tuple(one.with_cells(two, cells) for one, two in zip(self.raised, other.raised, strict=True))
        patches = np.where(cells[:, None, None, None], other.patches, self.patches)
        figures = other.figures
        if figures is not None and self.figures is not None:
            figures = np.where(cells[:, None, None], figures, self.figures)
        descriptors = np.where(cells[:, None], other.descriptors, self.descriptors)
        return DescribedCells(patches, descriptors, raised, figures)


@dataclasses.dataclass(frozen=True, eq=False)
class JudgedCells:
    """What every cell shows by itself, before the joint reading of all cells."""

    look: DescribedCells
    logs: FloatArray
    """(cells, classes) log probabilities."""
    unknown: FloatArray
    """(cells,) probability of showing nothing learnt."""
    ways: FloatArray | None
    """(cells, 5) log probabilities of where the other half of a tile lies; None on boards without tiles."""

    def with_cells(self, other: JudgedCells, cells: Flags) -> JudgedCells:
        ways = self.ways
        if ways is not None and other.ways is not None:
            ways = np.where(cells[:, None], other.ways, ways)
        return JudgedCells(
            self.look.with_cells(other.look, cells),
            np.where(cells[:, None], other.logs, self.logs),
            np.where(cells, other.unknown, self.unknown),
            ways,
        )


class Reader:
    def __init__(self, template: BoardTemplate, profile: TableProfile | None = None) -> None:
        """Raises ProfileError if the profile is for another game or other weights; WeightsError."""
        self.template = template
        """Callers may replace it by the same board with another shape."""
        self._own = None if profile is None else _head_of(profile, template)
        self._descriptor = load_descriptor(template.descriptor if profile is None else profile.descriptor)
        known = self._descriptor.name in GENERIC
        if profile is None and not known:
            raise ProfileError(
                f"nothing was learnt in general with {self._descriptor.name}: calibrate, read by a profile"
            )
        self._generic = load_generic(self._descriptor.name) if known else None
        self.raised_mm: tuple[FloatArray, ...] = ()
        """(cells, 2) each: where middle and head of tall men are seen in the next picture; none where men are flat."""
        self.seen_in: tuple[Image, BoardPose] | None = None
        """The next picture before it was rectified, in which tall men stand upright; None if it is not at hand."""
        self._figures = figure_reader(template)
        self._known_figures: tuple[tuple[Descriptors, str], ...] = ()
        self._newest: tuple[Image, BoardTemplate, Patches] | None = None
        self.cells: JudgedCells | None = None
        """The cells as last read; None before the first reading. Callers may put earlier ones back."""
        self.taught: Taught | None = None
        """What a known board of this table has taught; None before."""
        self._kept: tuple[Patches, str] | None = None
        """How cells looked when their content was known, and that content; OTHER for a cell not known."""

    @property
    def look(self) -> DescribedCells | None:
        return None if self.cells is None else self.cells.look

    def learn(self, taught: Taught | None, kept: tuple[Patches, str] | None) -> None:
        """Reads by what known boards of this table have taught, and by how its cells looked when they were known.

        `kept` has OTHER for cells that are not known.
        """
        if (taught is None) != (self.taught is None):
            self.cells = None  # what is taught is seen higher up, too
        self.taught, self._kept = taught, kept

    def learn_figures(self, look: DescribedCells, figures: str) -> None:
        """Tells pieces by those of a board of this set, too, which holds these figures: the last one is remembered."""
        if look.figures is not None:
            self._known_figures = ((look.figures, figures),)

    def features(self, look: DescribedCells, logs: FloatArray | None = None) -> CellFeatures:
        """The features by which taught boards are read; `logs` are the network's log probabilities, if known."""
        assert self._generic is not None and self._generic.means is not None
        means, letters, views = self._generic.means, self.template.letters, []
        for number, view in enumerate(look.views):
            told = logs
            if told is None or number:
                told, _ = judge(view.descriptors, letters, self._own, self._generic.head)
            views.append((view.patches, view.descriptors, in_order(told, letters, means.letters)))
        return features_of(views, means)

    def as_taught(self, look: DescribedCells, taught: Taught, logs: FloatArray | None = None) -> FloatArray:
        """(cells, classes) log probabilities of the cells by what was taught, whatever they showed before."""
        leaning = leaning_men(self.raised_mm, self.template)
        told = taught.log_probabilities(self.features(look, logs), square_colours(self.template), leaning)
        return in_order(told, taught.model.letters, self.template.letters)

    @property
    def kept(self) -> tuple[Patches, str] | None:
        return self._kept

    def read(self, rectified: Image, time_s: float, changed: Flags | None = None) -> BoardReading:
        """Reads the cells; takes about 1 ms a cell, or a tenth of that with the small network.

        Given `changed`, (cells,), only these cells are described again; the others are as in the last reading.
        """
        self.cells = self._judged(rectified, changed)
        return self.judge(self.cells, time_s)

    def glance(self, rectified: Image, time_s: float) -> BoardReading:
        """Reads all cells; the next reading does not build on it."""
        return self.judge(self._judged(rectified, None), time_s)

    def judge(self, cells: JudgedCells, time_s: float) -> BoardReading:
        letters = self.template.letters
        figures = None
        if self._figures is not None and cells.look.figures is not None:
            figures = self._figures.read(cells.look.figures, self._known_figures)
        logs = self._together(cells.look, cells.logs, cells.unknown, figures)
        logs, unknown = self._doubted(cells, logs)
        logs, unknown = self._as_kept(cells.look.patches, logs, unknown)
        if cells.ways is None:
            return BoardReading(logs, letters, time_s, unknown=unknown, figures=figures)
        grid = self.template.source["grid"]
        pairing = pair_halves(logs, letters, cells.ways, int(grid["rows"]), int(grid["columns"]))
        return BoardReading(pairing.log_probabilities, letters, time_s, pairing.tiles, unknown)

    def _judged(self, rectified: Image, changed: Flags | None) -> JudgedCells:
        """The cells of a picture, each by itself; given `changed`, the others stay as they were."""
        patches, before = self.patches(rectified), self.cells
        if changed is None or before is None or len(before.logs) != len(patches):
            changed, before = np.ones(len(patches), dtype=np.bool_), None
        views = [(patches, None if before is None else before.look)]
        places = () if self.taught is None else self.raised_mm
        raised = [cut_patches(rectified, self.template, places_mm=each) for each in places]
        kept = () if before is None else before.look.raised
        views += [(each, kept[number] if number < len(kept) else None) for number, each in enumerate(raised)]
        first, *others = (self._described(each, known, changed) for each, known in views)
        logs, unknown, ways = self._judge(first.descriptors[changed])
        if before is not None:
            logs, unknown = _placed(before.logs, changed, logs), _placed(before.unknown, changed, unknown)
            ways = None if ways is None or before.ways is None else _placed(before.ways, changed, ways)
        figures = None if before is None else before.look.figures
        if self._figures is not None and self.seen_in is not None and (figures is not None or changed.all()):
            described = self._figures.describe(*self.seen_in, self.template, changed)
            figures = described if figures is None else _placed(figures, changed, described)
        return JudgedCells(dataclasses.replace(first, raised=tuple(others), figures=figures), logs, unknown, ways)

    def _described(self, patches: Patches, before: DescribedCells | None, changed: Flags) -> DescribedCells:
        """Patches with their descriptors; only `changed` ones are described where others are known."""
        if before is None:
            return DescribedCells(patches, self._descriptor.describe(patches))
        described = _placed(before.descriptors, changed, self._descriptor.describe(patches[changed]))
        return DescribedCells(np.where(changed[:, None, None, None], patches, before.patches), described)

    def _together(
        self, look: DescribedCells, logs: FloatArray, unknown: FloatArray, figures: SeenFigures | None
    ) -> FloatArray:
        """Reads the cells of the board jointly if there is no profile of this table."""
        if self._own is not None or self._generic is None:
            return logs
        if self.taught is not None and self.taught.views == len(look.views):
            return self.as_taught(look, self.taught, logs)
        if self._figures is not None and figures is not None:
            return figures.of_classes(self._figures.classes, self.template.letters)
        if self._generic.ways is not None:
            return matching_face_colours(look.patches, logs, self.template.letters)
        squares, means = square_colours(self.template), self._generic.means
        return read_jointly(look.patches, look.descriptors, logs, unknown, self.template.letters, means, squares)

    def _doubted(self, cells: JudgedCells, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The log probabilities and unknown shares, where flat men that are perhaps none say as little as that.

        Cells of which it is likelier that something else lies there say nothing.
        """
        means = None if self._own is not None or self._generic is None else self._generic.means
        if means is None or self.taught is not None or self.template.man_height_mm:
            return logs, cells.unknown
        look = cells.look
        known = np.concatenate([look.descriptors.astype(np.float64), man_colours(look.patches)], axis=1)
        shares = foreign_shares(look.patches, means.project(known), cells.unknown, logs.argmax(axis=1), self.template)
        shares = np.where(shares < 1 - SURE, 0, shares)  # surely men: their cells do not depend on others
        unknown, shares = np.maximum(cells.unknown, shares), np.where(shares > UNKNOWN, 1, shares)
        return np.log((1 - shares)[:, None] * np.exp(logs) + shares[:, None] / logs.shape[1]), unknown

    def judge_halves(self, patches: Patches) -> tuple[FloatArray, FloatArray]:
        """(n, classes) and (n, 5) log probabilities of what patches show by themselves, and where the other half lies.

        Only for boards whose cells are halves.
        """
        logs, _, ways = self._judge(self._descriptor.describe(patches))
        assert ways is not None
        return logs, ways

    def _as_kept(self, patches: Patches, logs: FloatArray, unknown: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The log probabilities and unknown shares, where cells that look as they did hold what they held."""
        if self.taught is not None:
            unknown = self.taught.unknown(unknown)
        if self._kept is None:
            return logs, unknown
        before, letters = self._kept
        columns = np.array([self.template.letters.find(letter) for letter in letters])
        same = np.flatnonzero(~differing(before, patches) & (columns >= 0))
        logs, unknown = logs.copy(), unknown.copy()
        logs[same, columns[same]] += KEPT_NATS
        logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
        unknown[same] = 0
        return logs, unknown

    def unlike_kept(self, rectified: Image) -> Flags:
        """(cells,) True where a cell does not look as it did when its content was known."""
        patches = self.patches(rectified)
        return np.ones(len(patches), dtype=np.bool_) if self._kept is None else differing(self._kept[0], patches)

    def patches(self, rectified: Image) -> Patches:
        """Cuts the patches of a picture; cached, because a picture is first compared and then read."""
        if self._newest is None or self._newest[0] is not rectified or self._newest[1] is not self.template:
            self._newest = rectified, self.template, cut_patches(rectified, self.template)
        return self._newest[2]

    def _judge(self, described: Descriptors) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Log probabilities of each cell's classes, the unknown shares, and, if cells are paired, log probabilities
        of the other half's direction."""
        head, ways = (None, None) if self._generic is None else (self._generic.head, self._generic.ways)
        logs, unknown = judge(described, self.template.letters, self._own, head)
        return logs, unknown, None if ways is None else ways.log_probabilities(described)


def _placed(values: NDArray[Any], cells: Flags, new: NDArray[Any]) -> NDArray[Any]:
    copy = values.copy()
    copy[cells] = new
    return copy


def reference_of(profile: TableProfile) -> Reference:
    """The profile's reference picture, for alignment. Raises ProfileError."""
    try:
        image = decode(profile.reference_jpeg)
    except TooLargeError as error:
        raise ProfileError(f"the profile's reference picture: {error}") from None
    if image is None:
        raise ProfileError("the profile's reference picture is damaged; calibrate again")
    return Reference(image, profile.image_from_board)


def _head_of(profile: TableProfile, template: BoardTemplate) -> Head:
    profile.check_game(template.game)
    try:
        descriptor = load_descriptor(profile.descriptor)
        head = head_from_arrays(profile.head)
    except WeightsError:
        raise  # calibrating again would not help
    except ValueError as error:
        raise ProfileError(f"the profile cannot be used: {error}; calibrate again") from error
    if profile.weights_sha256 not in (descriptor.sha256, *descriptor.earlier):
        raise ProfileError(f"the profile was made with other weights of {descriptor.name}; calibrate again")
    if len(head.mean) != descriptor.length:
        raise ProfileError(f"the profile's head does not fit {descriptor.name}; calibrate again")
    if not set(head.letters) <= set(template.letters + OTHER):
        raise ProfileError(f"the profile knows {head.letters!r}, the board {template.letters!r}; calibrate again")
    return head
