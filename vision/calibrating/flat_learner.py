"""What a board of flat men teaches: the look of its cells, and how much each witness of it counts.

Every known cell is read by what the others tell, and a board on which one is read as something else teaches nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices, Patches
from calibration.template import BoardTemplate
from vision.calibrating.calibrate import varied_patch
from vision.calibrating.learner import MAX_ODD, Learner
from vision.calibrating.lesson import CLEARLY_NATS, Lesson, Unlike, Way, contradicted, turned_cells
from vision.calibrating.verdict import MIN_BOARDS, Expectation
from vision.pose import Rectified, project
from vision.reading.cells import cut_patches
from vision.reading.descriptors import load_descriptor
from vision.reading.heads import judge, load_generic
from vision.reading.reader import DescribedCells
from vision.reading.taught import WITNESSES, CellFeatures, Taught, features_of, square_colours

EVEN = 0.25
"""Weight of every witness while it is not known how right each is."""
WEIGHTS = (0.0, 0.03, 0.06, 0.125, 0.25, 0.5, 1.0)
ROUNDS = 3
VARIANTS = 2
"""Copies of every cell, slightly displaced and in other light, by which the witnesses are weighed."""
MAX_SUSPECT = 0.1
"""Greatest share of the cells that the others contradict, though not clearly, while every witness counts the same; from
MAX_ODD on, the boards must be read as well as by a calibration."""
LUMINANCE = np.array([0.0722, 0.7152, 0.2126])
"""Shares of blue, green and red light in how light a colour is (ITU-R BT.709)."""


class FlatLearner(Learner):
    def __init__(self, seen: Rectified) -> None:
        model = load_generic(seen.template.descriptor).means
        assert model is not None
        super().__init__(seen.template, model.letters)
        self._model, self._picture = model, seen.picture
        self._look = _described(self.template, cut_patches(seen.picture, self.template))
        self._seen, self._unknown = _features(self._look, self.template)
        self.alone = self._seen.network

    def told_by(self, taught: Taught | None, cells: Indices) -> FloatArray | None:
        if not isinstance(taught, Taught):
            return None
        return taught.log_probabilities(self._seen.at(cells), square_colours(self.template))

    def suits(self, way: Way) -> bool:
        light, dark = (self.classes(way) == self.letters.index(letter) for letter in "WB")
        shine = np.exp(self._seen.at(way.cells).colour) @ LUMINANCE
        return float(np.median(shine[light])) > float(np.median(shine[dark]))

    def shows_plies(self, lesson: Lesson, changed: Flags) -> bool:
        taught, cells = lesson.taught, turned_cells(self.template, lesson.turn)
        assert isinstance(taught, Taught)
        occupied = taught.known.network[:, 0] < np.log(0.5)
        if lesson.expectation.boards < MIN_BOARDS or cells is None or (occupied != (taught.classes > 0))[changed].any():
            return False
        logs = _left_out(_shared(taught), [taught.known])[0]
        if contradicted(logs, taught.classes, 0.0) is not None:
            return False
        logs = _left_out(taught, [taught.known])[0]
        own = np.eye(len(self.letters), dtype=np.bool_)[taught.classes]
        ahead = logs[own] - np.where(own, -np.inf, logs).max(axis=1)
        return bool((ahead[changed] >= CLEARLY_NATS).all())

    def lesson(self, way: Way) -> Lesson | Unlike:
        cells, even = len(way.cells), np.full(len(WITNESSES), EVEN)
        own, squares = self._seen.at(way.cells), square_colours(self.template)
        taught = Taught(self._model, own, self.classes(way), squares, even, float(self._unknown.max()))
        logs = _left_out(_shared(taught), [own])[0]
        if (fault := contradicted(logs, taught.classes, MAX_SUSPECT)) is not None:
            return fault
        doubt = contradicted(logs, taught.classes, MAX_ODD)
        varied = [own, *(_features(one, self.template)[0].at(way.cells) for one in self._varied())]
        taught = _weighed(taught, varied)
        right = np.mean([one.argmax(axis=1) == taught.classes for one in _left_out(taught, varied)], axis=0)
        expectation = Expectation(float(right.sum()), cells, cells, by_picture=False)
        fault = contradicted(_left_out(_shared(taught), [own])[0], taught.classes, MAX_ODD)
        fault = fault or (doubt if expectation.boards < MIN_BOARDS else None)
        return fault or Lesson(taught, way.turn, expectation, way.board)

    def _varied(self) -> list[DescribedCells]:
        """The cells slightly displaced in other light."""
        chance, side_px = np.random.default_rng(0), self.template.cell_mm * self.template.pixels_per_mm
        places = project(self.template.rectified_from_board, self.template.cells_mm)
        copies = (
            np.stack([varied_patch(self._picture, place, side_px, chance) for place in places]) for _ in range(VARIANTS)
        )
        return [_described(self.template, patches) for patches in copies]


def _shared(taught: Taught) -> Taught:
    """The same with weights that add up to 1."""
    return dataclasses.replace(taught, weights=taught.weights / max(float(taught.weights.sum()), 1e-9))


def _features(look: DescribedCells, template: BoardTemplate) -> tuple[CellFeatures, FloatArray]:
    """The cells' features, and (cells,) the network's shares of nothing learnt."""
    generic = load_generic(template.descriptor)
    assert generic.means is not None
    logs, unknown = judge(look.descriptors, generic.means.letters, None, generic.head)
    return features_of(look.patches, look.descriptors, logs, generic.means), unknown


def _left_out(taught: Taught, seen: Sequence[CellFeatures]) -> list[FloatArray]:
    """(cells, classes) normalised log probabilities of every known cell as seen, by what the others tell."""
    told = np.tensordot(taught.weights, _testimonies(taught, seen), axes=1)
    told -= np.logaddexp.reduce(told, axis=-1, keepdims=True)
    return list(told)


def _testimonies(taught: Taught, seen: Sequence[CellFeatures]) -> FloatArray:
    """(witnesses, pictures, cells, classes) log likelihoods of every known cell, by what the others tell."""
    cells, classes = len(taught.classes), len(taught.model.letters)
    found = np.zeros((len(taught.weights), len(seen), cells, classes))
    for cell in range(cells):
        pictures = CellFeatures(
            *(np.stack([getattr(one, field.name)[cell] for one in seen]) for field in dataclasses.fields(CellFeatures))
        )
        found[:, :, cell] = taught.testimonies(pictures, int(taught.kinds[cell]), cell)
    return found


def _weighed(taught: Taught, varied: Sequence[CellFeatures]) -> Taught:
    """The same with the weights under which the witnesses are right about cells that they were not told."""
    heard = _testimonies(taught, varied)
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


def _described(template: BoardTemplate, patches: Patches) -> DescribedCells:
    return DescribedCells(patches, load_descriptor(template.descriptor).describe(patches))
