"""Chess on the page: which piece stands where, taking and castling by two taps, and what a pawn becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from lab.bench.browsing import Table, point
from tests.browser.test_playing import has_come

pytestmark = pytest.mark.usefixtures("quick_hands")

MOVES = "h2h4 g7g5 h4g5 h7h6 g5h6 a7a6 h6h7 a6a5 g1f3 b7b6 g2g3 b6b5 f1g2 b5b4 e1g1 c7c6".split()
"""Cells to tap for each move; the king's alone for castling."""


def test_pieces_are_moved_by_taps_and_a_pawn_asks_what_it_becomes(
    table: Callable[..., Table], look: Callable[..., Any]
) -> None:
    there = table("chess")
    page = look(there.address)
    page.wait_for_selector('[aria-label="g1: white knight"]')
    for ply, cells in enumerate(MOVES, 1):
        page.wait_for_selector(".cell.source")
        point(page, cells[:2])
        point(page, cells[2:])
        has_come(page, there, ply)
    expect(page.locator('[aria-label="f1: white rook"]')).to_have_count(1)
    page.wait_for_selector(".cell.source")
    point(page, "h7")
    point(page, "g8")
    asked = page.locator("#pieces [role=menuitem]")
    asked.first.wait_for()
    expect(asked).to_have_text(["queen", "rook", "bishop", "knight"])
    asked.nth(3).click()
    page.wait_for_selector('[aria-label="g8: white knight"]')
    page.locator("#actions [data-command=choose]").first.click()
    page.wait_for_selector('[aria-label="g8: white queen"]')
    expect(page.locator("#moves")).to_contain_text("hxg8=Q")


def test_the_page_asks_once_what_no_camera_sees(table: Callable[..., Table], look: Callable[..., Any]) -> None:
    there = table("chess", camera=True)
    page = look(there.address)
    page.locator("#said", has_text="I cannot tell king and queen apart").wait_for()
    start = there.board
    there.board = start.replace("W", ".", 1)
    page.locator("#instruction", has_text="is on no cell").wait_for()
    there.board = start
    page.wait_for_function("() => !document.querySelector('#instruction').textContent.includes('is on no cell')")
    expect(page.locator("#announcements li", has_text="I cannot tell king and queen apart")).to_have_count(1)
