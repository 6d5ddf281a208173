"""What the pipeline looks at, and what work it skips, on a drawn board."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from daemon.perception import pipeline as pipelines
from daemon.perception.pipeline import LOOK_EVERY_S, Observation, Pipeline
from tests.vision.drawn import CORNERS, draw, noisy
from vision.frame import Frame, Image
from vision.reading.board_reading import BoardReading
from vision.sources.encoded import EncodedFrame, peek
from wording import plain

RATE_HZ = 15.0
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
        return self.pipeline.feed(Frame(noisy(picture, self._index + self._index // 8), self.time_s, self._index))


@pytest.fixture(scope="module")
def template() -> BoardTemplate:
    return load_template("nine_mens_morris")


@pytest.fixture(scope="module")
def empty(template: BoardTemplate) -> Image:
    return draw(template)[0]


@pytest.fixture(scope="module")
def one_man(template: BoardTemplate) -> Image:
    return draw(template, cells=ONE_MAN)[0]


@pytest.fixture(scope="module")
def settled(template: BoardTemplate, empty: Image) -> Film:
    film = Film(template)
    film.show(empty, 1.0)
    assert film.pipeline.looks.cells_read == 24
    return film


@pytest.fixture
def film(settled: Film) -> Film:
    """A second of the empty board has been seen. Finding it costs most of a test, so each gets a copy."""
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


def test_a_start_without_men_is_not_looked_at_for_what_it_may_teach(film: Film, empty: Image) -> None:
    film.pipeline.expected = (EMPTY_BOARD,)
    film.show(empty, 2.0)
    assert film.pipeline.looks.cells_read == 24


def shown_as_unknown(film: Film, monkeypatch: pytest.MonkeyPatch, cells: list[int]) -> None:
    """From now on the reader takes these cells for unknown."""
    read = film.pipeline.reader.judge

    def unsure(*given: Any, **named: Any) -> BoardReading:
        reading = read(*given, **named)
        unknown = np.zeros(len(reading.log_probabilities))
        unknown[cells] = 0.9
        return dataclasses.replace(reading, unknown=unknown)

    monkeypatch.setattr(film.pipeline.reader, "judge", unsure)


def test_anything_that_stirs_is_gone_through_within_half_the_settling_time(film: Film, empty: Image) -> None:
    while film.feed(empty).spent is None:
        pass
    hand = empty.copy()
    hand[200:, 230:300] = (120, 150, 200)
    seen = film.show(hand, film.pipeline.gate.settle_s / 2 + 0.1)
    seen = [one for one in seen if one.spent is not None]
    assert seen and seen[0].gate is not None and seen[0].gate.phase == "moving"


def test_of_a_board_at_rest_few_pictures_are_decoded_even_for_a_glance(film: Film, empty: Image) -> None:
    film.show(empty, 1.0)
    coded = peek(cv2.imencode(".jpg", empty)[1].tobytes())
    assert coded is not None
    frames = [EncodedFrame(coded, film.time_s + number / 15, number) for number in range(30)]
    for frame in frames:
        film.pipeline.feed(frame)
    glanced = sum("preview" in vars(frame) for frame in frames)
    assert 30 / 15 / film.pipeline.gate.settle_s <= glanced <= 30 / 15 / (film.pipeline.gate.settle_s / 2) + 1


def test_where_no_board_is_in_sight_it_is_looked_for_now_and_then_and_when_something_changes(
    template: BoardTemplate, empty: Image
) -> None:
    film = Film(template)
    seen = film.show(np.full_like(empty, 90), 5 * LOOK_EVERY_S)
    assert all(one.alignment.state == "lost" and one.rectified is None for one in seen)
    assert 4 <= sum(one.spent is not None for one in seen) <= 6
    assert any(one.spent is not None for one in film.show(empty, film.pipeline.gate.settle_s / 2 + 0.1))


def test_why_the_board_is_not_in_sight_is_told_where_something_tells_it(template: BoardTemplate, empty: Image) -> None:
    film = Film(template)
    assert "very dark" in plain(film.pipeline.why_unseen(Frame(empty // 12, 0.0, 0)))
    noise = np.random.default_rng(0).integers(60, 190, empty.shape, dtype=np.uint8)
    assert film.pipeline.why_unseen(Frame(noise, 0.0, 0)) == ()


def test_a_settled_change_costs_only_the_cells_that_changed(film: Film, one_man: Image) -> None:
    seen = readings(film.show(one_man, 1.0))
    assert {one.reading and one.reading.board for one in seen} == {ONE_MAN}
    assert 25 <= film.pipeline.looks.cells_read <= 27


def test_another_photo_is_gone_through_even_where_its_preview_looks_the_same(
    film: Film, empty: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "LOOK_EVERY_S", 1e9)
    film.feed(empty)
    assert film.feed(empty).spent is None
    named = Frame(empty, film.time_s + 0.01, 99, "photo.jpg")
    assert film.pipeline.feed(named).spent is not None


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


def test_photos_sent_as_a_stream_are_never_taken_for_a_camera_that_lives(template: BoardTemplate, empty: Image) -> None:
    """The pose found for a photo settles over its first pictures, so the rectified ones differ; those sent do not."""
    pipeline, time_s = Pipeline(template, None), 0.0
    for photo, count in ((empty, 1), (draw(template, CORNERS + 2.4, cells=ONE_MAN)[0], 8)):
        for _ in range(count):
            time_s += 0.2
            seen = pipeline.feed(Frame(photo, time_s, round(5 * time_s)))
    assert not pipeline.gate.time.lives
    assert seen.gate is not None and seen.gate.settled


def test_while_nothing_changes_nothing_is_read_or_judged(film: Film, empty: Image) -> None:
    film.show(empty, 8.0)  # how sure each cell is grows with the time for which it has stood
    assert not readings(film.show(empty, 8.0))
    assert film.pipeline.looks.cells_read == 24


def test_another_light_is_nothing_to_be_read(film: Film, empty: Image) -> None:
    seen = film.show((empty * 0.7).astype(np.uint8), 2.0)
    assert film.pipeline.looks.cells_read == 24 and not any(one.glimpse for one in seen)


def test_cells_that_show_nothing_known_are_told_by_and_by(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_as_unknown(film, monkeypatch, [7])
    told = [one.reading.confidence[7] for one in readings(film.show(one_man, 12.0)) if one.reading is not None]
    assert told[0] < 0.75 and told[-1] > 0.9
    assert (np.diff(told) > 0).all()


def test_whoever_is_unsure_gets_what_lies_open_read_again(film: Film, empty: Image) -> None:
    pipeline = film.pipeline
    for count in (2, 3):
        assert pipeline.looks.ask_again()
        assert len(readings(film.show(empty, 0.4))) == 1
        assert pipeline.looks.cells_read == count * 24
    assert not pipeline.looks.ask_again()  # three pictures of one still board are enough


def test_a_second_look_that_a_change_overtakes_is_not_averaged_with_the_board_before_it(
    film: Film, one_man: Image
) -> None:
    assert film.pipeline.looks.ask_again()
    late = readings(film.show(one_man, 1.5))
    assert late and late[-1].reading is not None and late[-1].reading.board == ONE_MAN
    assert late[-1].reading.confidence[7] > 0.95


def test_while_something_is_not_decided_every_picture_is_read(film: Film, one_man: Image) -> None:
    film.show(one_man, 10.0)
    assert not readings(film.show(one_man, 0.9))
    film.pipeline.awaited = True
    assert len(readings(film.show(one_man, 0.9))) > 3


def with_hand(picture: Image, shift: int = 0) -> Image:
    """A hand from the right over f4 and g4."""
    covered = picture.copy()
    covered[225 + shift : 275 + shift, 400:] = (60, 70, 130)
    return covered


def test_a_man_laid_elsewhere_than_a_hand_that_moves_is_known_but_waited_for(
    film: Film, empty: Image, one_man: Image
) -> None:
    film.show(empty, 1.0)
    seen = [film.feed(with_hand(one_man if step > 8 else empty, 12 * (step % 2))) for step in range(30)]
    assert not readings(seen)
    assert all(one.glimpse is None for one in seen), "the hand may lay another man"
    known = film.pipeline.looks.told
    assert known is not None and known.board[7] == "W" and known.confidence[7] > 0.95
    assert known.blank[[13, 14]].all() and not known.blank[7]


def test_a_hand_that_rests_hides_its_cells_and_play_elsewhere_goes_on(film: Film, empty: Image, one_man: Image) -> None:
    film.show(empty, 1.0)
    film.show(with_hand(empty), 8.0)
    last = readings(film.show(with_hand(one_man), 2.0))[-1].reading
    assert last is not None and last.board[7] == "W" and last.confidence[7] > 0.95
    assert last.blank[[13, 14]].all()


def test_of_cells_outside_the_picture_nothing_is_known(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = np.ones(24)
    shares[7] = 0.5
    monkeypatch.setattr(pipelines, "cells_in_picture", lambda *_: shares)
    assert readings(film.show(one_man, 2.0))[-1].outside == (7,)


@pytest.mark.parametrize("known", [True, False])
def test_the_first_picture_after_a_new_lock_shows_a_change_surely_only_once_it_has_stood_still_for_long(
    template: BoardTemplate, one_man: Image, known: bool
) -> None:
    """It may be a fingertip of a resting hand, as no picture shows the board without it."""
    film = Film(template)
    film.pipeline.believed = EMPTY_BOARD if known else ""
    seen = [one for one in film.show(one_man, 5.0) if one.reading is not None]
    sure = [one.frame.time_s for one in seen if one.reading is not None and one.reading.confidence[7] > 0.97]
    assert sure and sure[0] - 1 / RATE_HZ > 1.5
    assert seen[-1].reading is not None and seen[-1].reading.board == ONE_MAN


def test_a_frozen_camera_proves_no_change_after_a_new_lock(template: BoardTemplate, one_man: Image) -> None:
    film = Film(template)
    film.pipeline.believed = EMPTY_BOARD
    film.show(one_man, 0.2)
    still = frozen(film, one_man, 12.0)
    assert still[-1].frozen and still[-1].gate is not None
    assert still[-1].gate.own_s.max() < LOOK_EVERY_S * 2 + 0.5 and not film.pipeline.rested()
    assert readings(film.show(one_man, 8.0)) and film.pipeline.rested()


def test_the_board_is_read_through_what_covers_several_cells_that_are_all_known(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    film.show(one_man, 2.0)
    rectified = film.show(one_man, 0.2)[-1].rectified
    assert rectified is not None
    under = np.arange(24) < 2
    assert not film.pipeline._reads_through(rectified, 0.0, under)  # so few that it may be a fingertip
    under = np.arange(24) < 8
    assert film.pipeline._reads_through(rectified, 0.0, under)
    shown_as_unknown(film, monkeypatch, [0])
    assert not film.pipeline._reads_through(rectified, 0.0, under)


def test_what_is_read_without_doubt_but_otherwise_than_before_may_be_a_bowl_of_stones(
    film: Film, one_man: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    under = np.arange(24) < 8
    rectified = film.feed(one_man).rectified
    assert rectified is not None and not film.pipeline._reads_through(rectified, 0.0, under)
    before = film.pipeline.looks.free(0.0)
    assert before is not None
    hand = dataclasses.replace(before, unknown=(np.arange(24) == 5).astype(np.float64))
    monkeypatch.setattr(film.pipeline.looks, "free", lambda time_s: hand)
    assert film.pipeline._reads_through(rectified, 0.0, under)
