"""Players who ignore the camera: quick moves, a hand left over the board, a board that slips."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.soak.fault import SIGHT, ByHand, Fault, hands_off, seconds, wait, wait_while
from lab.soak.sight_faults import FARTHEST_MM
from lab.soak.trial import Trial

QUICK_S = 0.8
"""Seconds that quick players leave the board free."""
UNSEEN_S = 0.5
"""Seconds of QUICK_S needed to draw one hand back and reach out with the next, outside the picture; measured with hands
that follow each other without a pause."""
SLIP, SLIP_DEG = (0.001, 0.006), 0.3
"""Sides of the board that a hand shifts it with each move, and degrees that it may turn it. Between straightened photos
of a real paper board, one after each move, 0.1 % remains (median of 37; 0.2 % at most); the range reaches up to three
times that."""


class Quick(ByHand):
    """The players play quickly: the board is free for less than a second between two hands."""

    name = "quick"

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        until = len(at.player.record) + at.chance.randrange(4, 11)
        at.player.pause_s, at.hands_free = QUICK_S - UNSEEN_S, True
        try:
            yield from wait_while(at, lambda: len(at.player.record) < until and not at.player.finished)
        finally:
            at.player.pause_s, at.hands_free = None, False
        yield from hands_off(at)


class Linger(ByHand):
    """After a move a player's hand returns over the board at once, and stays there."""

    name = "linger"
    allows = SIGHT | {"trouble"}

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        at.hands_free = True
        try:
            yield from wait_while(at, lambda: not at.player.moving and not at.player.finished, 20)
        finally:
            at.hands_free = False
        if at.player.moving:
            at.table.hover(seconds(at.chance, 2, 10), at.game.to_move(at.player.positions[-1]))
        yield from hands_off(at)


class Cloth(Fault):
    """The board lies on a cloth: every moving hand makes it slip a little, and the pieces with it."""

    name = "cloth"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        until_s, slipped = at.time_s + seconds(at.chance, 15, 120), None
        while at.time_s < until_s:
            ply = at.player, len(at.player.record)
            if at.player.moving and at.table.hand_in_view and ply != slipped:
                slipped = ply
                yield from wait(at, at.chance.uniform(0.1, 0.6))
                _slip(at)
            yield


def _slip(at: Trial) -> None:
    x, y, turn = at.table.lie
    far = float(np.hypot(x, y)) > FARTHEST_MM
    direction = np.arctan2(-y, -x) if far else at.chance.uniform(0, 2 * np.pi)
    length_mm = at.chance.uniform(*SLIP) * max(at.template.size_mm)
    to_deg = at.chance.uniform(-SLIP_DEG, SLIP_DEG)
    shift_mm = float(length_mm * np.cos(direction)), float(length_mm * np.sin(direction))
    at.table.bump(shift_mm, to_deg - np.clip(turn, -SLIP_DEG, SLIP_DEG), at.chance.uniform(0.1, 0.3))


PLAY_FAULTS: tuple[type[Fault], ...] = (Quick, Linger, Cloth)
