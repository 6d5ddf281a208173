"""Words for whoever holds the camera: from pictures of boards that are cut off, far away, mirrored, or shaking."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from daemon.perception.pipeline import Observation, Pipeline
from daemon.run.phone_guest import Aiming, corners_of, in_short, why_not_found
from daemon.words.translation import in_words
from tests.vision.drawn import CORNERS, SIZE_PX, draw
from tests.vision.test_which_board import photo, sheet
from tests.waiting import wait_for
from vision.finding.finder import mirrored
from vision.finding.why_unseen import Unseen, cut_off
from vision.frame import Frame, Image
from wording import sentence

MORRIS = load_template("nine_mens_morris")
CUT = {
    "The right edge is missing.": [[330, 70], [730, 70], [760, 420], [310, 425]],
    "The near edge is missing.": [[170, 200], [480, 200], [510, 560], [140, 565]],
}


def seen(image: Image, template: BoardTemplate = MORRIS) -> Observation:
    return Pipeline(template, None).feed(Frame(image, 0.0, 0))


def words_for(aiming: Aiming, image: Image, facing: str = "environment", *, shakes: bool = False) -> str:
    return in_words(*aiming.words(seen(image), MORRIS, SIZE_PX, facing, shakes=shakes))


@pytest.mark.parametrize("words", CUT)
def test_a_missing_edge_is_named_from_where_the_phone_is(words: str) -> None:
    why = why_not_found(draw(MORRIS, np.array(CUT[words], dtype=np.float64))[0], MORRIS)
    assert in_words(*in_short(why, "environment")) == words
    assert in_words(*in_short(cut_off(("left", "top")), "")) == "The left edge is missing. The far edge is missing."


def test_a_board_far_away_is_found_in_a_part_of_the_picture_and_asks_for_closer() -> None:
    near, _ = draw(MORRIS)
    far = np.full((5 * SIZE_PX[1], 5 * SIZE_PX[0], 3), 60, np.uint8)
    far[: SIZE_PX[1], : SIZE_PX[0]] = near
    assert seen(far).alignment.pose is None
    assert in_words(*in_short(why_not_found(far, MORRIS), "")) == "Closer."


def test_a_mirrored_picture_is_told_to_be_the_front_cameras_if_it_is() -> None:
    image, template = mirrored(photo(sheet("reversi"))[0]), load_template("reversi")
    why = why_not_found(image, template)
    assert in_words(*in_short(why, "user")) == "That is the front camera: the picture is mirrored."
    assert "front" not in in_words(*in_short(why, "environment"))


def test_a_board_that_is_seen_well_needs_no_words_and_has_its_corners() -> None:
    aiming, (image, _) = Aiming(), draw(MORRIS)
    assert words_for(aiming, image) == ""
    assert words_for(aiming, image, shakes=True) == "Lean it: the picture shakes."
    assert words_for(aiming, image, "user") == "That is the front camera. Use the one on the back."
    found = np.array(corners_of(seen(image), MORRIS, SIZE_PX)) * SIZE_PX
    apart_px = np.linalg.norm(found[:, None] - CORNERS, axis=2).min(axis=1)
    assert apart_px.max() < 5.0


def test_the_search_runs_beside_and_one_at_a_time() -> None:
    asked: list[Image] = []
    found = threading.Event()

    def search(image: Image, _: BoardTemplate) -> Unseen:
        asked.append(image)
        found.wait(20)
        return cut_off(("top",))

    aiming, bare = Aiming(search), np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8)
    lost = seen(bare)
    assert corners_of(lost, MORRIS, SIZE_PX) == []
    for _ in range(50):
        assert aiming.words(lost, MORRIS, SIZE_PX, "", shakes=False) == ()
    found.set()
    began_s, words = time.monotonic(), ""
    while not words and time.monotonic() < began_s + 20:
        words = in_words(*aiming.words(lost, MORRIS, SIZE_PX, "", shakes=False))
    assert words == "The far edge is missing." and len(asked) == 1
    assert words_for(aiming, draw(MORRIS)[0]) == ""


def test_a_search_that_ends_while_another_is_asked_for_is_not_followed_by_one_at_once() -> None:
    class Ended(threading.Thread):
        """A search that ends at the very moment when somebody looks whether it still runs."""

        def is_alive(self) -> bool:
            aiming._due_s = time.monotonic() + 60
            return False

    def search(image: Image, _: BoardTemplate) -> Unseen:
        raise AssertionError("searched again")

    aiming = Aiming(search)
    aiming._thread = Ended()
    aiming.words(seen(np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8)), MORRIS, SIZE_PX, "", shakes=False)
    assert isinstance(aiming._thread, Ended)


def test_what_was_wrong_with_the_light_is_forgotten_with_the_light() -> None:
    dark = Unseen("dark", sentence("The picture is very dark."), sentence("Switch on a light."))
    searches: list[Image] = []
    release = threading.Event()

    def search(image: Image, _: BoardTemplate) -> Unseen:
        searches.append(image)
        if len(searches) > 1:
            release.wait(20)
        return dark

    aiming = Aiming(search)
    night, day = (seen(np.full((SIZE_PX[1], SIZE_PX[0], 3), shade, np.uint8)) for shade in (5, 90))
    assert in_words(*aiming.words(night, MORRIS, SIZE_PX, "", shakes=False)) == dark.text
    wait_for(lambda: searches and not (aiming._thread and aiming._thread.is_alive()))
    assert aiming.words(day, MORRIS, SIZE_PX, "", shakes=False) == ()
    aiming._due_s = 0.0
    aiming.words(day, MORRIS, SIZE_PX, "", shakes=False)
    wait_for(lambda: len(searches) == 2)
    assert in_words(*aiming.words(night, MORRIS, SIZE_PX, "", shakes=False)) == dark.text
    assert aiming.words(day, MORRIS, SIZE_PX, "", shakes=False) == ()
    release.set()


def test_pictures_that_are_judged_late_are_told_where_the_board_is_seen_well() -> None:
    aiming, (image, _) = Aiming(), draw(MORRIS)
    late = aiming.words(seen(image), MORRIS, SIZE_PX, "environment", shakes=False, late=True)
    assert in_words(*late) == "The computer is too busy: moves are seen late. End other programs on it."
