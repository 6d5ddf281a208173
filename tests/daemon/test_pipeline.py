"""What the pipeline looks at, and what work it skips, on a drawn board."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest

import games
from calibration.template import BoardTemplate, load_template
from daemon.perception import pipeline as pipelines
from daemon.perception.occlusion_notices import OcclusionNotices
from daemon.perception.pipeline import LOOK_EVERY_S, Observation, Pipeline, is_covered
from tests.vision.drawn import CORNERS, draw, noisy
from vision.frame import Frame, Image
from vision.reading.board_reading import BoardReading
from wording import plain

RATE_HZ = 15.0
RECHECK_S, MAX_RECHECK_S, MAX_WHOLE_S = 1.0, 3.0, 4.0
EMPTY_BOARD = "." * 24
ONE_MAN = EMPTY_BOARD[:7] + "W" + EMPTY_BOARD[8:]


class Film:
    """Feeds drawn pictures with fresh noise to a pipeline, by a clock of its own."""

    def __init__(self, template: BoardTemplate) -> None:
        self.pipeline = Pipeline(template, None)
        self.time_s = 0.0
        self._index = 0

    def show(self, picture: Image, seconds: float) -> list[Observation]:
        return [self.feed(picture) for _ in range(round(seconds * RATE_HZ))]

    def feed(self, picture: Image) -> Observation:
        self._index += 1
        self.time_s += 1 / RATE_HZ
        return self.pipeline.feed(Frame(noisy(picture, self._index), self.time_s, self._index))


@pytest.fixture(scope="module")
def template() -> BoardTemplate:
    return load_template("nine_mens_morris")


@pytest.fixture(scope="module")
def empty(template: BoardTemplate) -> Image:
    return draw(template)[0]


@pytest.fixture(scope="module")
def one_man(template: BoardTemplate) -> Image:
    return draw(template, cells=ONE_MAN)[0]


def look_often(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pipelines, "RECHECK_S", RECHECK_S)
    patch.setattr(pipelines, "MAX_RECHECK_S", MAX_RECHECK_S)
    patch.setattr(pipelines, "MAX_WHOLE_S", MAX_WHOLE_S)


@pytest.fixture(scope="module")
def settled(template: BoardTemplate, empty: Image) -> Film:
    with pytest.MonkeyPatch.context() as patch:
        look_often(patch)
        film = Film(template)
        film.show(empty, 1.0)
    assert film.pipeline.cells_read == 24
    return film


@pytest.fixture
def film(settled: Film, monkeypatch: pytest.MonkeyPatch) -> Film:
    """A second of the empty board has been seen. Finding it costs most of a test, so each gets a copy."""
    look_often(monkeypatch)
    network = settled.pipeline.reader._descriptor
    return copy.deepcopy(settled, {id(network): network})


def readings(observations: list[Observation]) -> list[Observation]:
    return [one for one in observations if one.reading is not None]


def test_the_shape_measured_on_the_board_is_read_by_from_the_first_picture_on(template: BoardTemplate) -> None:
    cells = EMPTY_BOARD[:9] + "WB" + EMPTY_BOARD[11:]
    drawn = template.with_shape({"middle": 0.75, "inner": 0.3})
    film = Film(template)
    first = readings(film.show(draw(drawn, cells=cells)[0], 1.0))[0]
    assert film.pipeline.template.shape == pytest.approx(drawn.shape, abs=0.02)
    assert film.pipeline.reader.template is film.pipeline.template
    assert first.reading is not None and first.reading.board == cells


def test_of_a_board_at_rest_few_frames_are_gone_through(film: Film, empty: Image) -> None:
    seen = film.show(empty, 4.0)
    looks = sum(one.spent is not None for one in seen)
    assert 4.0 / LOOK_EVERY_S * 0.7 <= looks <= 4.0 / LOOK_EVERY_S + 1
    assert all(one.gate is not None and one.gate.settled and not one.gate.fresh for one in seen)
    assert len({one.frame.index for one in seen}) == len(seen)


@pytest.mark.parametrize(
    ("count", "rested", "covered"),
    [(0, False, False), (1, False, True), (1, True, False), (6, True, True), (20, False, False)],
)
def test_cells_that_show_nothing_known_are_covered_but_all_of_them_mean_another_light(
    count: int, rested: bool, covered: bool
) -> None:
    assert is_covered(np.arange(24) < count, rested) == covered


def shown_as_unknown(film: Film, monkeypatch: pytest.MonkeyPatch, cells: list[int]) -> None:
    """From now on the reader takes these cells for unknown."""
    read = film.pipeline.reader.read

    def unsure(*given: Any, **named: Any) -> BoardReading:
        reading = read(*given, **named)
        unknown = np.zeros(len(reading.log_probabilities))
        unknown[cells] = 0.9
        return dataclasses.replace(reading, unknown=unknown)

    monkeypatch.setattr(film.pipeline.reader, "read", unsure)


def test_what_is_newly_unknown_counts_only_after_it_has_rested_also_where_the_gate_is_sure(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_as_unknown(film, monkeypatch, [7, 8])
    assert not readings(film.show(one_man, 3.0))
    late = readings(film.show(one_man, 20.0))
    assert late and late[-1].reading is not None and late[-1].reading.board == ONE_MAN


def test_a_doubtful_cell_is_looked_at_once_more_before_something_is_said_to_lie_over_the_board(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_as_unknown(film, monkeypatch, [7])
    notices, game = OcclusionNotices(), games.load("morris")
    seen = film.show(one_man, 10.0)
    assert any(one.gate is not None and one.gate.phase == "occluded" for one in seen)
    assert not [said for one in seen for said in notices.look(one, game, film.pipeline)]
    assert seen[-1].gate is not None and seen[-1].gate.settled


def test_what_was_unknown_before_holds_nothing_up(
    film: Film, empty: Image, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_as_unknown(film, monkeypatch, [20])
    film.show(empty, 30.0)
    assert readings(film.show(one_man, 2.0))


def test_of_cells_outside_the_picture_nothing_is_known(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = np.ones(24)
    shares[7] = 0.5
    monkeypatch.setattr(pipelines, "cells_in_picture", lambda *_: shares)
    seen = readings(film.show(one_man, 2.0))[-1]
    assert seen.outside == (7,)
    assert seen.reading is not None and seen.reading.unknown is not None
    assert (seen.reading.unknown == 1.0).nonzero()[0].tolist() == [7]
    np.testing.assert_allclose(np.exp(seen.reading.log_probabilities[7]), 1 / 3)


def test_anything_that_stirs_is_gone_through_at_once(film: Film, empty: Image) -> None:
    while film.feed(empty).spent is None:
        pass
    hand = empty.copy()
    hand[200:, 230:300] = (120, 150, 200)
    seen = film.feed(hand)
    assert seen.spent is not None and seen.gate is not None and seen.gate.phase == "moving"


def test_where_no_board_is_in_sight_it_is_looked_for_now_and_then_and_when_something_changes(
    template: BoardTemplate, empty: Image
) -> None:
    film = Film(template)
    seen = film.show(np.full_like(empty, 90), 5 * LOOK_EVERY_S)
    assert all(one.alignment.state == "lost" and one.rectified is None for one in seen)
    assert 4 <= sum(one.spent is not None for one in seen) <= 6
    assert film.feed(empty).spent is not None


def test_why_the_board_is_not_in_sight_is_told_where_something_tells_it(template: BoardTemplate, empty: Image) -> None:
    film = Film(template)
    assert "very dark" in plain(film.pipeline.why_unseen(Frame(empty // 12, 0.0, 0)))
    noise = np.random.default_rng(0).integers(60, 190, empty.shape, dtype=np.uint8)
    assert film.pipeline.why_unseen(Frame(noise, 0.0, 0)) == ()


def test_a_settled_change_costs_only_the_cells_that_changed(film: Film, one_man: Image) -> None:
    seen = readings(film.show(one_man, 1.0))
    assert [one.reading and one.reading.board for one in seen] == [ONE_MAN]
    assert seen[0].spent is not None and 1 <= seen[0].spent.cells <= 3


def test_after_a_change_the_whole_board_is_soon_checked(film: Film, one_man: Image) -> None:
    film.show(one_man, 1.0)
    seen = readings(film.show(one_man, RECHECK_S))
    assert [one.spent.cells for one in seen if one.spent] == [24]


def test_where_most_cells_look_different_the_whole_board_is_read_at_once_and_soon_checked(
    film: Film, template: BoardTemplate
) -> None:
    full = draw(template, cells="WB" * 12)[0]
    seen = readings(film.show(full, 1.0 + RECHECK_S))
    assert [one.spent.cells for one in seen if one.spent] == [24, 24]


def test_while_nothing_changes_the_same_reading_is_given_without_reading(film: Film, empty: Image) -> None:
    seen = readings(film.show(empty, 2.4 * RECHECK_S))
    assert [one.spent.cells for one in seen if one.spent] == [24, 0]
    assert seen[0].reading is seen[1].reading


def test_while_nothing_changes_the_whole_board_is_read_less_and_less_often(film: Film, empty: Image) -> None:
    times = [one.frame.time_s for one in film.show(empty, 20 * RECHECK_S) if one.spent and one.spent.cells == 24]
    pauses = np.diff(times)
    assert pauses[1] > 1.5 * pauses[0]
    assert pauses[-2:] == pytest.approx([MAX_WHOLE_S] * 2, abs=RECHECK_S / 2)


def test_a_cell_that_was_read_wrong_does_not_stay_believed(film: Film, empty: Image) -> None:
    film.show(empty, RECHECK_S)
    right = film.pipeline._reading
    assert right is not None
    wrong = right.log_probabilities.copy()
    wrong[5] = wrong[5][::-1]
    film.pipeline.reader._each = wrong
    film.pipeline._reading = dataclasses.replace(right, log_probabilities=wrong)
    seen = readings(film.show(empty, 3 * RECHECK_S))
    boards = [one.reading.board for one in seen if one.reading]
    assert boards[0] != EMPTY_BOARD and boards[-1] == EMPTY_BOARD


def test_whoever_is_unsure_gets_the_whole_board_read_again_and_again(film: Film, empty: Image) -> None:
    pipeline, before = film.pipeline, film.pipeline.cells_read
    assert pipeline.ask_again()
    film.show(empty, 0.2)
    assert pipeline.cells_read == before + 24
    assert pipeline.ask_again()
    film.show(empty, 0.2)
    assert not pipeline.ask_again()  # three pictures of one still board are enough
    before = pipeline.cells_read
    film.show(empty, RECHECK_S)
    assert pipeline.cells_read == before + 24


def test_a_picture_that_stays_doubtful_is_read_less_and_less_often(film: Film, empty: Image) -> None:
    times = []
    while film.time_s < 9 * RECHECK_S:
        one = film.feed(empty)
        if one.reading is not None:
            times.append(one.frame.time_s)
            while film.pipeline.ask_again():
                film.feed(empty)
    pauses = np.diff(times)
    assert len(pauses) >= 2 and pauses[1] > 1.5 * pauses[0]
    assert pauses.max() < MAX_RECHECK_S + 1


def test_after_another_light_the_whole_board_is_read(film: Film, empty: Image) -> None:
    seen = readings(film.show((empty * 0.7).astype(np.uint8), 1.5))
    assert seen and seen[0].spent is not None and seen[0].spent.cells == 24


def test_another_photo_is_gone_through_even_where_its_preview_looks_the_same(
    film: Film, empty: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "LOOK_EVERY_S", 1e9)
    film.feed(empty)
    assert film.feed(empty).spent is None
    named = Frame(empty, film.time_s + 0.01, 99, "photo.jpg")
    assert film.pipeline.feed(named).spent is not None


def test_a_second_look_that_a_hand_overtakes_is_not_averaged_with_the_board_before_it(
    film: Film, empty: Image, one_man: Image
) -> None:
    assert film.pipeline.ask_again()
    late = readings(film.show(one_man, 1.5))
    assert late and late[0].reading is not None and late[0].reading.board == ONE_MAN
    assert len(film.pipeline._batch) == 1


def test_a_single_cell_that_is_read_as_before_holds_nothing_up_where_it_is_newly_unknown(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_as_unknown(film, monkeypatch, [20])
    assert readings(film.show(one_man, 2.0))


def test_a_single_cell_that_is_newly_unknown_and_read_as_another_man_is_waited_for(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_as_unknown(film, monkeypatch, [7])
    assert not readings(film.show(one_man, 3.0))


def test_a_later_look_comes_when_it_was_asked_for(film: Film, one_man: Image) -> None:
    first = readings(film.show(one_man, 0.7))[-1]
    assert film.pipeline.ask_later(0.5)
    second = readings(film.show(one_man, 0.9))[0]
    assert 0.4 < second.frame.time_s - first.frame.time_s < RECHECK_S


def test_single_cells_apart_that_are_read_as_empty_hold_nothing_up_after_a_start(
    template: BoardTemplate, empty: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = Film(template)
    shown_as_unknown(film, monkeypatch, [0, 11, 23])
    assert readings(film.show(empty, 2.0))


@pytest.mark.parametrize(("place", "read"), [("near it", False), ("elsewhere", True)])
def test_a_man_beside_what_lies_over_the_rim_is_waited_for(
    film: Film, template: BoardTemplate, empty: Image, monkeypatch: pytest.MonkeyPatch, place: str, read: bool
) -> None:
    picture = film.pipeline.gate.picture
    assert picture is not None
    over_the_rim = np.zeros(picture.shape[:2], dtype=np.bool_)
    middle = over_the_rim.shape[1] // 2
    over_the_rim[:12, middle - 3 : middle + 4] = True  # above d7
    cell = 1 if place == "near it" else 22  # d7 or d1
    laid = draw(template, cells=EMPTY_BOARD[:cell] + "W" + EMPTY_BOARD[cell + 1 :])[0]
    monkeypatch.setattr(film.pipeline.gate, "_over_the_rim", lambda *_: over_the_rim)
    assert bool(readings(film.show(laid, 2.0))) == read
    monkeypatch.setattr(film.pipeline.gate, "_over_the_rim", lambda *_: None)
    film.show(empty, 1.0)
    assert readings(film.show(laid, 2.0))


@pytest.mark.parametrize(("known", "read_after_s"), [(True, 2.0), (False, 0.0)])
def test_the_first_picture_after_a_new_lock_shows_a_change_only_once_it_has_stood_still_for_long(
    template: BoardTemplate, one_man: Image, known: bool, read_after_s: float
) -> None:
    """It may be a fingertip of a resting hand, as no picture shows the board without it."""
    film = Film(template)
    film.pipeline.believed = EMPTY_BOARD if known else ""
    first = next(one for one in film.show(one_man, 4.0) if one.reading is not None)
    assert read_after_s < first.frame.time_s < read_after_s + 1.5
    assert first.reading is not None and first.reading.board == ONE_MAN


def test_what_is_believed_is_read_at_once_after_a_new_lock(template: BoardTemplate, one_man: Image) -> None:
    film = Film(template)
    film.pipeline.believed = ONE_MAN
    assert readings(film.show(one_man, 1.5))


def test_a_photo_is_read_though_nothing_else_confirms_it(template: BoardTemplate, one_man: Image) -> None:
    pipeline = Pipeline(template, None)
    pipeline.believed = EMPTY_BOARD
    assert readings([pipeline.feed(Frame(one_man, number / 10, number, "1.jpg")) for number in range(15)])


def frozen(film: Film, picture: Image, seconds: float) -> list[Observation]:
    """Feeds the identical picture again and again while the film's time passes."""
    begun_s, film.time_s = film.time_s, film.time_s + seconds
    return [
        film.pipeline.feed(Frame(picture, begun_s + (number + 1) / RATE_HZ, number))
        for number in range(round(seconds * RATE_HZ))
    ]


def test_photographs_sent_as_a_stream_are_read_as_those_of_a_folder(
    template: BoardTemplate, empty: Image, one_man: Image
) -> None:
    film = Film(template)
    film.pipeline.believed = EMPTY_BOARD
    first = next(one for one in frozen(film, one_man, 4.0) if one.reading is not None)
    assert first.reading is not None and first.reading.board == ONE_MAN
    film.pipeline.believed = ONE_MAN
    second = [one.reading.board for one in frozen(film, empty, 4.0) if one.reading is not None]
    assert second[-1] == EMPTY_BOARD


def test_a_frozen_camera_proves_no_change_after_a_new_lock(template: BoardTemplate, one_man: Image) -> None:
    film = Film(template)
    film.pipeline.believed = EMPTY_BOARD
    film.show(one_man, 0.2)
    still = frozen(film, one_man, 12.0)
    assert not readings(still)
    assert still[-1].frozen
    assert readings(film.show(one_man, 8.0))


def test_the_board_is_read_through_what_covers_several_cells_that_are_all_known(
    film: Film, template: BoardTemplate, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    film.show(one_man, 2.0)
    rectified = film.show(one_man, 0.2)[-1].rectified
    assert rectified is not None and film.pipeline.gate.picture is not None
    things = np.zeros(film.pipeline.gate.picture.shape[:2], dtype=np.bool_)
    assert not film.pipeline._reads_through(rectified, 0.0, things)  # covers no cell, so it may be a fingertip
    things[:, : things.shape[1] // 2] = True
    assert film.pipeline._reads_through(rectified, 0.0, things)
    shown_as_unknown(film, monkeypatch, [0])  # a7, under the obstacle
    assert not film.pipeline._reads_through(rectified, 0.0, things)


def test_what_changed_while_something_was_read_through_is_in_the_next_reading(
    film: Film, template: BoardTemplate, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(film.pipeline.gate, "_things_over", lambda small, _: np.ones(small.shape[:2], dtype=np.bool_))
    first = readings(film.show(one_man, 5.0))[0]
    assert first.reading is not None and first.reading.board == ONE_MAN


def test_photos_sent_as_a_stream_are_never_taken_for_a_camera_that_lives(template: BoardTemplate, empty: Image) -> None:
    """The pose found for a photo settles over its first pictures, so the rectified ones differ; those sent do not."""
    pipeline, time_s = Pipeline(template, None), 0.0
    for photo, count in ((empty, 1), (draw(template, CORNERS + 2.4, cells=ONE_MAN)[0], 8)):
        for _ in range(count):
            time_s += 0.2
            seen = pipeline.feed(Frame(photo, time_s, round(5 * time_s)))
    assert not pipeline.gate.lives
    assert seen.gate is not None and seen.gate.settled
