"""A position is set up in the dialog for a new game: by taps, or as text; and the game begins from it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, Tables
from tests.browser.test_access import serious
from tests.browser.test_playing import has_come
from tests.browser.test_start import loaded

pytestmark = pytest.mark.usefixtures("quick_hands")

SUMMARY = "#menu .arranging summary"
BOARD = "#menu .arranging .board"


def opened(page: Any, game: str) -> Any:
    loaded(page, "#start")
    page.locator("#way-here").click()
    menu = page.locator("#menu")
    menu.get_by_role("radio", name=game, exact=True).check()
    menu.get_by_role("radio", name="Two people").check()
    page.locator(SUMMARY).click()
    page.wait_for_selector(f"{BOARD} [data-cell]")
    return menu


def put(page: Any, cell: str, what: str) -> None:
    """Taps a cell, and waits until it shows what is named."""
    page.locator(f'{BOARD} [data-cell="{cell}"] .spot').click(force=True)
    page.wait_for_selector(f'{BOARD} [aria-label="{cell}: {what}"]')


def point(page: Any, cell: str) -> None:
    """Clicks a cell of the table once the dialog, whose board has the same cells, is gone."""
    page.locator("#menu").wait_for(state="hidden")
    page.locator(f'#table [data-cell="{cell}"] .spot').click(force=True, no_wait_after=True)


def test_a_position_of_chess_is_pasted_changed_and_played_from(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address, bypass_csp=True)
    menu = opened(page, "Chess")
    text, fault = menu.locator("[name=position]"), menu.locator(".arranging .answer")
    assert text.input_value().startswith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq")
    text.fill("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1")
    text.press("Tab")
    page.wait_for_selector(f'{BOARD} [aria-label="d5: black pawn"]')
    rights = {one.inner_text(): one.locator("input").is_checked() for one in menu.locator(".arranging .tick").all()}
    assert rights == {
        "White may castle short": True,
        "White may castle long": True,
        "Black may castle short": True,
        "Black may castle long": True,
        "The pawn has just come to d5 by two squares": True,
    }
    menu.get_by_label("White may castle long").uncheck()
    page.wait_for_function("() => document.querySelector('[name=position]').value.includes(' w Kkq d6')")
    menu.locator("[name=kind][value='♙']").check(force=True)
    put(page, "a8", "white pawn")
    fault.get_by_text("a pawn stands on a8, where none can").wait_for()
    assert text.input_value() == ""
    page.locator("#menu-begin").click()
    page.locator("#menu-answer", has_text="No game can begin from this position").wait_for()
    menu.locator("[name=kind][value='']").check(force=True)
    put(page, "a8", "empty")
    menu.locator("[name=kind][value='♞']").check(force=True)
    put(page, "a8", "black knight")
    expect(fault).to_have_text("")
    assert serious(page) == []
    page.locator("#menu-begin").click()
    page.wait_for_selector('#table [aria-label="a8: black knight"]')
    page.wait_for_selector("#table .cell.source")
    point(page, "e5")
    point(page, "d6")
    has_come(page, there, 1)
    assert there.moves == ["exd6"]
    match = there.session.match
    assert match is not None
    start = match.referee.game.format_position(match.referee.history[0])
    assert start == "n3k2r/8/8/3pP3/8/8/8/R3K2R w Kk d6 0 1"


def test_kings_of_draughts_are_put_by_taps_and_whose_turn_it_is_is_told(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address, 390, 844)
    menu = opened(page, "Draughts")
    menu.get_by_role("button", name="Empty the board").click()
    menu.locator(".arranging .answer", has_text="the game is over").wait_for()
    for kind, cell, what in (("K", "18", "light king"), ("B", "22", "dark man")):
        menu.locator(f"[name=kind][value={kind}]").check(force=True)
        put(page, cell, what)
    menu.get_by_role("radio", name="Light", exact=True).last.check(force=True)
    page.wait_for_function("() => document.querySelector('[name=position]').value === 'W:WK18:B22'")
    page.locator("#menu-begin").click()
    page.wait_for_selector("#table .cell.source")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    point(page, "18")
    point(page, "25")
    has_come(page, there, 1)
    assert there.moves == ["18x25"] and there.session.match is not None
    assert there.session.match.referee.outcome is not None


def test_a_position_is_dropped_with_its_part_of_the_dialog_and_with_another_game(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    menu = opened(page, "Chess")
    menu.get_by_role("button", name="Empty the board").click()
    menu.locator(".arranging .answer", has_text="White has 0 kings").wait_for()
    menu.get_by_role("radio", name="Dominoes").check()
    expect(menu.locator(".arranging")).to_have_count(0)
    menu.get_by_role("radio", name="Chess", exact=True).check()
    assert menu.locator(".arranging").get_attribute("open") is None
    page.locator("#menu-begin").click()
    page.wait_for_selector('#table [aria-label="e1: white king"]')


def test_other_rules_keep_what_was_set_up(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    menu = opened(page, "Draughts")
    menu.locator("[name=kind][value=K]").check(force=True)
    put(page, "18", "light king")
    menu.locator("details.more summary").click()
    menu.get_by_label("Backwards").check()
    page.wait_for_selector(f'{BOARD} [aria-label="18: light king"]')
    menu.locator(".arranging .answer", has_text="13 men of a side stand there, and each side has 12").wait_for()
