"""While a hand is over one part of the board a ply that lies open elsewhere counts; one under the hand does not."""

from __future__ import annotations

import numpy as np

import games
from calibration.template import load_template
from daemon.judging.referee import Referee
from daemon.perception.glimpses import Glimpses
from daemon.perception.reading_interpreter import ReadingInterpreter
from vision.reading.board_reading import BoardReading

GAME = games.load("chess")
START = GAME.board(GAME.initial())
E4 = START[:36] + "W" + START[37:52] + "." + START[53:]
SURE = 6.0
"""Nats by which each cell is read as what it shows."""


def glimpse(board: str, hidden: str = "") -> BoardReading:
    """The board with the named cells hidden."""
    logs = np.array([[0.0 if letter == shown else -SURE for letter in GAME.classes] for shown in board])
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    reading = BoardReading(logs, GAME.classes, 0.0, unknown=np.zeros(len(board)))
    return reading.without(np.array([name in hidden.split() for name in GAME.cells]))


def seen(*glimpses: BoardReading) -> list[str]:
    """The plies that each glimpse in turn shows of a new game."""
    watcher, referee = Glimpses(load_template("chess")), Referee(GAME)
    events = [watcher.see(one, referee, ReadingInterpreter()) for one in glimpses]
    return ["" if event is None else str(len(event.explanations[0].moves)) for event in events]


def test_open_ply_counts_while_a_hand_is_elsewhere() -> None:
    assert seen(glimpse(E4, "e7 e6 e5 d7 f7 f8 e8 d8".replace("e5", ""))) == ["1"]


def test_ply_under_the_hand_waits_until_all_around_it_has_been_seen() -> None:
    under, before = glimpse(E4, "e4 d5 e5"), glimpse(E4, "e5 f5")
    elsewhere = glimpse(E4, "e7 e6")
    assert seen(under, before, elsewhere) == ["", "", "1"]
    assert seen(elsewhere, before) == ["1", "1"], "what has lain open once needs not be open all the time"


def test_hand_that_rests_beside_the_man_is_noticed_by_what_it_covers() -> None:
    resting = E4[:28] + "BB" + E4[30:]  # fingers over e5 and f5, taken for men
    assert seen(glimpse(resting)) == [""]


def test_nothing_is_objected_to_and_nothing_guessed() -> None:
    moved_off = START[:52] + "." + START[53:]
    assert seen(glimpse(START), glimpse(moved_off), glimpse(moved_off, "e4")) == ["", "", ""]
