"""Rule sets in the dialog for a new game, and forbidden points on the board."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Look, Tables
from tests.browser.test_playing import field


def test_a_rule_set_is_chosen_by_its_name_and_explained(table: Tables, look: Look) -> None:
    there = table("morris", whole=True, camera=False)
    page = look(there.address)
    page.locator("#way-here").click()
    menu = page.locator("#menu")
    menu.get_by_text("More: clock, rules, agents").click()
    field(menu, "Rules").select_option("Lasker morris")
    menu.locator("p.hint", has_text="you lay a man or move one").wait_for()
    assert field(menu, "Men").input_value() == "10"
    field(menu, "Rules").select_option("Six men's morris")
    menu.locator("p.hint", has_text="Six men each on two squares").wait_for()
    menu.get_by_role("radio", name="Two people").check()
    page.locator("#menu-begin").click()
    page.locator("#title", has_text="Six men's morris").wait_for()
    page.locator('[data-cell="e5"]').wait_for()
    expect(page.locator("[data-cell]")).to_have_count(16)
    page.locator('[data-cell="c5"]').click()
    page.locator('[data-cell="c5"] .man').wait_for()


def test_the_points_that_renju_forbids_are_marked(table: Tables, look: Look) -> None:
    there = table("gomoku", game={"name": "gomoku", "rules": {"set": "renju"}})
    page = look(there.address)
    for name in "g8 a1 i8 c1 h9 e1 h7 a3".split():
        page.locator(f'.acting [data-cell="{name}"]').click()
        page.locator(f'[data-cell="{name}"] .man').wait_for()
    page.locator("path.forbidden").wait_for(state="attached")
    expect(page.locator("path.forbidden")).to_have_count(1)


def test_the_second_side_of_swap_takes_black_on_the_page(table: Tables, look: Look) -> None:
    there: Any = table("gomoku", game={"name": "gomoku", "rules": {"set": "swap"}})
    page = look(there.address)
    for name in "h8 a1 i9".split():
        page.locator(f'.acting [data-cell="{name}"]').click()
        page.locator(f'[data-cell="{name}"] .man').wait_for()
    page.get_by_role("button", name="Take the black stones").click()
    page.locator(".moves", has_text="black").wait_for()
