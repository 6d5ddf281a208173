"""While a hand is over one part of the board a ply that lies open elsewhere counts; one under the hand does not."""

from __future__ import annotations

import numpy as np
import pytest

import games
from daemon.judging.referee import Referee
from daemon.perception.glimpses import lies_open
from daemon.perception.reading_interpreter import ReadingInterpreter
from vision.reading.board_reading import BoardReading

GAME = games.load("chess")
START = GAME.board(GAME.initial())
E4 = START[:36] + "W" + START[37:52] + "." + START[53:]
E4_E5 = E4[:12] + "." + E4[13:28] + "B" + E4[29:]
SURE = 6.0
"""Nats by which each cell is read as what it shows."""


def glimpse(board: str, hidden: str = "", faint: str = "") -> BoardReading:
    """The board with the named cells hidden; the `faint` ones are hardly read."""
    nats = [0.5 if name in faint.split() else SURE for name in GAME.cells]
    logs = np.array(
        [
            [0.0 if letter == shown else -sure for letter in GAME.classes]
            for shown, sure in zip(board, nats, strict=True)
        ]
    )
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    reading = BoardReading(logs, GAME.classes, 0.0, unknown=np.zeros(len(board)))
    return reading.without(np.array([name in hidden.split() for name in GAME.cells]))


def counts(reading: BoardReading) -> bool:
    """Whether plies of a new game are taken at once from what is seen."""
    referee = Referee(GAME)
    event = ReadingInterpreter().explain(referee, reading, ())
    return lies_open(event, START)


@pytest.mark.parametrize("board", [E4, E4_E5])
def test_open_plies_count_while_a_hand_is_elsewhere(board: str) -> None:
    assert counts(glimpse(board, "a8 b8 a7 b7"))


@pytest.mark.parametrize("hidden", ["e4", "e2", "e4 d5 e5"])
def test_a_ply_under_the_hand_waits(hidden: str) -> None:
    assert not counts(glimpse(E4, hidden))
    assert counts(glimpse(E4))


def test_a_ply_that_has_hardly_been_seen_waits() -> None:
    assert not counts(glimpse(E4, faint="e4"))


def test_fingers_that_are_taken_for_men_are_no_ply() -> None:
    assert not counts(glimpse(E4[:28] + "BB" + E4[30:]))  # over e5 and f5


def test_nothing_is_guessed() -> None:
    lifted = START[:52] + "." + START[53:]
    assert not counts(glimpse(START))
    assert not counts(glimpse(lifted)) and not counts(glimpse(lifted, "e4"))
