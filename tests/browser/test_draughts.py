"""Draughts on the page: who begins stands first, and a tap that leads nowhere is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from lab.bench.browsing import Table, point
from tests.browser.test_playing import has_come

pytestmark = pytest.mark.usefixtures("quick_hands")


def test_dark_begins_and_must_take(table: Callable[..., Table], look: Callable[..., Any]) -> None:
    there = table("draughts")
    page = look(there.address)
    for ply, (origin, cell) in enumerate((("11", "15"), ("22", "18")), 1):
        page.wait_for_selector(".cell.source")
        point(page, origin)
        point(page, cell)
        has_come(page, there, ply)
    expect(page.locator("#moves li")).to_have_count(1)
    expect(page.locator("#moves li")).to_contain_text("11-1522-18")
    page.wait_for_selector(".cell.source")
    point(page, "9")
    expect(page.locator("#answer")).to_have_text("No move begins on 9. A capture must be made.")
    point(page, "15")
    point(page, "19")
    expect(page.locator("#answer")).to_have_text("No move leads from 15 to 19. A capture must be made.")
