"""Hands over the board, lamps, glare and knocks; faults of the camera and its cable."""

from __future__ import annotations

from collections.abc import Iterator

from lab.soak.camera import glare_on
from lab.soak.fault import SIGHT, Fault
from lab.soak.fault_steps import ByHand, changed, seconds, wait, wait_while
from lab.soak.trial import Trial

DIMMEST, BRIGHTEST = 0.5, 1.3
FARTHEST_MM, FARTHEST_DEG = 25.0, 6.0
"""Millimetres and degrees from its first place that knocks may move the board."""


class Hover(ByHand):
    """A hand hovers over the board and touches nothing."""

    name = "hover"
    slow = True

    def run(self, at: Trial) -> Iterator[None]:
        at.table.hover(seconds(at.chance, 0.5, 5), at.chance.randrange(2))
        yield from wait_while(at, lambda: at.table.busy)


class Rest(ByHand):
    """An arm rests over the board for longer than a moment's thought."""

    name = "rest"
    allows = SIGHT | {"trouble"}
    slow = True

    def run(self, at: Trial) -> Iterator[None]:
        at.table.hover(seconds(at.chance, 6, 30), at.chance.randrange(2))
        yield from wait_while(at, lambda: at.table.busy, 120)


class Lamp(Fault):
    """A lamp is switched: the light changes at once and for good."""

    name = "lamp"

    def run(self, at: Trial) -> Iterator[None]:
        at.table.switch_lamp(at.chance.uniform(DIMMEST, BRIGHTEST), at.chance.choice([None, (214, 236, 255)]))
        yield from wait(at, 1)


class Dim(Fault):
    """Dusk, a cloud, a dimmer: the light changes over seconds."""

    name = "dim"

    def run(self, at: Trial) -> Iterator[None]:
        over_s = seconds(at.chance, 2, 60)
        at.table.switch_lamp(at.chance.uniform(DIMMEST, BRIGHTEST), over_s=over_s)
        yield from wait(at, over_s)


class GlareSpot(Fault):
    """A lamp's reflection makes a cell or two of the board hard to see for a while.

    It may be reported as an object over the board; the daemon need not see what it hides.
    """

    name = "glare"
    allows = frozenset({"unclear", "ambiguous", "reminder", "trouble"})

    def run(self, at: Trial) -> Iterator[None]:
        width, height = at.template.size_mm
        place = at.chance.uniform(0, width), at.chance.uniform(0, height)
        radius_mm = at.template.man_diameter_mm * at.chance.uniform(0.4, 1.6)
        glare = glare_on(at.table, place, radius_mm, at.chance.uniform(40, 200))
        yield from changed(at, at.camera, (1, 20), glare=glare)


class Bump(Fault):
    """Somebody knocks against the board: it slides, and the pieces with it."""

    name = "bump"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        x, y, turn = at.table.lie
        to = [at.chance.uniform(-far, far) for far in (FARTHEST_MM, FARTHEST_MM, FARTHEST_DEG)]
        share = at.chance.choice([0.1, 0.3, 1.0])
        at.table.bump((share * (to[0] - x), share * (to[1] - y)), share * (to[2] - turn), at.chance.uniform(0.1, 0.5))
        yield from wait(at, 1)


class CameraTurned(Fault):
    """Somebody knocks against the camera: its view changes for good."""

    name = "camera"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        first = at.first_camera
        at.table.move_camera(
            azimuth_deg=first.azimuth_deg + at.chance.uniform(-8, 8),
            tilt_deg=first.tilt_deg + at.chance.uniform(-3, 3),
            roll_deg=first.roll_deg + at.chance.uniform(-4, 4),
        )
        at.camera.glare = None
        yield from wait(at, 1)


SIGHT_FAULTS: tuple[type[Fault], ...] = (Hover, Rest, Lamp, Dim, GlareSpot, Bump, CameraTurned)


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
