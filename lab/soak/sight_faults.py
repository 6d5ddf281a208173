"""Faults of what is seen: hands over the board, light and knocks; the camera and its cable; a phone as the camera."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.simulated.arrays import FloatArray
from lab.simulated.phone import VideoRoundTrip
from lab.soak.camera import glare_on
from lab.soak.fault import SIGHT, fault
from lab.soak.fault_steps import changed, seconds, wait, wait_while
from lab.soak.trial import Trial

DIMMEST, BRIGHTEST = 0.5, 1.3
FARTHEST_MM, FARTHEST_DEG = 25.0, 6.0
"""Millimetres and degrees from its first place that knocks may move the board."""
DOUBTS = frozenset({"unclear", "ambiguous", "reminder"})


@fault("hover", hands=True, slow=True)
def hover(at: Trial) -> Iterator[None]:
    """A hand hovers over the board and touches nothing."""
    at.table.hover(seconds(at.chance, 0.5, 5), at.chance.randrange(2))
    yield from wait_while(at, lambda: at.table.busy)


@fault("rest", SIGHT | {"trouble"}, hands=True, slow=True)
def rest(at: Trial) -> Iterator[None]:
    """An arm rests over the board for longer than a moment's thought."""
    at.table.hover(seconds(at.chance, 6, 30), at.chance.randrange(2))
    yield from wait_while(at, lambda: at.table.busy, 120)


@fault("lamp")
def lamp(at: Trial) -> Iterator[None]:
    """A lamp is switched: the light changes at once and for good."""
    at.table.switch_lamp(at.chance.uniform(DIMMEST, BRIGHTEST), at.chance.choice([None, (214, 236, 255)]))
    yield from wait(at, 1)


@fault("dim")
def dim(at: Trial) -> Iterator[None]:
    """Dusk, a cloud, a dimmer: the light changes over seconds."""
    over_s = seconds(at.chance, 2, 60)
    at.table.switch_lamp(at.chance.uniform(DIMMEST, BRIGHTEST), over_s=over_s)
    yield from wait(at, over_s)


@fault("glare", DOUBTS | {"trouble"})
def glare(at: Trial) -> Iterator[None]:
    """A lamp's reflection makes a cell or two of the board hard to see for a while.

    It may be reported as an object over the board; the daemon need not see what it hides.
    """
    width, height = at.template.size_mm
    place = at.chance.uniform(0, width), at.chance.uniform(0, height)
    radius_mm = at.template.man_diameter_mm * at.chance.uniform(0.4, 1.6)
    spot = glare_on(at.table, place, radius_mm, at.chance.uniform(40, 200))
    yield from changed(at, at.camera, (1, 20), glare=spot)


@fault("bump", SIGHT)
def bump(at: Trial) -> Iterator[None]:
    """Somebody knocks against the board: it slides, and the pieces with it."""
    x, y, turn = at.table.lie
    to = [at.chance.uniform(-far, far) for far in (FARTHEST_MM, FARTHEST_MM, FARTHEST_DEG)]
    share = at.chance.choice([0.1, 0.3, 1.0])
    at.table.bump((share * (to[0] - x), share * (to[1] - y)), share * (to[2] - turn), at.chance.uniform(0.1, 0.5))
    yield from wait(at, 1)


@fault("camera", SIGHT)
def camera_turned(at: Trial) -> Iterator[None]:
    """Somebody knocks against the camera: its view changes for good."""
    first = at.first_camera
    at.table.move_camera(
        azimuth_deg=first.azimuth_deg + at.chance.uniform(-8, 8),
        tilt_deg=first.tilt_deg + at.chance.uniform(-3, 3),
        roll_deg=first.roll_deg + at.chance.uniform(-4, 4),
    )
    at.camera.glare = None
    yield from wait(at, 1)


@fault("unplugged", SIGHT)
def unplugged(at: Trial) -> Iterator[None]:
    """No pictures arrive for a while; people may play on for a ply or two."""
    yield from changed(at, at.camera, (1, 30), unplugged=True)


@fault("frozen", SIGHT | {"trouble"})
def frozen(at: Trial) -> Iterator[None]:
    """The camera sends the same picture again and again, perhaps one with a hand in it."""
    yield from changed(at, at.camera, (1, 20), frozen=True)


@fault("slow")
def slow(at: Trial) -> Iterator[None]:
    """Pictures arrive rarely: a busy computer, a long exposure."""
    yield from changed(at, at.camera, (5, 60), rate_hz=at.chance.uniform(1, 3))


@fault("noisy", DOUBTS)
def noisy(at: Trial) -> Iterator[None]:
    """The sensor's gain is turned up in poor light."""
    yield from changed(at, at.camera, (3, 30), noise_levels=at.chance.uniform(4, 14))


@fault("clock", {"board_lost", "board_found", "trouble"})
def clock_jump(at: Trial) -> Iterator[None]:
    """The computer's clock leaps ahead: it slept while the table did not."""
    at.camera.ahead_s += seconds(at.chance, 1, 36000)
    yield from wait(at, 1)


LASTS_S = (20.0, 90.0)
"""Seconds a phone's picture is bad: often longer than a ply may be missed, so that the game must be followed then."""
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


def _passed(at: Trial, over_s: float) -> Iterator[float]:
    """Yields the seconds since now, turn by turn, for that long."""
    begun_s = at.time_s
    while (passed_s := at.time_s - begun_s) < over_s:
        yield passed_s


def _swaying(at: Trial, least: float, most: float) -> Iterator[None]:
    share, over_s = at.chance.uniform(least, most), seconds(at.chance, *LASTS_S)
    try:
        for passed_s in _passed(at, over_s):
            at.camera.phone.way.share = share * min(1.0, passed_s / TAKEN_UP_S, (over_s - passed_s) / TAKEN_UP_S)
            yield
    finally:
        at.camera.phone.way.share = 0.0


@fault("sway", SIGHT | {"trouble", "unclear", "reminder"})
def sway(at: Trial) -> Iterator[None]:
    """Somebody holds the phone in a hand."""
    yield from _swaying(at, 1.0, 1.0)


@fault("leaning", SIGHT | {"trouble", "unclear", "reminder"})
def leaning(at: Trial) -> Iterator[None]:
    """The phone leans against something and quivers."""
    yield from _swaying(at, *LEANING)


@fault("focus", DOUBTS | {"trouble"})
def focus(at: Trial) -> Iterator[None]:
    """The lens hunts for focus, in and out again and again."""
    over_s, breath_s = seconds(at.chance, *LASTS_S), at.chance.uniform(1, 4)
    try:
        for passed_s in _passed(at, over_s):
            at.camera.phone.blur = FOCUS_WIDTHS * float(np.sin(np.pi * passed_s / breath_s) ** 2)
            yield
    finally:
        at.camera.phone.blur = 0.0


@fault("exposure")
def exposure(at: Trial) -> Iterator[None]:
    """Automatic exposure drifts, and overshoots at the start."""
    over_s, sign = seconds(at.chance, *LASTS_S), at.chance.choice((-1, 1))
    try:
        for passed_s in _passed(at, over_s):
            hunt = HUNT * np.exp(-passed_s) * np.sin(2 * np.pi * passed_s)
            drift = DRIFT * np.sin(2 * np.pi * passed_s / 10)
            at.camera.phone.gain = float(1 + sign * (hunt + drift))
            yield
    finally:
        at.camera.phone.gain = 1.0


@fault("jpeg")
def bad_jpeg(at: Trial) -> Iterator[None]:
    """A thin cable: pictures arrive as JPEG of low quality."""
    yield from changed(at, at.camera.phone, LASTS_S, jpeg_quality=BAD_JPEG)


@fault("video")
def video(at: Trial) -> Iterator[None]:
    """Pictures arrive as a video: H.264 if OpenCV can write it, else MPEG-4 part 2."""
    yield from changed(at, at.camera.phone, LASTS_S, video=VideoRoundTrip())


@fault("dusk", DOUBTS | {"trouble"})
def dusk(at: Trial) -> Iterator[None]:
    """It gets dark, and the sensor's gain makes up for it with noise, until somebody lights a lamp."""
    over_s = seconds(at.chance, 2, 10)
    at.table.switch_lamp(at.chance.uniform(*DUSK), over_s=over_s)
    at.camera.noise_levels = at.chance.uniform(*DUSK_NOISE)
    try:
        yield from wait(at, over_s + seconds(at.chance, *LASTS_S))
    finally:
        at.camera.noise_levels = 0.0
        at.table.switch_lamp(1.0)
    yield from wait(at, 1)


@fault("lens", SIGHT)
def wide_lens(at: Trial) -> Iterator[None]:
    """The phone changes to its wide lens, which bends straight lines."""
    usual = at.table.style.camera.distortion
    at.table.move_camera(distortion=(at.chance.uniform(*WIDE), 0.01))
    try:
        yield from wait(at, seconds(at.chance, *LASTS_S))
    finally:
        at.table.move_camera(distortion=usual)
    yield from wait(at, 1)


@fault("edge", SIGHT | {"trouble", "unclear", "reminder"})
def edge(at: Trial) -> Iterator[None]:
    """The phone slips: an edge of the board leaves the picture, and returns when somebody notices."""
    usual, away = np.array(at.table.style.camera.shift), _away(at)

    def point(share: float) -> None:
        x, y = usual + share * away
        at.table.move_camera(shift=(float(x), float(y)))

    at.camera.cut = True
    try:
        for share in np.linspace(0, 1, PAN_STEPS + 1)[1:]:
            point(share)
            yield
        yield from wait(at, seconds(at.chance, 1, 8))
        for share in np.linspace(1, 0, PAN_STEPS + 1)[1:]:
            point(share)
            yield
    finally:
        point(0.0)
        at.camera.cut = False
    yield from wait(at, 1)


def _away(at: Trial) -> FloatArray:
    """Shares of the picture by which the board moves so that one of its edges is out."""
    corners = at.table.corners_px() / at.table.picture_px
    low, high = corners.min(axis=0), corners.max(axis=0)
    beyond, axis = at.chance.uniform(OUT / 4, OUT), at.chance.randrange(2)
    away = np.zeros(2)
    away[axis] = at.chance.choice((-low[axis] - beyond, 1 - high[axis] + beyond))
    return away
