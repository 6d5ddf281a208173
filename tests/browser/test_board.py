"""The board and what is above it: instruction, hint, camera's picture, in a real Chromium."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from daemon.agents import hints
from tests.browser.table import Table

if TYPE_CHECKING:
    from playwright.sync_api import Page

Look = Callable[..., Any]
Tables = Callable[..., Table]
WIDTHS = [(390, 844), (820, 1180), (1366, 768)]


def point(page: Page, cell: str) -> None:
    page.locator(f'[data-cell="{cell}"] .spot').click(force=True, no_wait_after=True)


def answers(monkeypatch: pytest.MonkeyPatch, move: str) -> None:
    """Replaces the coach's search with an answer."""
    text = json.dumps({"move": move, "score": 12, "lead": 40})
    command = (sys.executable, "-c", f"print({text!r})")
    monkeypatch.setattr(hints.Coach.__init__, "__defaults__", (command, 20.0))


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_the_instruction_is_above_the_board_and_stays_in_view(
    table: Tables, look: Look, width: int, height: int
) -> None:
    there = table("morris", agent="level-2")
    page = look(there.address, width, height)
    page.locator("#instruction", has_text="Your move.").wait_for()
    line, board = page.locator("#instruction").bounding_box(), page.locator("#board").bounding_box()
    assert line["y"] + line["height"] <= board["y"]
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    line = page.locator("#instruction").bounding_box()
    assert 0 <= line["y"] < height / 2


def test_a_hint_is_drawn_and_said_and_gone_with_the_next_move(
    table: Tables, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, "d2")
    page = look(table("morris").address)
    page.click("[data-command=coach]")
    page.wait_for_selector(".marks .hint", state="attached")
    assert page.inner_text("#said") == "Light is a little ahead. Try d2."
    point(page, "f4")
    page.wait_for_selector('#moves[data-plies="1"]', state="attached")
    assert page.locator(".marks .hint").count() == 0


def test_the_cameras_picture_is_small_and_opens_and_escape_closes_it(table: Tables, look: Look) -> None:
    page = look(table("morris", camera=True).address)
    small = page.locator("#camera img")
    small.wait_for()
    page.click("#camera")
    large = page.locator("#large img")
    large.wait_for()
    assert large.bounding_box()["width"] > 1000
    page.keyboard.press("Escape")
    small.wait_for()
    assert small.bounding_box()["width"] < 120 and not page.locator("#large").is_visible()
