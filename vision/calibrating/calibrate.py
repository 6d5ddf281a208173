"""Fits a table profile to a few labelled photos: board shape, appearance of the pieces, reference picture."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, Indices, Patches
from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.fitting import Fit, fit_head
from vision.calibrating.survey import Shown, found_again, survey
from vision.calibrating.verdict import Condition, Expectation
from vision.finding.finder import find_board
from vision.finding.markers import OtherSheetError
from vision.frame import Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project, rectify
from vision.primitives.lines import measure_shape
from vision.reading.cells import PATCH_PX, cut_patch
from vision.reading.descriptors import Descriptor, load_descriptor
from vision.reading.figures import FigureReader, figure_reader
from vision.reading.heads import GENERIC, OTHER, judge, load_generic
from vision.reading.locate import refine_if_better

log = logging.getLogger(__name__)

VARIANTS = 6
"""Augmented copies cut of every labelled cell, slightly displaced and in different light."""
EMPTIES = 48
"""Empty cells used per picture where all look alike: more take longer and add nothing."""
MAX_TRUST, TRUST_FROM, TRUSTED_AT = 0.5, 0.9, 0.98
"""The generic head's greatest weight; the shares it must read right to have any weight, and to have all of it."""
REFERENCE_PX = 1280
"""Pixels of the reference picture's longest side."""
REFERENCE_QUALITY = 90
Progress = Callable[[int, int], None]


class CalibrationError(ValueError):
    """Labelled photos from which no profile can be fitted; the message says which and why."""


@dataclasses.dataclass(frozen=True, eq=False)
class LabelledPhoto:
    name: str
    image: Image
    cells: str
    """Class letter per cell, in the template's order; OTHER for a cell not to learn from."""
    corners_px: FloatArray | None = None
    """(4, 2) the frame's corners, top left first, clockwise, accurate to a quarter of a cell; None: finds the board."""


@dataclasses.dataclass(frozen=True, eq=False)
class Calibration:
    profile: TableProfile
    expectation: Expectation
    conditions: tuple[Condition, ...]
    """The worst value of each condition over the training pictures."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Examples:
    patches: Patches
    labels: str
    photo: Indices
    """Index of the photo each patch comes from."""
    cell: Indices
    """Serial number of the labelled cell over all photos; shared by the variants of one cell."""


def fit_profile(
    photos: Sequence[LabelledPhoto],
    template: BoardTemplate,
    descriptor: str | None = None,
    progress: Progress = lambda done, total: None,
) -> TableProfile:
    """Returns only the profile of `calibrate`, not judged; raises the same."""
    return _fitted(photos, template, descriptor, progress)[0]


def calibrate(
    photos: Sequence[LabelledPhoto],
    template: BoardTemplate,
    descriptor: str | None = None,
    progress: Progress = lambda done, total: None,
) -> Calibration:
    """Fits and judges the profile of the table in the photos; takes about a second a photo.

    Raises CalibrationError if a photo's board cannot be located or only one class is labelled; WeightsError.
    """
    profile, expectation, template, shown = _fitted(photos, template, descriptor, progress)
    conditions = (*survey(shown, template), found_again(shown, template, profile))
    return Calibration(profile, expectation, conditions)


def _fitted(
    photos: Sequence[LabelledPhoto], template: BoardTemplate, descriptor: str | None, progress: Progress
) -> tuple[TableProfile, Expectation, BoardTemplate, list[Shown]]:
    """The profile, its expected accuracy, the template with the table's shape, and where the boards lie."""
    if not photos:
        raise CalibrationError("no photos to calibrate from")
    template, shown = place_boards(photos, template)
    machine = load_descriptor(template.descriptor if descriptor is None else descriptor)
    if (reader := figure_reader(template)) is None:
        head, expectation = _fitted_head(shown, template, machine, progress)
    else:
        head, expectation = {}, _as_read(shown, template, reader, progress)
    jpeg, image_from_board = _reference(max(shown, key=lambda one: one.board.count(EMPTY)))
    profile = TableProfile(
        game=template.game,
        options=template.options,
        shape=dict(template.shape),
        reference_jpeg=jpeg,
        image_from_board=image_from_board,
        descriptor=machine.name,
        weights_sha256=machine.sha256,
        head=head,
        accuracy=expectation.accuracy,
        boards=expectation.boards if expectation.judged else None,
    )
    return profile, expectation, template, shown


def _as_read(shown: Sequence[Shown], template: BoardTemplate, reader: FigureReader, progress: Progress) -> Expectation:
    """How well the men, who differ in shape, are read by what is known from other boards: nothing is fitted."""
    right = judged = 0
    for done, one in enumerate(shown, 1):
        sides = reader.sides(one.image, one.pose, template)
        known = [letter != OTHER for letter in one.board]
        right += sum(
            template.letters[best] == letter for best, letter in zip(sides.argmax(axis=1), one.board, strict=True)
        )
        judged += sum(known)
        progress(done, len(shown))
    return Expectation(float(right), judged, len(template.cell_names))


def _fitted_head(
    shown: Sequence[Shown], template: BoardTemplate, machine: Descriptor, progress: Progress
) -> tuple[dict[str, NDArray[np.generic]], Expectation]:
    """A head fitted to the cells of the pictures, as arrays, and how well it reads. Raises CalibrationError."""
    examples = _cut_examples(shown, template)
    described, steps = [], np.array_split(np.arange(len(examples.labels)), len(shown))
    for done, rows in enumerate(steps, 1):
        described.append(machine.describe(examples.patches[rows]))
        progress(done, len(shown))
    everything = np.concatenate(described)
    fit, by_picture = _fit(everything, examples, template.letters, machine.name)
    expectation = _expectation(fit, len(examples.labels), len(template.cell_names), by_picture=by_picture)
    trust = generic_trust(everything, examples.labels, template.letters, machine.name)
    return dataclasses.replace(fit.head, trust=trust).arrays(), expectation


def place_boards(photos: Sequence[LabelledPhoto], template: BoardTemplate) -> tuple[BoardTemplate, list[Shown]]:
    """The template with the shape most photos agree on, and the pose of every photo. Raises CalibrationError."""
    rough, shapes = [], []
    for photo in photos:
        if len(photo.cells) != len(template.cell_names):
            raise CalibrationError(f"{photo.name}: {len(photo.cells)} cells; the board has {len(template.cell_names)}")
        pose, shape = _first_pose(photo, template)
        rough.append(pose)
        shapes.append(shape)
    agreed = {name: float(np.median([shape[name] for shape in shapes])) for name in template.shape}
    template = template.with_shape(agreed)
    return template, [
        Shown(photo.image, refine_if_better(photo.image, pose, template), photo.cells)
        for photo, pose in zip(photos, rough, strict=True)
    ]


def _first_pose(photo: LabelledPhoto, template: BoardTemplate) -> tuple[BoardPose, dict[str, float]]:
    if photo.corners_px is None:
        try:
            found = find_board(photo.image, template)
        except OtherSheetError as error:
            raise CalibrationError(f"{photo.name}: {error}") from None
        if found is None:
            raise CalibrationError(f"{photo.name}: no board found; give its corners_px in the labels")
        return found.pose, dict(found.template.shape)
    pose = pose_from_corners(photo.corners_px, template)
    if not is_plausible(pose, template, photo.image):
        raise CalibrationError(f"{photo.name}: corners_px {photo.corners_px.tolist()} are no board in this picture")
    return pose, dict(measure_shape(photo.image, pose, template).shape if template.shape else {})


def _cut_examples(shown: Sequence[Shown], template: BoardTemplate) -> _Examples:
    chance = np.random.default_rng(0)
    centres = project(template.rectified_from_board, template.cells_mm)
    side_px = template.cell_mm * template.pixels_per_mm
    patches, labels, photo, cell = [], [], [], []
    for index, one in enumerate(shown):
        rectified = rectify(one.image, one.pose, template)
        empty = np.array([number for number, letter in enumerate(one.board) if letter == EMPTY], dtype=np.intp)
        spared = chance.permutation(empty)[EMPTIES:] if template.printed is None else empty[:0]
        for number, (centre, letter) in enumerate(zip(centres, one.board, strict=True)):
            if letter == OTHER or number in spared:
                continue
            patches.append(cut_patch(rectified, centre[0], centre[1], side_px))
            patches += [varied_patch(rectified, centre, side_px, chance) for _ in range(VARIANTS)]
            labels.append(letter * (1 + VARIANTS))
            photo += [index] * (1 + VARIANTS)
            cell += [index * len(centres) + number] * (1 + VARIANTS)
    return _Examples(np.stack(patches), "".join(labels), np.array(photo), np.array(cell))


def varied_patch(
    rectified: Image, centre: FloatArray, side_px: float, chance: np.random.Generator
) -> NDArray[np.uint8]:
    """Cuts the cell as it would look with a slightly wrong pose and in different light."""
    x, y = centre + chance.normal(0, 0.04, 2) * side_px
    patch = cut_patch(rectified, x, y, side_px * chance.normal(1, 0.04), PATCH_PX, float(chance.normal(0, 0.06)))
    light = np.exp(chance.normal(0, 0.22)) * np.exp(chance.normal(0, 0.05, 3))
    slope = 1 + chance.normal(0, 0.08) * np.linspace(-1, 1, PATCH_PX)[:, None, None]
    noise = chance.normal(0, chance.uniform(0, 4), patch.shape)
    varied = np.asarray(np.clip(patch * light * slope + noise, 0, 255), dtype=np.uint8)
    if chance.random() < 0.3:
        varied = np.asarray(cv2.GaussianBlur(varied, (0, 0), float(chance.uniform(0.4, 1.4))), dtype=np.uint8)
    return varied


def _fit(described: NDArray[np.float32], examples: _Examples, letters: str, descriptor: str) -> tuple[Fit, bool]:
    """Fits a head, cross-validated by photo if every class is in two or more photos, else by cell; True: by photo."""
    seen_in: dict[str, set[int]] = {letter: set() for letter in examples.labels}
    for letter, photo in zip(examples.labels, examples.photo, strict=True):
        seen_in[letter].add(int(photo))
    by_photo = min(len(photos) for photos in seen_in.values()) >= 2
    groups, labels = examples.photo if by_photo else examples.cell, examples.labels
    if descriptor in GENERIC:
        others = load_generic(descriptor).others
        described = np.concatenate([described, others])
        groups = np.concatenate([groups, groups.max() + 1 + np.arange(len(others))])
        labels, letters = labels + OTHER * len(others), letters + OTHER
    if len(seen_in) < 2:
        only = next(iter(seen_in))
        raise CalibrationError(f"only {only!r} is labelled; add a photo with men of both sides")
    return fit_head(described, labels, letters, groups, copies=1 + VARIANTS), by_photo


def _expectation(fit: Fit, labelled: int, cells: int, *, by_picture: bool) -> Expectation:
    """Counts every labelled cell once, by the share of its variants read right, because the light will change."""
    copies = 1 + VARIANTS
    right = fit.right[:labelled].reshape(-1, copies).mean(axis=1)
    judged = fit.judged[:labelled].reshape(-1, copies).all(axis=1)
    return Expectation(float(right[judged].sum()), int(judged.sum()), cells, by_picture)


def generic_trust(described: NDArray[np.float32], labels: str, letters: str, descriptor: str) -> float:
    """Weight of the generic head at this table, 0 to MAX_TRUST, by its share of the labelled patches read right."""
    if descriptor not in GENERIC:
        return 0.0
    logs, _ = judge(described, letters, None, load_generic(descriptor).head)
    right = np.mean([letters[index] == label for index, label in zip(logs.argmax(axis=1), labels, strict=True)])
    return MAX_TRUST * float(np.clip((right - TRUST_FROM) / (TRUSTED_AT - TRUST_FROM), 0, 1))


def _reference(shown: Shown) -> tuple[bytes, FloatArray]:
    """The picture as JPEG of at most REFERENCE_PX, and its `image_from_board`."""
    image = shown.image
    scale = min(1.0, REFERENCE_PX / max(image.shape[:2]))
    size = round(image.shape[1] * scale), round(image.shape[0] * scale)
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image
    _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, REFERENCE_QUALITY])
    small_from_image = np.diag([size[0] / image.shape[1], size[1] / image.shape[0], 1.0])
    return jpeg.tobytes(), small_from_image @ shown.pose.image_from_board
