"""Faults of the camera and its cable: no picture, an old one, few or bad ones."""

from __future__ import annotations

from collections.abc import Iterator

from lab.soak.fault import SIGHT, Fault, changed, seconds, wait
from lab.soak.trial import Trial


class Unplugged(Fault):
    """No pictures arrive for a while; people may play on for a ply or two."""

    name = "unplugged"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera, (1, 30), unplugged=True)


class Frozen(Fault):
    """The camera sends the same picture again and again, perhaps one with a hand in it."""

    name = "frozen"
    allows = SIGHT | {"trouble"}

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera, (1, 20), frozen=True)


class Slow(Fault):
    """Pictures arrive rarely: a busy computer, a long exposure."""

    name = "slow"

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera, (5, 60), rate_hz=at.chance.uniform(1, 3))


class Noisy(Fault):
    """The sensor's gain is turned up in poor light."""

    name = "noisy"
    allows = frozenset({"unclear", "ambiguous", "reminder"})

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera, (3, 30), noise_levels=at.chance.uniform(4, 14))


class ClockJump(Fault):
    """The computer's clock leaps ahead: it slept while the table did not."""

    name = "clock"
    allows = frozenset({"board_lost", "board_found", "trouble"})

    def run(self, at: Trial) -> Iterator[None]:
        at.camera.ahead_s += seconds(at.chance, 1, 36000)
        yield from wait(at, 1)


CAMERA_FAULTS: tuple[type[Fault], ...] = (Unplugged, Frozen, Slow, Noisy, ClockJump)
