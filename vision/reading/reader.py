"""Reads a rectified picture: the class probabilities of every cell."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
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
from vision.reading.figures import FigureReader, figure_reader
from vision.reading.foreign import foreign_shares
from vision.reading.heads import GENERIC, OTHER, Head, head_from_arrays, judge, load_generic
from vision.reading.joint import read_jointly
from vision.reading.man_colours import man_colours
from vision.reading.taught import KEPT_NATS, CellFeatures, Taught, bounded, features_of, in_order, square_colours
from vision.reading.tiles import pair_halves
from vision.sources.encoded import TooLargeError, decode

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, eq=False)
class DescribedCells:
    patches: Patches
    descriptors: Descriptors
    """(cells, length); of length 0 where `figures` tell all."""
    figures: Descriptors | None = None
    """(cells, views, length) as the reader of figures describes them; None where men of a side are alike."""

    def with_cells(self, other: DescribedCells, cells: Flags) -> DescribedCells:
        patches = np.where(cells[:, None, None, None], other.patches, self.patches)
        figures = other.figures
        if figures is not None and self.figures is not None:
            figures = np.where(cells[:, None, None], figures, self.figures)
        descriptors = np.where(cells[:, None], other.descriptors, self.descriptors)
        return DescribedCells(patches, descriptors, figures)


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
        self._figures = figure_reader(template)
        self._own = None if profile is None else _head_of(profile, template)
        self._descriptor = load_descriptor(template.descriptor if profile is None else profile.descriptor)
        known = self._descriptor.name in GENERIC
        if profile is None and not known:
            raise ProfileError(
                f"nothing was learnt in general with {self._descriptor.name}: calibrate, read by a profile"
            )
        self._generic = load_generic(self._descriptor.name) if known else None
        self.seen_in: tuple[Image, BoardPose] | None = None
        """The next picture before it was rectified, in which tall men stand upright; None if it is not at hand."""
        self._newest: tuple[Image, BoardTemplate, Patches] | None = None
        self.cells: JudgedCells | None = None
        """The cells as last read; None before the first reading. Callers may put earlier ones back."""
        self.taught: Taught | None = None
        """What a known board of this table has taught; None before, and for men who differ in shape."""
        self._kept: tuple[Patches, str] | None = None
        """How cells looked when their content was known, and that content; OTHER for a cell not known."""

    @property
    def look(self) -> DescribedCells | None:
        return None if self.cells is None else self.cells.look

    def learn(self, taught: Taught | None, kept: tuple[Patches, str] | None) -> None:
        """Reads by what known boards of this table have taught, and by how its cells looked when they were known.

        `kept` has OTHER for cells that are not known.
        """
        self.taught, self._kept = taught, kept

    def grown(
        self, look: DescribedCells, board: str, new: Flags, newest: Sequence[tuple[DescribedCells, str]]
    ) -> Taught | None:
        """What was taught, and what a board adds to it if the `newest` boards are then read no worse.

        `new` are (cells,) that were not known to hold what they hold.
        """
        if self.taught is None or not new.any():
            return self.taught
        grown = self.taught.with_cells(self.features(look), board, np.flatnonzero(new), self.template)
        (right, loss), (right_before, loss_before) = (self._read_by(one, newest) for one in (grown, self.taught))
        return grown if right >= right_before and loss <= loss_before else self.taught

    def _read_by(self, taught: Taught, boards: Sequence[tuple[DescribedCells, str]]) -> tuple[int, float]:
        """How many cells of the boards that reads right, each by its look alone, and the nats lost."""
        right, loss = 0, 0.0
        for look, board in boards:
            logs, truth = self.as_taught(look, taught), [self.template.letters.index(letter) for letter in board]
            right += int((logs.argmax(axis=1) == truth).sum())
            loss -= float(logs[np.arange(len(truth)), truth].sum())
        return right, loss

    def features(self, look: DescribedCells, logs: FloatArray | None = None) -> CellFeatures:
        """The features by which boards of flat men are read; `logs` are the network's log probabilities, if known."""
        assert self._generic is not None and self._generic.means is not None
        means, letters = self._generic.means, self.template.letters
        told = judge(look.descriptors, letters, self._own, self._generic.head)[0] if logs is None else logs
        return features_of(look.patches, look.descriptors, in_order(told, letters, means.letters), means)

    def as_taught(self, look: DescribedCells, taught: Taught, logs: FloatArray | None = None) -> FloatArray:
        """(cells, classes) log probabilities of the cells by what was taught, whatever they showed before."""
        told = taught.log_probabilities(self.features(look, logs), square_colours(self.template))
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
        letters, figures = self.template.letters, None
        if self._figures is not None and cells.look.figures is not None:
            figures = self._figures.read(cells.look.figures)
        logs = self._together(cells, figures)
        shares = self._foreign(cells, logs, figures)
        unknown = np.maximum(cells.unknown, shares)
        if shares.any():
            shares = np.where(shares > UNKNOWN, 1, shares)  # what is likelier something else says nothing
            logs = np.log((1 - shares)[:, None] * np.exp(logs) + shares[:, None] / logs.shape[1])
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
        if self._figures is not None:
            assert self.seen_in is not None, "men who differ in shape are cut from the picture itself"
            return self._standing(self._figures, self.seen_in, patches, changed, before)
        look = self._described(patches, None if before is None else before.look, changed)
        logs, unknown, ways = self._judge(look.descriptors[changed])
        if before is not None:
            logs, unknown = _placed(before.logs, changed, logs), _placed(before.unknown, changed, unknown)
            ways = None if ways is None or before.ways is None else _placed(before.ways, changed, ways)
        return JudgedCells(look, logs, unknown, ways)

    def _standing(
        self,
        figures: FigureReader,
        seen_in: tuple[Image, BoardPose],
        patches: Patches,
        changed: Flags,
        before: JudgedCells | None,
    ) -> JudgedCells:
        """Men that differ in shape: what they are is told by `figures` alone, from the cells of the whole board."""
        if before is None or before.look.figures is None:
            described = figures.describe(*seen_in, self.template, np.ones_like(changed))
        else:
            described = _placed(before.look.figures, changed, figures.describe(*seen_in, self.template, changed))
            patches = np.where(changed[:, None, None, None], patches, before.look.patches)
        cells = len(patches)
        look = DescribedCells(patches, np.zeros((cells, 0), dtype=np.float32), described)
        return JudgedCells(look, np.zeros((cells, len(self.template.letters))), np.zeros(cells), None)

    def _described(self, patches: Patches, before: DescribedCells | None, changed: Flags) -> DescribedCells:
        """Patches with their descriptors; only `changed` ones are described where others are known."""
        if before is None:
            return DescribedCells(patches, self._descriptor.describe(patches))
        described = _placed(before.descriptors, changed, self._descriptor.describe(patches[changed]))
        return DescribedCells(np.where(changed[:, None, None, None], patches, before.patches), described)

    def _together(self, cells: JudgedCells, figures: SeenFigures | None) -> FloatArray:
        """Reads the cells of the board jointly if there is no profile of this table."""
        look, logs = cells.look, cells.logs
        if self._figures is not None and figures is not None:
            return bounded(figures.of_classes(self._figures.classes, self.template.letters))
        if self._own is not None or self._generic is None:
            return logs
        if self.taught is not None:
            return self.as_taught(look, self.taught, logs)
        if self._generic.ways is not None:
            return matching_face_colours(look.patches, logs, self.template.letters)
        squares, means = square_colours(self.template), self._generic.means
        return read_jointly(look.patches, look.descriptors, logs, cells.unknown, self.template.letters, means, squares)

    def _foreign(self, cells: JudgedCells, logs: FloatArray, figures: SeenFigures | None) -> FloatArray:
        """(cells,) probabilities that what was read is none of the men, but a thing that lies there."""
        if figures is not None:
            return figures.unknown
        means = None if self._own is not None or self._generic is None else self._generic.means
        if means is None or self.taught is not None:
            return np.zeros(len(logs))
        look = cells.look
        known = np.concatenate([look.descriptors.astype(np.float64), man_colours(look.patches)], axis=1)
        sides = logs.argmax(axis=1)
        shares = foreign_shares(look.patches, means.project(known), cells.unknown, sides, self.template)
        return np.where(shares < 1 - SURE, 0, shares)  # surely men: their cells do not depend on others

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


def _head_of(profile: TableProfile, template: BoardTemplate) -> Head | None:
    """None for men who differ in shape: they are known from other boards. Raises ProfileError, WeightsError."""
    profile.check_game(template.game)
    if template.shaped:
        return None
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
