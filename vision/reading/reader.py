"""Reads a rectified picture: the class probabilities of every cell."""

from __future__ import annotations

import dataclasses
import logging

import numpy as np
from numpy.typing import NDArray

from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate
from places.weights import WeightsError
from vision.frame import Image
from vision.primitives.features import Reference
from vision.primitives.patch_changes import differing
from vision.reading.board_reading import BoardReading
from vision.reading.cells import Patches, cut_patches
from vision.reading.descriptors import Descriptors, load_descriptor
from vision.reading.face_colours import matching_face_colours
from vision.reading.heads import GENERIC, OTHER, Head, head_from_arrays, judge, load_generic
from vision.reading.joint import read_jointly
from vision.reading.leaning import leaning_men
from vision.reading.taught import KEPT_NATS, CellFeatures, Taught, features_of, in_order, square_colours
from vision.reading.tiles import pair_halves
from vision.sources.encoded import decode
from vision.sources.picture_size import TooLargeError

FloatArray = NDArray[np.float64]

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, eq=False)
class DescribedCells:
    """Patches and descriptors of all cells as last read."""

    patches: Patches
    descriptors: Descriptors
    """(cells, length)."""
    raised: tuple[DescribedCells, ...] = ()
    """The same cells at middle and head of a man, where men are tall."""

    @property
    def views(self) -> tuple[DescribedCells, ...]:
        """The cells on the board, and as they are seen higher up."""
        return (self, *self.raised)


class Reader:
    """Reads boards of one template, with a profile if one was calibrated for the table."""

    def __init__(self, template: BoardTemplate, profile: TableProfile | None = None) -> None:
        """Raises ProfileError if the profile is for another game or other weights; WeightsError."""
        self.template = template
        """Callers may replace it by the same board with another shape."""
        self._first = None if profile is None else _head_of(profile, template)
        self._own = self._first
        self._descriptor = load_descriptor(template.descriptor if profile is None else profile.descriptor)
        known = self._descriptor.name in GENERIC
        if profile is None and not known:
            raise ProfileError(
                f"nothing was learnt in general with {self._descriptor.name}: calibrate, read by a profile"
            )
        self._generic = load_generic(self._descriptor.name) if known else None
        self.raised_mm: tuple[FloatArray, ...] = ()
        """(cells, 2) each: where middle and head of tall men are seen in the next picture; none where men are flat."""
        self._raised: tuple[DescribedCells, ...] = ()
        self._newest: tuple[Image, BoardTemplate, Patches] | None = None
        """The last picture, its template and its patches."""
        self._seen: Patches | None = None
        self._each: NDArray[np.float64] | None = None
        """Log probabilities of every cell by itself, before the joint reading of all cells."""
        self._unknown: NDArray[np.float64] | None = None
        self._ways: NDArray[np.float64] | None = None
        self._described: Descriptors | None = None
        self.taught: Taught | None = None
        """What a known board of this table has taught; None before."""
        self._kept: tuple[Patches, str] | None = None
        """How cells looked when their content was known, and that content; OTHER for a cell not known."""

    @property
    def first(self) -> Head | None:
        """The initial head: the profile's, else the generic one; None if there is neither."""
        if self._first is not None or self._generic is None:
            return self._first
        return self._generic.head

    @property
    def look(self) -> DescribedCells | None:
        """The cells as last read; None before the first reading."""
        if self._seen is None or self._described is None:
            return None
        return DescribedCells(self._seen, self._described, self._raised)

    def adopt(self, head: Head | None) -> None:
        """Switches to another head of this table (None: the first); the next reading covers the whole board."""
        self._own = self._first if head is None else head
        self._each = None

    def learn(self, taught: Taught | None, kept: tuple[Patches, str] | None) -> None:
        """Reads by what known boards of this table have taught, and by how its cells looked when they were known.

        `kept` has OTHER for cells that are not known. The next reading covers the whole board.
        """
        self.taught, self._kept, self._each = taught, kept, None

    def features(self, look: DescribedCells, logs: NDArray[np.float64] | None = None) -> CellFeatures:
        """The features by which taught boards are read; `logs` are the network's log probabilities, if known."""
        assert self._generic is not None and self._generic.means is not None
        means, letters, views = self._generic.means, self.template.letters, []
        for number, view in enumerate(look.views):
            told = logs
            if told is None or number:
                told, _ = judge(view.descriptors, letters, self._own, self._generic.head)
            views.append((view.patches, view.descriptors, in_order(told, letters, means.letters)))
        return features_of(views, means)

    def as_taught(
        self, look: DescribedCells, taught: Taught, logs: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """(cells, classes) log probabilities of the cells by what was taught, whatever they showed before."""
        leaning = leaning_men(self.raised_mm, self.template)
        told = taught.log_probabilities(self.features(look, logs), square_colours(self.template), leaning)
        return in_order(told, taught.model.letters, self.template.letters)

    @property
    def kept(self) -> tuple[Patches, str] | None:
        """How cells looked when their content was known, and that content."""
        return self._kept

    def believe(self, look: DescribedCells, head: Head | None) -> NDArray[np.float64]:
        """(cells, classes) log probabilities of `look` by `head` (None: the first); halves are not paired."""
        letters, generic = self.template.letters, None if self._generic is None else self._generic.head
        logs, unknown = judge(look.descriptors, letters, self._first if head is None else head, generic)
        return self._together(look, logs, unknown)

    def read(
        self,
        rectified: Image,
        time_s: float,
        occlusion: float = 0.0,
        changed: NDArray[np.bool_] | None = None,
    ) -> BoardReading:
        """Reads the cells; takes about 1 ms a cell, or a tenth of that with the small network.

        Given `changed`, (cells,), only these cells are described again; the others are as in the last reading.
        """
        patches = self.patches(rectified)
        if changed is None or self._each is None:
            described = self._descriptor.describe(patches)
            logs, unknown, ways = self._judge(described)
        else:
            assert self._seen is not None and self._described is not None and self._unknown is not None
            described, logs, unknown = self._described.copy(), self._each.copy(), self._unknown.copy()
            ways = None if self._ways is None else self._ways.copy()
            described[changed] = self._descriptor.describe(patches[changed])
            logs[changed], unknown[changed], new_ways = self._judge(described[changed])
            if ways is not None and new_ways is not None:
                ways[changed] = new_ways
            patches = np.where(changed[:, None, None, None], patches, self._seen)
        self._raised = () if self.taught is None else self._describe_raised(rectified, changed)
        self._seen, self._described = patches, described
        self._each, self._unknown, self._ways = logs, unknown, ways
        look, letters = DescribedCells(patches, described, self._raised), self.template.letters
        logs = self._together(look, logs, unknown)
        logs, unknown = self._as_kept(patches, logs, unknown)
        if ways is None:
            return BoardReading(logs, letters, time_s, occlusion, unknown=unknown)
        grid = self.template.source["grid"]
        pairing = pair_halves(logs, letters, ways, int(grid["rows"]), int(grid["columns"]))
        return BoardReading(pairing.log_probabilities, letters, time_s, occlusion, pairing.tiles, unknown)

    def _together(
        self, look: DescribedCells, logs: NDArray[np.float64], unknown: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Reads the cells of the board jointly if there is no profile of this table."""
        if self._first is not None or self._generic is None:
            return logs
        if self.taught is not None and self.taught.views == len(look.views):
            return self.as_taught(look, self.taught, logs)
        if self._generic.ways is not None:
            return matching_face_colours(look.patches, logs, self.template.letters)
        return read_jointly(look.patches, look.descriptors, logs, unknown, self.template.letters, self._generic.means)

    def judge_halves(self, patches: Patches) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n, classes) and (n, 5) log probabilities of what patches show by themselves, and where the other half lies.

        Only for boards whose cells are halves.
        """
        logs, _, ways = self._judge(self._descriptor.describe(patches))
        assert ways is not None
        return logs, ways

    def changed_cells(self, rectified: Image) -> NDArray[np.bool_]:
        """(cells,) True where a cell looks different from its last reading; overall light changes do not count."""
        patches = self.patches(rectified)
        if self._seen is None or self._seen.shape != patches.shape:
            return np.ones(len(patches), dtype=np.bool_)
        changed = differing(self._seen, patches)
        for before, now in zip(self._raised, self._raised_patches(rectified), strict=False):
            changed |= differing(before.patches, now)
        return changed

    def _raised_patches(self, rectified: Image) -> tuple[Patches, ...]:
        return tuple(cut_patches(rectified, self.template, places_mm=places) for places in self.raised_mm)

    def _describe_raised(self, rectified: Image, changed: NDArray[np.bool_] | None) -> tuple[DescribedCells, ...]:
        """The cells as seen higher up; given `changed`, the others stay as they were described last."""
        found = []
        for number, patches in enumerate(self._raised_patches(rectified)):
            if changed is None or number >= len(self._raised):
                found.append(DescribedCells(patches, self._descriptor.describe(patches)))
                continue
            last = self._raised[number]
            described = last.descriptors.copy()
            described[changed] = self._descriptor.describe(patches[changed])
            found.append(DescribedCells(np.where(changed[:, None, None, None], patches, last.patches), described))
        return tuple(found)

    def _as_kept(
        self, patches: Patches, logs: NDArray[np.float64], unknown: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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

    def unlike_kept(self, rectified: Image) -> NDArray[np.bool_]:
        """(cells,) True where a cell does not look as it did when its content was known."""
        patches = self.patches(rectified)
        return np.ones(len(patches), dtype=np.bool_) if self._kept is None else differing(self._kept[0], patches)

    def patches(self, rectified: Image) -> Patches:
        """Cuts the patches of a picture; cached, because a picture is first compared and then read."""
        if self._newest is None or self._newest[0] is not rectified or self._newest[1] is not self.template:
            self._newest = rectified, self.template, cut_patches(rectified, self.template)
        return self._newest[2]

    def _judge(
        self, described: Descriptors
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """Log probabilities of each cell's classes, the unknown shares, and, if cells are paired, log probabilities
        of the other half's direction."""
        head, ways = (None, None) if self._generic is None else (self._generic.head, self._generic.ways)
        logs, unknown = judge(described, self.template.letters, self._own, head)
        return logs, unknown, None if ways is None else ways.log_probabilities(described)


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
