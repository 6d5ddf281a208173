"""The start card, the dialog for a new game, and the settings on the page itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import games
from tests.browser.table import Table
from tests.browser.test_access import serious
from tests.browser.test_playing import has_come, point

Look = Callable[..., Any]
Tables = Callable[..., Table]
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1366, 768)}


def loaded(page: Any, within: str) -> None:
    """Waits until every picture of a game is there."""
    page.wait_for_function(
        "([within, count]) => { const all = [...document.querySelectorAll(`${within} .games img`)];"
        " return all.length === count && all.every((one) => one.naturalWidth); }",
        arg=[within, len(games.names())],
    )


def test_a_game_is_begun_from_the_start_card_and_the_card_is_gone_on_every_page(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page, other = look(there.address), look(there.address)
    loaded(page, "#start")
    assert page.locator("#main").is_hidden() and page.locator("#new").is_hidden()
    page.get_by_role("radio", name="Gomoku").check()
    page.locator("#way-here").click()
    assert page.locator("#menu").get_by_role("radio", name="Gomoku").is_checked()
    page.locator("#menu-begin").click()
    for one in (page, other):
        one.wait_for_selector("#main .cell.target")
        assert one.locator("#start").is_hidden() and one.locator("#title").inner_text() == "Gomoku"
    point(page, "h8")
    has_come(page, there, 1)


def test_a_game_with_a_move_in_it_is_shown_at_once(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    told = page.request.post(there.address + "tell", data={"command": "move", "move": "d6"})
    assert told.ok
    has_come(page, there, 1)
    assert page.locator("#start").is_hidden() and page.locator("#main").is_visible()


def test_a_camera_that_is_missing_leads_to_the_start_card_which_says_so(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    answer = page.request.post(there.address + "menu", data={"camera": {"source": "http://127.0.0.1:9/none"}})
    assert answer.ok
    page.locator("#start-trouble", has_text="No picture comes from the camera").wait_for()
    assert page.locator("#camera").is_hidden()  # no grey picture
    page.locator("#way-here").click()
    page.locator("#menu-begin").click()
    page.wait_for_selector("#main .cell.target")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_begin_is_in_view_and_axe_finds_nothing_serious(table: Tables, look: Look, size: str, scheme: str) -> None:
    there = table("morris", agent="random", whole=True)
    width, height = SIZES[size]
    page = look(there.address, width, height, color_scheme=scheme, bypass_csp=True)
    loaded(page, "#start")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#way-here").click()
    loaded(page, "#menu")
    for opened in (False, True):
        if opened:
            page.locator("#menu summary").click()
        box = page.locator("#menu-begin").bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height
        assert serious(page) == []
    page.keyboard.press("Escape")
    page.locator("#settings").click()
    page.locator("#clock-set").wait_for()
    assert serious(page) == []
