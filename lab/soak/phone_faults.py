"""Faults of a phone used as the camera: sway, focus and exposure hunting, compression, a slipped view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from lab.simulated.arrays import FloatArray
from lab.simulated.phone import VideoRoundTrip
from lab.soak.fault import SIGHT, Fault
from lab.soak.fault_steps import changed, seconds, wait
from lab.soak.trial import Trial

LASTS_S = (20.0, 90.0)
"""Seconds a picture is bad: often longer than a ply may be missed, so that the game must be followed meanwhile."""
TAKEN_UP_S = 1.0
"""Seconds to take a phone up, or to put it down again."""
LEANING = (0.1, 0.3)
"""Share of a hand's sway that remains in a phone leaned against something."""
FOCUS_WIDTHS = 0.004
"""Greatest blur, as a standard deviation in picture widths: two and a half pixels of a picture 640 wide."""
DRIFT, HUNT = 0.2, 0.15
"""Shares of the gain: how far exposure drifts, and how far it overshoots at first."""
BAD_JPEG = 30
DUSK, DUSK_NOISE = (0.15, 0.35), (6.0, 14.0)
"""Share of the light that is left; grey levels of noise from the gain that makes up for it."""
WIDE = (-0.12, -0.28)
"""First distortion coefficient of a wide lens: moves the picture's edge by 2 to 4 % of its width."""
OUT = 0.04
"""Share of the picture's width or height by which the board's edge is out of it at most."""
PAN_STEPS = 5


class Sway(Fault):
    """Somebody holds the phone in a hand."""

    name = "sway"
    allows = SIGHT | {"trouble", "unclear", "reminder"}
    shares: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def run(self, at: Trial) -> Iterator[None]:
        share, begun_s, over_s = at.chance.uniform(*self.shares), at.time_s, seconds(at.chance, *LASTS_S)
        try:
            while (passed_s := at.time_s - begun_s) < over_s:
                at.camera.phone.way.share = share * min(1.0, passed_s / TAKEN_UP_S, (over_s - passed_s) / TAKEN_UP_S)
                yield
        finally:
            at.camera.phone.way.share = 0.0


class Leaning(Sway):
    """The phone leans against something and quivers."""

    name = "leaning"
    shares = LEANING


class Focus(Fault):
    """The lens hunts for focus, in and out again and again."""

    name = "focus"
    allows = frozenset({"unclear", "ambiguous", "reminder", "trouble"})

    def run(self, at: Trial) -> Iterator[None]:
        begun_s, over_s, breath_s = at.time_s, seconds(at.chance, *LASTS_S), at.chance.uniform(1, 4)
        try:
            while (passed_s := at.time_s - begun_s) < over_s:
                at.camera.phone.blur = FOCUS_WIDTHS * float(np.sin(np.pi * passed_s / breath_s) ** 2)
                yield
        finally:
            at.camera.phone.blur = 0.0


class Exposure(Fault):
    """Automatic exposure drifts, and overshoots at the start."""

    name = "exposure"

    def run(self, at: Trial) -> Iterator[None]:
        begun_s, over_s, sign = at.time_s, seconds(at.chance, *LASTS_S), at.chance.choice((-1, 1))
        try:
            while (passed_s := at.time_s - begun_s) < over_s:
                hunt = HUNT * np.exp(-passed_s) * np.sin(2 * np.pi * passed_s)
                drift = DRIFT * np.sin(2 * np.pi * passed_s / 10)
                at.camera.phone.gain = float(1 + sign * (hunt + drift))
                yield
        finally:
            at.camera.phone.gain = 1.0


class BadJpeg(Fault):
    """A thin cable: pictures arrive as JPEG of low quality."""

    name = "jpeg"

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera.phone, LASTS_S, jpeg_quality=BAD_JPEG)


class Video(Fault):
    """Pictures arrive as a video: H.264 if OpenCV can write it, else MPEG-4 part 2."""

    name = "video"

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera.phone, LASTS_S, video=VideoRoundTrip())


class Dusk(Fault):
    """It gets dark, and the sensor's gain makes up for it with noise, until somebody lights a lamp."""

    name = "dusk"
    allows = frozenset({"unclear", "ambiguous", "reminder", "trouble"})

    def run(self, at: Trial) -> Iterator[None]:
        over_s = seconds(at.chance, 2, 10)
        at.table.switch_lamp(at.chance.uniform(*DUSK), over_s=over_s)
        at.camera.noise_levels = at.chance.uniform(*DUSK_NOISE)
        try:
            yield from wait(at, over_s + seconds(at.chance, *LASTS_S))
        finally:
            at.camera.noise_levels = 0.0
            at.table.switch_lamp(1.0)
        yield from wait(at, 1)


class Lens(Fault):
    """The phone changes to its wide lens, which bends straight lines."""

    name = "lens"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        usual = at.table.style.camera.distortion
        at.table.move_camera(distortion=(at.chance.uniform(*WIDE), 0.01))
        try:
            yield from wait(at, seconds(at.chance, *LASTS_S))
        finally:
            at.table.move_camera(distortion=usual)
        yield from wait(at, 1)


class Edge(Fault):
    """The phone slips: an edge of the board leaves the picture, and returns when somebody notices."""

    name = "edge"
    allows = SIGHT | {"trouble", "unclear", "reminder"}

    def run(self, at: Trial) -> Iterator[None]:
        usual = at.table.style.camera.shift
        away = self._away(at)
        at.camera.cut = True
        try:
            for share in np.linspace(0, 1, PAN_STEPS + 1)[1:]:
                _point(at, usual, share * away)
                yield
            yield from wait(at, seconds(at.chance, 1, 8))
            for share in np.linspace(1, 0, PAN_STEPS + 1)[1:]:
                _point(at, usual, share * away)
                yield
        finally:
            _point(at, usual, np.zeros(2))
            at.camera.cut = False
        yield from wait(at, 1)

    def _away(self, at: Trial) -> FloatArray:
        """Shares of the picture by which the board moves so that one of its edges is out."""
        corners = at.table.corners_px() / at.table.picture_px
        low, high = corners.min(axis=0), corners.max(axis=0)
        beyond, axis = at.chance.uniform(OUT / 4, OUT), at.chance.randrange(2)
        away = np.zeros(2)
        away[axis] = at.chance.choice((-low[axis] - beyond, 1 - high[axis] + beyond))
        return away


def _point(at: Trial, usual: tuple[float, float], away: FloatArray) -> None:
    """Points the camera so that the board appears that far from its usual place."""
    at.table.move_camera(shift=(usual[0] + float(away[0]), usual[1] + float(away[1])))


PHONE_FAULTS: tuple[type[Fault], ...] = (Sway, Leaning, Focus, Exposure, BadJpeg, Video, Dusk, Lens, Edge)
