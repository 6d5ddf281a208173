"""What a stranger sees at once: the whole board, both players, whole words, and marks that stand out."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

import games
from daemon.page.web import WebPage
from daemon.words import translation
from lab.bench.browsing import point
from lab.bench.clicks import play
from tests.browser.conftest import Look, Tables
from tests.daemon.test_web import state

LEAST = 3.0
"""Least contrast of what is no text (WCAG 2.2, 1.4.11)."""
CROWD = """() => {
  document.getElementById('instruction').textContent = 'A black man too many stands on d5. Take it away, please.';
  for (const id of ['demo', 'puzzle']) document.getElementById(id).hidden = false;
  document.getElementById('puzzle').textContent = 'White moves and wins in three.';
  document.getElementById('health').textContent = 'camera: it has not sent a picture for a minute; trying again';
}"""
CUT = """() => [...document.querySelectorAll('button, a, summary, h1, h2, h3, p, label, legend, span, b, li')]
  .filter((one) => one.offsetParent && !one.closest('svg, .skip') && one.getBoundingClientRect().width)
  .filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    const cut = getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1;
    return left < -1 || right > innerWidth + 1 || cut;
  }).map((one) => `${one.id || one.className}: ${one.textContent}`)"""


def in_view(page: Page, height: int) -> bool:
    boxes = [page.locator(one).bounding_box() for one in ("#player-0", "#board svg", "#player-1")]
    return all(box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)


@pytest.mark.parametrize("name", games.names())
def test_board_and_players_fit_on_a_laptop_whatever_stands_above_them(name: str, table: Tables, look: Look) -> None:
    page = look(table(name, clock={"control": "game"}).address, 1366, 768)
    page.locator(".player .clock").first.wait_for()
    assert in_view(page, 768)
    page.evaluate(CROWD)
    page.wait_for_function("() => document.querySelector('#table').style.getPropertyValue('--taken') > '300px'")
    assert in_view(page, 768)


def test_board_and_players_fit_beside_the_cameras_picture(table: Tables, look: Look) -> None:
    page = look(table("reversi", camera=True).address, 1366, 768)
    page.locator("#camera").wait_for()
    page.wait_for_function("() => document.querySelector('#camera').offsetTop >= 0")
    expect(page.locator("#board svg")).to_be_visible()
    assert in_view(page, 768)


@pytest.mark.usefixtures("english_afterwards")
@pytest.mark.parametrize("language", translation.LANGUAGES)
def test_no_word_is_cut_on_a_phone(language: str, table: Tables, look: Look) -> None:
    speech = {"enabled": False, "language": language}
    translation.speak(language)
    for name in ("morris", "dominoes"):
        there = table(name, speech=speech, clock={"control": "game", "minutes": 100})
        page = look(there.address, 390, 844)
        page.locator(".player .clock").first.wait_for()
        assert page.evaluate(CUT) == []
        page.locator("#new").click()
        page.locator("#menu-begin").wait_for()
        assert page.evaluate(CUT) == []


def contrasts(image: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """The contrast of each pixel with a ground, both uint8 BGR (WCAG 2.2)."""

    def luminance(colours: np.ndarray) -> np.ndarray:
        shares = colours.astype(float) / 255
        linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
        return linear @ np.array([0.0722, 0.7152, 0.2126])

    one, other = luminance(image) + 0.05, luminance(ground) + 0.05
    return np.maximum(one, other) / np.minimum(one, other)


def cell_of(page: Page, cell: str, reach: float = 0.0) -> np.ndarray:
    """A cell's picture, with `reach` pixels around it."""
    box = page.locator(f'[data-cell="{cell}"] .spot').bounding_box()
    assert box is not None
    clip = {"x": box["x"] - reach, "y": box["y"] - reach}
    size = {"width": box["width"] + 2 * reach, "height": box["height"] + 2 * reach}
    shot = page.screenshot(clip=clip | size, animations="disabled")  # type: ignore[arg-type]
    return cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_COLOR)


def ground_of(image: np.ndarray) -> np.ndarray:
    return np.median(image.reshape(-1, 3), axis=0).astype(np.uint8)


def test_places_for_a_tile_stand_out_from_the_board(table: Tables, look: Look) -> None:
    page = look(table("dominoes").address, 1366, 768)
    page.wait_for_selector(".cell.target .dot")
    cell = page.locator(".cell.target").first.get_attribute("data-cell") or ""
    shown = cell_of(page, cell)
    clear = contrasts(shown, ground_of(shown)) >= LEAST
    edges = cv2.Canny(clear.astype(np.uint8) * 255, 50, 150)
    assert clear.sum() >= 12  # a ring around the mark, at least a pixel wide
    assert edges.any()


@pytest.mark.parametrize(("game", "clicks"), [("chess", ("d2", "d4")), ("draughts", ("9", "14"))])
def test_the_last_move_stands_out_on_brown_squares(
    game: str, clicks: tuple[str, str], table: Tables, look: Look
) -> None:
    page = look(table(game).address, 1366, 768)
    page.wait_for_selector(".cell.source")
    ground = ground_of(cell_of(page, clicks[1]))
    for cell in clicks:
        point(page, cell)
    page.wait_for_selector(".cell.last .edge")
    page.mouse.move(5, 5)
    for cell in clicks:
        shown = cell_of(page, cell, reach=4)
        clear = contrasts(shown, ground) >= LEAST
        sides = (clear[:8], clear[-8:], clear[:, :8].T, clear[:, -8:].T)
        shares = [float(side.any(axis=0).mean()) for side in sides]
        assert min(shares) > 0.7, (cell, shares)  # the arrow crosses a side


def test_numbers_of_draughts_lie_above_the_men_and_can_be_read(table: Tables, look: Look) -> None:
    page = look(table("draughts").address, 390, 844)
    page.wait_for_selector(".square-number")
    expect(page.locator(".square-number")).to_have_count(32)
    order = page.evaluate("""() => [...document.querySelectorAll('.cell:has(.man)')]
      .every((cell) => cell.lastElementChild.matches('.square-number'))""")
    height = page.locator(".square-number").first.evaluate(
        "(one) => parseFloat(one.getAttribute('font-size')) * one.getScreenCTM().a"
    )
    assert order and height >= 9


def served_with(view: dict[str, Any], **rest: Any) -> WebPage:
    page = WebPage(port=0)
    page.take_commands()
    page.publish(view={"title": "Reversi", **view}, state=state(1), **rest)
    return page


@pytest.fixture
def sent(look: Look) -> Callable[[WebPage], tuple[Page, list[str]]]:
    def opened(served: WebPage) -> tuple[Page, list[str]]:
        page, told = look(served.address), list[str]()

        def keep(route: Any) -> None:
            told.append(json.loads(route.request.post_data)["command"])
            route.fulfill(json={"code": "done", "text": ""})

        page.route("**/tell", keep)
        return page, told

    return opened


def test_the_space_bar_ends_a_move_made_by_hand_where_nothing_else_has_the_focus(
    sent: Callable[[WebPage], tuple[Page, list[str]]],
) -> None:
    served = served_with({"offers": ["end_move", "repeat"], "watched": True})
    page, told = sent(served)
    ends = page.locator('[data-command="end_move"]')
    expect(ends).to_have_attribute("title", "The space bar does the same.")
    page.keyboard.press("Space")
    page.locator('[data-command="repeat"]').focus()
    page.keyboard.press("Space")
    page.locator("#said").wait_for(state="attached")
    assert told == ["end_move", "repeat"]
    served.close()


def test_what_was_said_stands_by_game_and_an_opening_is_called_one(look: Look) -> None:
    served = served_with({"opening": "Diagonal"})
    for kind, text in (("new_game", "A new game."), ("start", "Black begins."), ("move", "Black: d3.")):
        served.announce(text, kind)
    for kind, text in (("new_game", "Another game."), ("move", "Black: c4.")):
        served.announce(text, kind)
    page = look(served.address)
    expect(page.locator("#title")).to_contain_text("Opening: Diagonal")
    expect(page.locator("#announcements .of-game")).to_have_count(2)
    lines = page.locator("#announcements li").all_inner_texts()
    assert [line.split("\n")[-1].split(" at ")[0] for line in lines] == [
        "Game begun", "Black: c4.", "Another game.", "Game begun", "Black: d3.", "Black begins.", "A new game.",
    ]  # fmt: skip
    served.close()


def test_a_new_game_of_co_ganh_is_proposed_with_the_limit_of_its_first_screen(table: Tables, look: Look) -> None:
    page = look(table("reversi", whole=True, camera=False).address)
    page.locator("#way-here").click()
    page.locator("#menu").get_by_role("radio", name="Cờ gánh").check()
    page.locator("#menu").get_by_text("More: clock, rules, agents").click()
    expect(page.locator("#menu").get_by_label("Limit")).to_have_value("100")
    page.locator("#menu-begin").click()
    page.locator("#title", has_text="Cờ gánh").wait_for()


@pytest.mark.usefixtures("quick_hands")
@pytest.mark.parametrize("name", ["co_ganh", "dominoes"])
def test_every_place_that_the_page_offers_is_accepted(name: str, table: Tables, look: Look) -> None:
    there = table(name)
    told = play(look(there.address, 1366, 768), there, random.Random(1), most=90)
    assert told["refused"] == [] and told["accepted"] == told["clicked"] > 20
    assert told["ended"] is not None


def test_an_agent_of_gomoku_tells_depth_and_positions_to_who_asks(table: Tables, look: Look) -> None:
    page = look(table("gomoku", agent="alphabeta").address)
    page.wait_for_selector(".cell.target")
    point(page, "h8")
    page.wait_for_selector('#moves[data-plies="2"]', state="attached")
    page.locator("#thought summary").click()
    expect(page.locator("#figures")).to_contain_text("depth")
    expect(page.locator("#player-1 .name")).to_have_text("White Alpha-beta search")
