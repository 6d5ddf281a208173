"""Reading of drawn boards with and without a profile, with single cells changed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from calibration.profile import ProfileError, TableProfile
from calibration.template import load_template
from tests.vision.drawn import draw, random_cells, random_corners, random_look
from vision.calibrating.calibrate import LabelledPhoto, fit_profile
from vision.finding.finder import find_board
from vision.frame import Image
from vision.pose import rectify
from vision.reading.cells import differing
from vision.reading.reader import Reader, reference_of

TEMPLATE = load_template("nine_mens_morris")
CELLS = "W" + "." * 9 + "B" + "." * 12 + "W"


def steady(cells: str, seed: int = 0) -> Image:
    image, pose = draw(TEMPLATE, cells=cells, seed=seed)
    return rectify(image, pose, TEMPLATE)


@pytest.fixture(scope="module")
def profile() -> TableProfile:
    photos = []
    for index, cells in enumerate(("." * 24, "WB" * 6 + "." * 12, "." * 12 + "BW" * 6)):
        image, pose = draw(TEMPLATE, cells=cells, seed=index)
        photos.append(LabelledPhoto(f"{index}.jpg", image, cells, pose.corners_px(TEMPLATE)))
    return fit_profile(photos, TEMPLATE)


@pytest.fixture
def reader() -> Reader:
    return Reader(TEMPLATE)


def test_board_that_nobody_calibrated_is_read() -> None:
    reading = Reader(TEMPLATE).read(steady(CELLS), time_s=2.5)
    assert reading.board == CELLS
    assert (reading.time_s, reading.letters) == (2.5, ".WB")
    assert np.allclose(np.exp(reading.log_probabilities).sum(axis=1), 1)


def test_most_cells_of_boards_in_any_style_are_read_without_a_profile() -> None:
    chance, right = np.random.default_rng(3), 0
    for seed in range(12):
        cells = random_cells(chance, TEMPLATE)
        image, pose = draw(TEMPLATE, random_corners(chance), cells, random_look(chance), seed)
        board = Reader(TEMPLATE).read(rectify(image, pose, TEMPLATE), 0.0).board
        right += sum(said == true for said, true in zip(board, cells, strict=True))
    assert right >= 0.93 * 12 * 24


def test_profile_makes_reading_surer(profile: TableProfile) -> None:
    picture = steady(CELLS, seed=7)
    with_profile = Reader(TEMPLATE, profile).read(picture, 0.0)
    assert with_profile.board == CELLS
    assert with_profile.confidence.min() > 0.85


def test_covered_cell_comes_out_less_sure_than_a_seen_one(profile: TableProfile) -> None:
    picture = steady(CELLS, seed=7)
    reader = Reader(TEMPLATE, profile)
    seen = reader.read(picture, 0.0).confidence
    hand = picture.copy()
    chance = np.random.default_rng(0)
    hand[150:380, 130:400] = np.clip(np.array([110, 140, 195]) + chance.normal(0, 9, (230, 270, 3)), 0, 255)
    covered = reader.read(hand, 0.0)
    inner = [6, 7, 8, 10, 11, 12, 13, 15, 16, 17]
    assert covered.confidence[inner].mean() < seen[inner].mean() - 0.1
    outer = [0, 2, 21, 23]
    assert covered.unknown is not None
    assert covered.unknown[inner].mean() > 0.3 > 0.15 > covered.unknown[outer].mean()


def test_cells_that_are_not_read_again_keep_what_is_unknown_of_them(reader: Reader) -> None:
    before = reader.read(steady(CELLS), 0.0)
    changed = np.arange(24) == 3
    after = reader.read(np.full_like(steady(CELLS), 128), 1.0, changed=changed)
    assert before.unknown is not None and after.unknown is not None
    assert np.array_equal(after.unknown[~changed], before.unknown[~changed])


def unlike(reader: Reader, picture: Image) -> list[int]:
    """The cells that look different from their last reading."""
    assert reader.look is not None
    return np.flatnonzero(differing(reader.look.patches, reader.patches(picture))).tolist()


def test_only_the_cell_that_changed_looks_different(reader: Reader) -> None:
    reader.read(steady(CELLS), 0.0)
    assert not unlike(reader, steady(CELLS))
    assert unlike(reader, steady("." + CELLS[1:4] + "W" + CELLS[5:])) == [0, 4]


@pytest.mark.parametrize("gain", [0.7, 0.85, 1.1])
def test_change_of_light_is_no_change(reader: Reader, gain: float) -> None:
    picture = steady(CELLS)
    reader.read(picture, 0.0)
    assert not unlike(reader, np.clip(picture * gain, 0, 255).astype(np.uint8))


def test_unchanged_cells_keep_what_was_read(reader: Reader) -> None:
    before = reader.read(steady(CELLS), 1.0)
    changed = np.zeros(24, dtype=np.bool_)
    changed[3] = True
    after = reader.read(steady("B" * 24), 2.0, changed=changed)
    assert after.board == CELLS[:3] + "B" + CELLS[4:]
    assert np.array_equal(after.log_probabilities[~changed], before.log_probabilities[~changed])
    assert after.time_s == 2.0


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ({"game": "reversi"}, "made for reversi"),
        ({"weights_sha256": "0" * 64}, "other weights"),
        ({"descriptor": "magic"}, "no descriptor 'magic'"),
        ({"descriptor": "hog", "weights_sha256": ""}, "does not fit hog"),
        ({"head": {}}, "calibrate again"),
    ],
)
def test_profile_of_something_else_or_a_damaged_one_is_refused(
    profile: TableProfile, spoilt: dict[str, object], said: str
) -> None:
    with pytest.raises(ProfileError, match=said):
        Reader(TEMPLATE, dataclasses.replace(profile, **spoilt))


def test_profile_with_a_damaged_picture_is_refused(profile: TableProfile) -> None:
    with pytest.raises(ProfileError, match="reference picture is damaged"):
        reference_of(dataclasses.replace(profile, reference_jpeg=b"no picture"))


def test_what_is_looked_at_follows_the_cells_that_were_read_again(reader: Reader) -> None:
    reader.read(steady(CELLS), 0.0)
    first, changed = reader.look, np.arange(24) == 3
    reader.read(steady("B" * 24), 1.0, changed=changed)
    assert first is not None and reader.look is not None
    differs = np.abs(reader.look.descriptors - first.descriptors).max(axis=1) > 0
    assert np.flatnonzero(differs).tolist() == [3]


@pytest.mark.parametrize("board", ["six", "three"])
def test_the_small_boards_of_morris_are_found_by_their_lines_and_read(board: str) -> None:
    template = load_template("nine_mens_morris", frozenset({f"board={board}"}))
    chance, right, cells_seen = np.random.default_rng(4), 0, 0
    for seed in range(4):
        cells = "".join(chance.choice(list("...WB"), len(template.cell_names)))
        image, pose = draw(template, cells=cells, seed=seed)
        found = find_board(image, template)
        assert found is not None
        apart = np.linalg.norm(found.pose.corners_px(found.template) - pose.corners_px(template), axis=1).max()
        assert apart < 12
        read = Reader(found.template).read(rectify(image, found.pose, found.template), 0.0).board
        right += sum(said == true for said, true in zip(read, cells, strict=True))
        cells_seen += len(cells)
    assert right >= 0.93 * cells_seen
