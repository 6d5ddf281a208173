"""The side from which an arm reached over the board: drawn arms from all sides, and hands on a simulated table."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.simulated.table import SimulatedTable
from rules import Step
from vision.frame import Image
from vision.watching.arm import SIDES, ArmWatch, Side
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import Surroundings, surroundings_of, surroundings_within
from vision.watching.watcher import Watcher

RATE_HZ = 15
EMPTY = "." * 24
MARGIN = 0.1
"""Share of a picture that shows what lies around the board."""


class Watched:
    """Passes pictures through a watcher and watches them for arms."""

    def __init__(self) -> None:
        self.watcher, self.arms, self.time_s = Watcher(CellPlaces.grid(8)), ArmWatch(), 0.0
        self.side: Side | None = None

    def show(self, picture: Image, seconds: float = 0.0) -> Side | None:
        return self.see(surroundings_within(picture, MARGIN), seconds)

    def see(self, around: Surroundings, seconds: float = 0.0) -> Side | None:
        for _ in range(max(1, round(seconds * RATE_HZ))):
            sight = self.watcher.update(around, self.time_s)
            if sight.settled:
                self.watcher.renew()
            self.side = self.arms.update(around, sight)
            self.time_s += 1 / RATE_HZ
        return self.side

    def visit(self, board: Image, side: Side, left: Image | None = None) -> None:
        """An arm reaches in from a side and leaves again; afterwards the board looks like `left`."""
        for reach in (80, 160, 240, 300):
            self.show(with_arm(board, side, reach))
        for reach in (300, 240, 160, 80):
            self.show(with_arm(board if left is None else left, side, reach))


def board(man: tuple[int, int] | None = None) -> Image:
    picture = np.full((512, 512, 3), (120, 165, 195), np.uint8)
    for inset in (56, 120, 185):
        cv2.rectangle(picture, (inset, inset), (511 - inset, 511 - inset), (40, 50, 60), 3)
    if man is not None:
        cv2.circle(picture, man, 19, (20, 20, 20), -1)
    return picture


def with_arm(picture: Image, side: Side, reach: int) -> Image:
    """The picture with an arm, and the arm's shadow, from that side."""
    turns = SIDES.index(side)
    upright = np.rot90(picture, turns).copy()
    shadow = np.ones((512, 512, 1), np.float32)
    cv2.line(shadow, (330, -40), (300, reach - 20), (0.6,), 60)
    upright = (upright * shadow).astype(np.uint8)
    cv2.line(upright, (290, -40), (250, reach - 30), (130, 60, 50), 56)
    cv2.circle(upright, (250, reach - 30), 36, (120, 140, 215), -1)
    return np.rot90(upright, -turns).copy()


@pytest.fixture
def table() -> Watched:
    return Watched()


@pytest.mark.parametrize("side", SIDES)
def test_an_arm_is_told_by_the_side_it_reaches_in_from(table: Watched, side: Side) -> None:
    table.show(board(), 1)
    table.visit(board(), side, board((256, 200)))
    assert table.show(board((256, 200)), 1) == side


def test_the_side_is_kept_until_the_board_settles_again(table: Watched) -> None:
    table.show(board(), 1)
    table.visit(board(), "left", board((256, 200)))
    assert table.show(board((256, 200)), 3) == "left"
    table.show(board((300, 300)), 0.2)
    assert table.side == "left"
    assert table.show(board((300, 300)), 1) is None, "a man came without an arm"


def test_arms_from_two_sides_are_nobodys(table: Watched) -> None:
    table.show(board(), 1)
    table.visit(board(), "top")
    table.show(board(), 0.2)
    table.visit(board(), "bottom", board((256, 200)))
    assert table.show(board((256, 200)), 1) is None


def test_one_player_who_comes_twice_is_one_side(table: Watched) -> None:
    table.show(board(), 1)
    table.visit(board(), "right")
    table.show(board(), 0.2)
    table.visit(board(), "right", board((256, 200)))
    assert table.show(board((256, 200)), 1) == "right"


def test_light_and_men_without_an_arm_come_from_no_side(table: Watched) -> None:
    table.show(board(), 1)
    assert table.show(board((256, 200)), 1) is None
    assert table.show((board((256, 200)) * 0.6).astype(np.uint8), 1) is None


def test_after_a_reset_nothing_is_known(table: Watched) -> None:
    table.show(board(), 1)
    table.visit(board(), "right", board((256, 200)))
    table.show(board((256, 200)), 1)
    table.watcher.reset()
    table.arms.reset()
    assert table.show(board((256, 200)), 1) is None


def test_the_players_of_a_simulated_table_come_from_their_seats() -> None:
    template = load_template("nine_mens_morris")
    table, watched, told = SimulatedTable(template, EMPTY, seed=3, size_px=(400, 225)), Watched(), []
    watched.see(surroundings_of(table.render(), table.pose, template), 1)
    for side, cell in ((0, 4), (1, 23)):
        table.perform((Step("place", cell, piece="WB"[side]),), side)
        while True:
            table.advance(1 / RATE_HZ)
            watched.see(surroundings_of(table.render(), table.pose, template))
            if not table.busy:
                break
        told.append(watched.see(surroundings_of(table.render(), table.pose, template), 1))
    assert told == ["bottom", "top"]
