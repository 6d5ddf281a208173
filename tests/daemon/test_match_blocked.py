"""What lies over the board for too long is reported once; until it has gone nothing is believed."""

from __future__ import annotations

import dataclasses

import numpy as np

import games
from daemon.judging.referee import Referee
from daemon.match import Match
from daemon.pipeline import Observation
from vision.frame import Frame
from vision.watching.align import Alignment
from vision.watching.gate import GateState

PICTURE = np.zeros((4, 4, 3), np.uint8)
LOCKED = Alignment(None, "locked", relocked=False, quality=1.0, moved_px=0.0)
OCCLUDED = GateState("occluded", settled=False, fresh=False, motion=0.0, light_gain=1.0)
BLOCKED = dataclasses.replace(OCCLUDED, blocked=True)
MOVING = dataclasses.replace(OCCLUDED, phase="moving")
SETTLED = dataclasses.replace(OCCLUDED, phase="settled", settled=True)


class Gated:
    """Stands where the eyes stand: gives the states of the gate it was told, and no readings."""

    def __init__(self, *states: GateState) -> None:
        self.states = list(states)

    def feed(self, frame: Frame) -> Observation:
        return Observation(frame, LOCKED, PICTURE, self.states.pop(0))

    def ask_again(self) -> bool:
        return False


def reports(*states: GateState) -> list[str]:
    match, heard = Match(Gated(*states), Referee(games.load("morris"))), list[str]()  # type: ignore[arg-type]
    match.listeners.append(lambda announcement, _seen: heard.append(announcement.text))
    for index in range(len(states)):
        match.feed(Frame(PICTURE, index / 10, index))
    return [text for text in heard if "lies over the board" in text]


def test_a_hand_that_rests_shortly_is_not_mentioned() -> None:
    assert reports(SETTLED, OCCLUDED, OCCLUDED, SETTLED) == []


def test_what_lies_over_the_board_is_reported_once_even_if_it_stirs() -> None:
    assert len(reports(SETTLED, OCCLUDED, BLOCKED, BLOCKED, MOVING, OCCLUDED, BLOCKED)) == 1


def test_once_the_board_was_free_the_next_obstacle_is_reported_again() -> None:
    assert len(reports(SETTLED, BLOCKED, MOVING, SETTLED, OCCLUDED, BLOCKED)) == 2
