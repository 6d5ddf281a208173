"""A profile's expected quality, and the cases in which none is made."""

from __future__ import annotations

import dataclasses

import pytest

from tests.calibration.test_profile import PROFILE
from vision.calibrating.verdict import MIN_BOARDS, Condition, Expectation, RefusedError, Verdict
from wording import sentence

PERFECT = Expectation(96, 96, 24)
POOR = Expectation(88, 96, 24)
LOW = Condition("elevation", 10.0, sentence("Raise the camera."))
DIM = Condition("brightness", 25.0, sentence("Switch on a light."))


def test_few_cells_without_a_fault_promise_less_than_many() -> None:
    few, many = Expectation(24, 24, 24), Expectation(960, 960, 24)
    assert few.boards < PERFECT.boards < many.boards < 1
    assert few.boards_between[0] < PERFECT.boards_between[0] < many.boards_between[0]


def test_whole_boards_are_rarer_than_right_cells() -> None:
    expected = Expectation(950, 1000, 24)
    assert expected.boards == pytest.approx(0.95**24, abs=0.02)
    low, high = expected.boards_between
    assert low < expected.boards < high


def test_the_words_tell_boards_cells_and_how_little_is_known() -> None:
    assert PERFECT.text.startswith("I expect about 99 of 100 boards to be read wholly right (between ")
    assert "of 100 cells 100.0 were right" in PERFECT.text and "which flatters" not in PERFECT.text
    assert "which flatters" in dataclasses.replace(PERFECT, by_picture=False).text
    assert "cannot be told" in Expectation(0, 0, 24).text


def test_good_table_gets_an_unmarked_profile_and_may_be_advised() -> None:
    verdict = Verdict(PERFECT, (DIM,))
    assert not verdict.doubts and verdict.remarks == ("Switch on a light.",)
    assert verdict.accepted(PROFILE, accept=False).doubts == ()


def test_bad_accuracy_is_refused_with_the_advice_of_what_is_amiss() -> None:
    verdict = Verdict(POOR, (DIM,))
    assert POOR.boards < MIN_BOARDS
    with pytest.raises(RefusedError, match=r"At least 50 of 100 are needed\. Switch on a light\. With --accept"):
        verdict.accepted(PROFILE, accept=False)
    assert "No single cause" in Verdict(POOR, ()).doubts[1]


def test_refusing_condition_refuses_however_well_the_pictures_were_read() -> None:
    with pytest.raises(RefusedError, match=r"refused: Raise the camera\."):
        Verdict(PERFECT, (DIM, LOW)).accepted(PROFILE, accept=False)


def test_accepted_profile_is_marked_with_what_was_said_against_it() -> None:
    assert Verdict(PERFECT, (LOW,)).accepted(PROFILE, accept=True).doubts == ("Raise the camera.",)


def test_accuracy_that_cannot_be_judged_is_refused() -> None:
    assert "lay or label men of every kind" in Verdict(Expectation(0, 0, 24), ()).doubts[0]


def test_machines_are_told_everything() -> None:
    told = Verdict(POOR, (LOW,)).as_json(("a",) * 24, accept=False)
    assert told["accuracy"] == pytest.approx(88 / 96, abs=1e-4) and told["judged_cells"] == 96
    assert told["expected_boards"] < told["expected_boards_between"][1] and told["accepted"] is False
    assert told["conditions"][0]["name"] == "elevation" and len(told["doubts"]) == 2
    assert Verdict(POOR, (LOW,)).as_json(("a",) * 24, accept=True)["accepted"] is True
