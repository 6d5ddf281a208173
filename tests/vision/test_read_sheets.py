"""Printed boards on simulated tables, with coins and buttons, are read without calibration."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from calibration.sheet import layout_of
from calibration.template import load_template
from lab.simulated.scenes import random_board
from lab.simulated.sheets import SheetTable, buttons, coins, random_print, sheet_style
from rules import EMPTY
from vision.finding.paper import in_white_light
from vision.pose import BoardPose, rectify
from vision.reading.locate import PhotoReader
from vision.sheet.drawing import Sheet, draw_sheet
from vision.sheet.men import man_inks


def table(game: str, seed: int, buttoned: bool) -> tuple[Sheet, SheetTable, str]:
    template, rng = load_template(game), np.random.default_rng(seed)
    sheet = draw_sheet(layout_of(template, landscape=bool(seed % 2)))
    style = sheet_style(sheet, rng)
    style = dataclasses.replace(style, men=(buttons if buttoned else coins)(template, rng))
    board = random_board(template, rng)
    return sheet, SheetTable(sheet, board, style, random_print(rng), seed, (960, 720)), board


@pytest.mark.parametrize(("game", "seed", "buttoned"), [("nine_mens_morris", 3, False), ("reversi", 4, True)])
def test_coins_and_buttons_on_a_sheet_are_read(game: str, seed: int, buttoned: bool) -> None:
    _, lain, board = table(game, seed, buttoned)
    read = PhotoReader(load_template(game)).read(lain.render())
    assert read is not None
    assert read.reading.board == board


@pytest.mark.parametrize(("game", "tinted"), [("draughts", True), ("reversi", False)])
def test_printed_men_lying_on_their_board_are_read_kings_too(game: str, tinted: bool) -> None:
    template, rng = load_template(game), np.random.default_rng(5)
    sheet = draw_sheet(layout_of(template, landscape=True), tinted=tinted)
    board, inks = random_board(template, rng), list(sheet.page.inks)
    kings = {figure.seen: letter for letter, figure in template.figures.items()}
    places = template.cells_mm @ sheet.page_from_board[:, :2].T + sheet.page_from_board[:, 2]
    for cell, letter in enumerate(board):
        if letter != EMPTY:
            inks += man_inks(template, kings[letter] if kings and cell % 2 else letter, places[cell], sheet.man_mm)
    laid = dataclasses.replace(sheet, page=dataclasses.replace(sheet.page, inks=tuple(inks)))
    lain = SheetTable(laid, EMPTY * len(board), sheet_style(sheet, rng), random_print(rng), 5, (960, 720))
    read = PhotoReader(template).read(lain.render())
    assert read is not None and read.reading.board == board and len(set(board)) == 3


def test_the_light_on_a_sheet_is_measured_on_its_paper() -> None:
    layout = layout_of(load_template("reversi"), landscape=False)
    pose = BoardPose(np.array([[1.0, 0, 100], [0, 1.0, 150], [0, 0, 1]]), 0.0, 1.0)
    image = np.empty((620, 520, 3), dtype=np.uint8)
    image[:] = np.linspace(60, 100, 520)[:, None] * [0.5, 0.8, 1.0]
    image[:200, :200] = 10
    rectified = rectify(image, pose, layout.template)
    lit = in_white_light(rectified, image, pose, layout)
    assert np.abs(lit[200:, 200:].astype(int) - 225).max() < 6
    black = np.zeros_like(image)
    assert (in_white_light(rectified, np.zeros((4, 4, 3), dtype=np.uint8), pose, layout) == rectified).all()
    assert in_white_light(rectify(black, pose, layout.template), black, pose, layout).max() == 0


def test_a_hand_on_a_marker_does_not_hide_the_sheet() -> None:
    _, lain, _ = table("co_ganh", 6, True)
    lain.cover(3)
    read = PhotoReader(load_template("co_ganh")).read(lain.render())
    assert read is not None
    truth = lain.corners_px()
    assert np.abs(read.pose.corners_px(read.template) - truth).max() < 0.02 * np.linalg.norm(truth[0] - truth[1])
