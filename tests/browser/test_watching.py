"""The page of a table that a simulated camera watches: following a game, correcting a cell, setting up from nothing."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect

from calibration.template import load_template
from lab.bench.browsing import SIZE_PX
from lab.simulated.mjpeg_server import MjpegServer
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from tests.browser.conftest import Look, Tables
from tests.browser.test_playing import WHOLE, good_moves

SLOW_MS = 180_000
NOTE_TEXTS = """() => {
  window.shown = [];
  for (const place of document.querySelectorAll("#answer, #said"))
    new MutationObserver(() => shown.push(place.textContent)).observe(place, { childList: true, subtree: true });
}"""
"""JavaScript that notes every text shown from now on, however soon a newer one replaces it."""


def has_come(page: Page, plies: int) -> None:
    page.wait_for_selector(f'#moves[data-plies="{plies}"]', state="attached", timeout=SLOW_MS)


def test_a_game_on_a_board_is_followed_to_its_end(table: Tables, look: Look) -> None:
    there = table("ganh", camera=True)
    page = look(there.address)
    page.wait_for_selector('#main[data-watched="yes"]')
    game, position, chance, plies = there.game, there.game.initial(), random.Random(WHOLE["co_ganh"]), 0
    page.locator("#said", has_text="I see the board").wait_for(timeout=SLOW_MS)
    while game.outcome(position) is None:
        position = game.apply(position, chance.choice(good_moves(game, position)))
        there.board = game.board(position)
        plies += 1
        has_come(page, plies)
    outcome = game.outcome(position)
    assert outcome is not None and outcome.winner is not None
    page.wait_for_selector(f"#player-{outcome.winner}.won")
    shown = {one.get_attribute("data-cell"): one.get_attribute("aria-label") for one in page.locator(".cell").all()}
    names = there.template.classes
    assert shown == {
        cell: f"{cell}: {names[letter]}" for cell, letter in zip(game.cells, game.board(position), strict=True)
    }
    assert page.locator("#picture").evaluate("(image) => image.naturalWidth") > 0


def test_a_wrong_cell_is_corrected_by_clicking_it(table: Tables, look: Look) -> None:
    there = table("morris", camera=True)
    page = look(there.address)
    page.locator("#said", has_text="I see the board").wait_for(timeout=SLOW_MS)
    board = list(there.board)
    board[there.game.cells.index("d6")] = "B"  # light begins, so this is no legal move
    there.board = "".join(board)
    page.wait_for_selector(".marks .fault", state="attached", timeout=SLOW_MS)
    page.locator('[data-cell="d6"] .spot').click(force=True)
    menu = page.locator("#pieces")
    expect(menu.get_by_role("menuitem")).to_have_text(["empty", "light man", "dark man"])
    menu.get_by_role("menuitem", name="light man").click()
    has_come(page, 1)
    assert there.moves == ["d6"]
    expect(page.locator('[data-cell="d6"]')).to_have_attribute("aria-label", "d6: light man")


def test_the_tiles_of_an_agent_are_clicked_in_where_no_camera_sees_them(table: Tables, look: Look) -> None:
    there = table("dominoes", agent="greedy", camera=True)
    page = look(there.address)
    button = page.get_by_role("button", name="Tell Green’s tiles")
    button.click(timeout=SLOW_MS)
    for _ in range(3):  # there are two of each tile
        page.locator('#hand-tiles [data-tile="0-0"]').click()
    expect(page.locator("#hand-tiles :enabled")).to_have_count(0)
    page.locator("#hand-tell").click()
    page.locator("#hand-answer.bad").wait_for()
    page.locator("#hand-held").get_by_role("button", name="Double blank").first.click()
    expect(page.locator("#hand-tell")).to_be_disabled()
    page.locator('#hand-tiles [data-tile="3-5"]').click()
    page.evaluate(NOTE_TEXTS)
    page.locator("#hand-tell").click()
    page.wait_for_function("() => shown.some((text) => text.includes('tiles now'))")
    page.locator("#ask-hand").wait_for(state="hidden")
    assert there.session.match is not None
    assert there.session.match.referee.position.hands == (None, ((0, 0), (0, 0), (3, 5)))


def test_a_camera_is_looked_through_and_then_begun_with(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    seen = SimulatedTable(load_template("nine_mens_morris"), "." * 24, default_style(), seed=5)
    server = MjpegServer(SimulatedSource(seen, 10, real_time=True), 0)
    page = look(there.address + "setup")
    page.locator("#choose").click()
    page.locator("#cameras :checked").wait_for()
    expect(page.locator("#cameras :checked")).to_have_attribute("value", "none")
    page.get_by_label("by the address").check()
    expect(page.locator("#camera-look")).to_be_disabled()
    expect(page.locator("#camera-begin")).to_be_hidden()
    page.locator("#address").fill("/etc/passwd")
    page.locator("#camera-look").click()
    page.locator("#camera-answer.bad", has_text="files and folders go into the settings").wait_for()
    begin_with(page, server.url)
    page.locator('#main[data-watched="yes"]').wait_for(timeout=SLOW_MS)
    page.goto(there.address + "setup")
    page.wait_for_selector("#frame[src]", timeout=SLOW_MS)
    page.locator("#choose").click()
    page.locator("#cameras label", has_text="(in use)").get_by_role("radio").and_(
        page.locator(f'[value="{server.url}"]')
    ).wait_for()
    expect(page.locator("#cameras :checked")).to_have_attribute("value", server.url)
    page.locator("#camera-look").click()  # the camera in use
    page.locator("#camera-answer", has_text="what the camera sees").wait_for()
    assert server.viewers == 1
    page.locator("#cameras input").first.check()
    page.locator("#camera-begin").click()
    page.locator("#menu-begin").click()
    page.locator('#main[data-watched="no"]').wait_for(timeout=SLOW_MS)
    server.stop()


def begin_with(page: Page, address: str) -> None:
    page.locator("#address").fill(address)
    expect(page.locator("#camera-begin")).to_be_hidden()  # nobody has previewed it
    page.locator("#camera-look").click()
    page.locator("#camera-answer", has_text="what the camera sees").wait_for()
    assert page.locator("#preview").evaluate("(image) => image.naturalWidth") >= SIZE_PX[0]
    page.locator("#camera-begin").click()
    page.locator("#menu-begin").click()


def test_corners_that_are_clicked_place_the_board(table: Tables, look: Look) -> None:
    there = table("morris", camera=True)
    page = look(there.address + "setup")
    page.wait_for_selector("#frame[src]", timeout=SLOW_MS)
    page.locator("#corners").click()
    box = page.locator("#points").bounding_box()
    assert box is not None
    for across, down in ((0.2, 0.2), (0.8, 0.8), (0.8, 0.2), (0.2, 0.8)):  # its sides would cross
        page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    page.locator("#lock").click()
    page.locator("#answer.bad").wait_for()
    expect(page.locator("#answer")).to_contain_text("no board")
    page.locator("#again").click()
    eyes = there.session.eyes
    assert eyes is not None and eyes.observation is not None and eyes.observation.alignment.pose is not None
    height, width = eyes.observation.frame.image.shape[:2]
    for x, y in eyes.observation.alignment.pose.corners_px(there.template):
        page.mouse.click(box["x"] + x / width * box["width"], box["y"] + y / height * box["height"])
    page.locator("#lock").click()
    page.locator("#answer", has_text="the board lies there").wait_for()
    expect(page.locator("#corners")).to_be_visible()


def test_a_table_is_calibrated_from_nothing(table: Tables, look: Look) -> None:
    there = table("morris", camera=True)
    there.obeys = True
    page = look(there.address + "setup")
    page.locator("#calibrate").click(timeout=SLOW_MS)
    page.locator("#lesson").wait_for()
    expect(page.locator("#step")).to_contain_text("of 4")
    page.locator("#ended").wait_for(timeout=2 * SLOW_MS)
    expect(page.locator("#ended")).to_contain_text("The profile is written, and in use.")
    assert there.profile is not None and there.session.setting_up.out.is_file()


def test_a_camera_that_goes_away_while_calibrating_is_told_and_nothing_is_lost(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    seen = SimulatedTable(load_template("nine_mens_morris"), "." * 24, default_style(), seed=5, size_px=SIZE_PX)
    server = MjpegServer(SimulatedSource(seen, 10, real_time=True), 0)
    page = look(there.address + "#camera")
    page.get_by_label("by the address").check()
    begin_with(page, server.url)
    page.locator('#main[data-watched="yes"]').wait_for(timeout=SLOW_MS)
    page.goto(there.address + "setup")
    page.locator("#calibrate").click(timeout=SLOW_MS)
    page.locator("#answer", has_text="I guide you").wait_for(timeout=SLOW_MS)
    page.locator("#step", has_text="1 taken").wait_for(timeout=SLOW_MS)
    server.stop()
    page.locator("#wanted", has_text="What was taken is kept").wait_for(timeout=SLOW_MS)
    expect(page.locator("#health.bad")).to_be_visible()
    refused = page.request.post(there.address + "menu", data={"camera": {"source": "none"}})
    assert refused.status == 409 and "A calibration is under way" in refused.json()["text"]
    server = MjpegServer(SimulatedSource(seen, 10, real_time=True), server.port)
    page.locator("#wanted", has_text="Lay").wait_for(timeout=SLOW_MS)
    expect(page.locator("#step")).to_contain_text("1 taken")
    page.locator("#stop").click()
    page.locator("#ended", has_text="Nothing is written").wait_for()
    server.stop()


def test_a_board_to_print_is_saved(table: Tables, look: Look) -> None:
    there = table("reversi")
    page = look(there.address)
    held: list[Route] = []
    page.route("**/state", lambda route: held.append(route))
    with page.expect_request("**/state"):
        page.goto(there.address + "setup")
    assert page.locator("#game option").count() == 0, "a choice would be lost when the table's own game is heard"
    held[0].continue_()
    page.locator("#game").select_option("gomoku")
    with page.expect_download() as download:
        page.locator("#save").click()
    assert download.value.suggested_filename == "gomoku-a4.pdf"
    assert download.value.path().read_bytes().startswith(b"%PDF-")


def test_the_overlay_shows_the_board_on_nothing(table: Tables, look: Look) -> None:
    there = table("gomoku")
    page = look(there.address + "overlay?show=board", 640, 640)
    page.wait_for_selector("#board svg")
    expect(page.locator("#words")).to_be_hidden()
    image = cv2.imdecode(np.frombuffer(page.screenshot(omit_background=True), np.uint8), cv2.IMREAD_UNCHANGED)
    assert image is not None and image[0, 0, 3] == 0 and image[320, 320, 3] == 255


@pytest.mark.parametrize(
    "query", ["game=ludo", "game=gomoku&paper=a9", "game=gomoku&rule=size%3D7", "game=gomoku&rule=x"]
)
def test_a_sheet_that_cannot_be_is_refused(table: Tables, look: Look, query: str) -> None:
    there = table("gomoku")
    page = look(there.address)
    assert page.request.get(f"{there.address}sheet.pdf?{query}").status == 400


def test_a_board_on_which_play_has_begun_is_drawn_and_goes_on_with_the_side_that_is_chosen(
    table: Tables, look: Look
) -> None:
    there = table("reversi", camera=True)
    page = look(there.address)
    page.locator("#said", has_text="I see the board").wait_for(timeout=SLOW_MS)
    game, chance = there.game, random.Random(8)
    position = game.initial()
    for _ in range(20):
        position = game.apply(position, chance.choice(good_moves(game, position)))
    there.board = game.board(position)
    button = page.get_by_role("button", name="White to move")
    button.click(timeout=SLOW_MS)
    page.locator("#said", has_text="It is white's turn").wait_for(timeout=SLOW_MS)
    expect(page.locator("#seen")).to_be_hidden()
    shown = [one.get_attribute("aria-label") for one in page.locator("#board .cell").all()]
    names = there.template.classes
    pairs = zip(game.cells, game.board(position), strict=True)
    assert shown == [f"{cell}: {names[letter]}" for cell, letter in pairs]
