"""What each fault of phones and of careless players does to the pictures of a simulated table."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import games
from calibration.template import load_template
from lab.simulated.phone import VideoRoundTrip
from lab.simulated.player import ScriptedPlayer
from lab.simulated.table import SimulatedTable
from lab.soak import sight_faults
from lab.soak.camera import Camera
from lab.soak.fault import FAULTS
from lab.soak.hand_faults import QUICK_S, SLIP
from lab.soak.sight_faults import BAD_JPEG, LEANING
from lab.soak.trial import Trial
from vision.frame import Image

STEP_S = 0.1
PHONE = ("sway", "leaning", "focus", "exposure", "jpeg", "video", "dusk", "lens", "edge")
PLAYERS = ("quick", "linger", "cloth")
SMALL_PX = 160, 90
"""For what is told by places and times alone."""


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sight_faults, "LASTS_S", (5.0, 10.0))


class Scene:
    """The parts of a trial that a fault needs: table, camera and players, but no daemon."""

    def __init__(self, seed: int = 1, *, players: bool = False, size_px: tuple[int, int] = (640, 360)) -> None:
        self.game, self.template = games.load("morris"), load_template("nine_mens_morris")
        self.table = SimulatedTable(self.template, self.game.board(self.game.initial()), seed=seed, size_px=size_px)
        self.camera = Camera(self.table, seed)
        self.player = ScriptedPlayer(self.game, self.table, frozenset((0, 1)), seed, think_s=1.5)
        self.chance, self.hands_free = random.Random(seed), False
        self._players = players

    @property
    def time_s(self) -> float:
        return self.table.time_s

    def turn(self, *, hands: bool = False) -> Image:
        """Passes a tenth of a second and returns the picture; with `hands` the fault holds the players' hands."""
        self.player.held = not self._players or (hands and not self.hands_free)
        self.player.update()
        frame = self.camera.read(idle=False)
        assert frame is not None
        return frame.image

    def run(self, name: str, look: Callable[[Image], Any] = lambda _: None, most_s: float = 150) -> list[Any]:
        """Runs a fault; returns what `look` gives for each picture while it lasts."""
        steps, told = FAULTS[name].run(cast(Trial, self)), []
        while self.time_s < most_s and next(steps, steps) is not steps:
            told.append(look(self.turn(hands=FAULTS[name].hands)))
        assert self.time_s < most_s
        return told


def apart(one: Image, other: Image) -> float:
    return float(np.abs(one.astype(float) - other).mean())


def sharpness(picture: Image) -> float:
    """Variance of the Laplacian of the picture, smoothed to remove the noise."""
    smooth = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    return float(cv2.Laplacian(smooth, cv2.CV_64F).var())


def noise(one: Image, other: Image) -> float:
    """Standard deviation of the noise in each of two pictures of the same scene."""
    return float((one.astype(float) - other).std() / np.sqrt(2))


@pytest.mark.parametrize("name", [*PHONE, *PLAYERS])
def test_a_fault_puts_right_what_it_did_when_it_is_broken_off(name: str) -> None:
    scene, kind = Scene(2, players=name in PLAYERS, size_px=(320, 180)), FAULTS[name]
    before, fresh = scene.turn(), vars(scene.camera.phone).copy()
    steps = kind.run(cast(Trial, scene))
    for _ in range(25):
        next(steps)
        scene.turn(hands=kind.hands)
    steps.close()  # type: ignore[attr-defined]
    assert vars(scene.camera.phone) == fresh and scene.camera.phone.way.share == 0
    assert scene.camera.noise_levels == 0 and scene.camera.shows
    assert scene.player.pause_s is None and not scene.hands_free
    if name in PHONE:
        assert apart(scene.turn(), before) < 3  # the same picture but for the noise


@pytest.mark.parametrize(("name", "low", "high"), [("sway", 1.0, 1.0), ("leaning", *LEANING)])
def test_a_phone_in_a_hand_moves_the_whole_picture(name: str, low: float, high: float) -> None:
    scene = Scene()
    rest = scene.turn()
    told = scene.run(name, lambda image: (scene.camera.phone.way.share, apart(image, rest)))
    shares, moved = np.array(told).T
    assert low <= shares.max() + 1e-9 and shares.max() <= high
    assert np.abs(np.diff(shares)).max() < 0.15 and shares[0] < 0.15 and shares[-1] < 0.15  # it moves without a jump
    assert np.median(moved) > 1.3 * apart(scene.turn(), rest)


def test_a_lens_that_hunts_breathes_in_and_out_of_focus() -> None:
    scene = Scene()
    rest = sharpness(scene.turn())
    told = np.array(scene.run("focus", sharpness)) / rest
    assert told.min() < 0.1 and told.max() > 0.9
    assert sharpness(scene.turn()) == pytest.approx(rest, rel=0.05)


def test_exposure_goes_up_and_down_and_comes_back() -> None:
    scene = Scene(3)
    rest = scene.turn().mean()
    told = np.array(scene.run("exposure", np.mean)) / rest
    assert told.min() < 0.93 and told.max() > 1.07 and 0.7 < told.min() < told.max() < 1.3
    assert scene.turn().mean() == pytest.approx(rest, rel=0.01)


def test_bad_jpegs_and_videos_come_through_their_encoders() -> None:
    scene = Scene()
    qualities = scene.run("jpeg", lambda _: scene.camera.phone.jpeg_quality)
    assert set(qualities[:-1]) == {BAD_JPEG}
    # A coarse encoder leaves fewer levels in nearly even areas, and so blurs the noise away.
    plain, video = scene.turn(), Scene()
    coded: list[Image] = []
    for image in video.run("video", lambda image: (image, isinstance(video.camera.phone.video, VideoRoundTrip)))[:-1]:
        assert image[1]
        coded.append(image[0])
    assert noise(coded[3], coded[4]) < 0.8 * noise(plain, scene.turn())


def test_dusk_is_dim_and_noisy_and_ends_with_a_lamp() -> None:
    scene = Scene()
    first, second = scene.turn(), scene.turn()
    pictures = scene.run("dusk", lambda image: image)
    darkest = min(range(len(pictures) - 1), key=lambda index: pictures[index].mean())
    assert pictures[darkest].mean() < 0.7 * first.mean()
    assert noise(pictures[darkest], pictures[darkest + 1]) > 2 * noise(first, second)
    assert scene.turn().mean() == pytest.approx(first.mean(), rel=0.02)


def test_a_wide_lens_bends_the_boards_edges() -> None:
    scene = Scene()

    def bend() -> float:
        """Pixels by which the middle of the board's upper edge is off the line through its ends."""
        width, _ = scene.template.size_mm
        left, middle, right = scene.table.seen_px(np.array([[0.0, 0], [width / 2, 0], [width, 0]]))
        along = (right - left) / np.linalg.norm(right - left)
        return float(abs(np.cross(np.array([*along, 0]), np.array([*(middle - left), 0]))[2]))

    usual, rest = bend(), scene.turn()
    told = scene.run("lens", lambda image: (bend(), apart(image, rest)))
    assert max(told)[0] > 3 * usual
    assert min(change for bent, change in told if bent > usual) > 2 * apart(scene.turn(), rest)
    assert bend() == pytest.approx(usual)


def test_an_edge_of_the_board_is_out_of_the_picture_and_comes_back() -> None:
    for seed in range(4):
        scene = Scene(seed, size_px=SMALL_PX)
        size = np.array(scene.table.picture_px)

        def out(corners: NDArray[np.float64], size: NDArray[np.int64] = size) -> bool:
            return bool((corners < 0).any() or (corners > size).any())

        told = scene.run("edge", lambda _, scene=scene: (out(scene.table.corners_px()), scene.camera.shows))
        assert sum(cut for cut, _ in told) >= 5 and not any(cut and shows for cut, shows in told)
        assert not out(scene.table.corners_px()) and scene.camera.shows


def test_quick_players_leave_the_board_free_for_less_than_a_second() -> None:
    def longest_s(name: str) -> float:
        """Longest time in seconds for which the board is free between two hands."""
        scene, free_s, plies = Scene(4, players=True, size_px=SMALL_PX), [0.0], []

        def look(_: Image) -> None:
            plies.append(len(scene.player.record))
            free_s.append(0.0 if scene.table.hand_in_view else free_s[-1] + STEP_S)

        if name:
            scene.run(name, look)
        while not name and len(scene.player.record) < 6:
            look(scene.turn())
        within = [free for free, ply in zip(free_s[1:], plies, strict=True) if 0 < ply < plies[-1]]
        assert plies[-1] >= 4
        return max(within)

    assert longest_s("quick") == pytest.approx(QUICK_S, abs=0.25)
    assert longest_s("") > 1.2


def test_a_hand_that_lingers_is_in_view_for_longer_than_a_move_takes() -> None:
    scene = Scene(5, players=True, size_px=SMALL_PX)
    while len(scene.player.record) < 1:
        scene.turn()
    usual_s = scene.player.record[0].done_s - scene.player.record[0].begun_s
    told = scene.run("linger", lambda _: scene.table.hand_in_view)
    assert sum(told) * STEP_S > usual_s + 1.5
    assert len(scene.player.record) == 2 and not scene.table.busy


def test_a_board_on_a_cloth_slips_a_little_with_every_move_and_never_otherwise() -> None:
    scene = Scene(6, players=True, size_px=SMALL_PX)
    places = scene.run("cloth", lambda _: (len(scene.player.record), scene.player.moving, *scene.table.lie[:2]))
    side_mm = max(scene.template.size_mm)
    for ply in range(1, places[-1][0]):
        lies = np.array([place[2:] for place in places if place[0] == ply])
        steps = np.linalg.norm(np.diff(lies, axis=0), axis=1) / side_mm
        assert (steps > 1e-6).sum() == 1 and SLIP[0] <= steps.max() <= SLIP[1]
    thinking = np.array([place[2:] for place in places if not place[1]])
    assert len(np.unique(thinking, axis=0)) <= places[-1][0] + 1
    assert places[-1][0] >= 3
