"""The best moves on the page: switched on by those who play, drawn on the board, listed beside it, and gone again."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from playwright.sync_api import expect

from agents import kernels
from daemon.record.journal import Journal
from tests.browser.conftest import Look, Tables

pytestmark = pytest.mark.usefixtures("quick_hands", "english_afterwards")

ENGINE_MS = 60_000
"""Milliseconds for the first answer: its process gives way to all others."""
WIDTHS = (390, 820, 1366)
MIDDLE_OF = """selector => {
  const found = document.querySelector(selector);
  found.scrollIntoView({ block: "center", behavior: "instant" });
  const box = found.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
"""Where an element is once it is in view, found in one go."""


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """Compiles the searches, which may take minutes in a process that gives way to all others."""
    for name in ("reversi", "nine_mens_morris"):
        kernels.load(name)


def opened(page: Any) -> None:
    page.locator("#best summary").click()


def test_two_people_switch_them_on_and_off(table: Tables, look: Look) -> None:
    page = look(table("reversi").address)
    opened(page)
    ways = page.locator("#best-ways button")
    page.locator("#best-ways button", has_text="Black wants").click()
    page.locator("#best-ways button", has_text="Hide").wait_for()
    expect(page.locator("#best-moves li")).to_have_count(0)
    expect(page.locator("#board .best")).to_have_count(0)
    page.locator("#best-ways button", has_text="White wants").click()
    page.wait_for_selector("#best-moves li", timeout=ENGINE_MS)
    expect(page.locator("#board .best")).to_have_count(3)
    expect(page.locator("#best-moves li")).to_have_count(3)
    expect(page.locator("#board .best.first .best-label")).to_have_count(1)
    ring = page.locator("#board .best.first circle.hint")
    assert ring.evaluate("one => getComputedStyle(one).display") == "inline"
    ways.first.click()
    page.locator("#board .best").first.wait_for(state="detached")
    expect(page.locator("#best-moves li")).to_have_count(0)


def test_against_an_agent_it_asks_first_and_the_game_is_practice(table: Tables, look: Look) -> None:
    at = table("nine_mens_morris", agent="level-1")
    page = look(at.address, 390, 844)
    opened(page)
    way = page.locator("#best-ways button")
    way.click()
    expect(way).to_have_text("Really? It becomes practice.")
    expect(page.locator("#board .best")).to_have_count(0)
    way.click()
    page.wait_for_selector("#best-moves li", timeout=ENGINE_MS)
    expect(page.locator("#announcements")).to_contain_text("does not count in the ranking")
    assert at.session.match is not None
    with contextlib.closing(Journal(at.session.services.journal.path, read_only=True)) as journal:
        stored = journal.game(at.session.match.game_id)
    assert [note.kind for note in stored.notes].count("practice") == 1
    # Where it is, whichever drawing of the board is there by then: better moves may be found and drawn meanwhile.
    page.mouse.click(*page.evaluate(MIDDLE_OF, '[data-cell="d2"] .spot'))
    page.wait_for_selector("#moves[data-plies='2']", timeout=ENGINE_MS)
    page.wait_for_selector("#best-moves li", timeout=ENGINE_MS)


@pytest.mark.parametrize("language", ["en", "ro", "pl", "vi", "pt-br"])
def test_they_fit_in_every_language(table: Tables, look: Look, language: str) -> None:
    at = table(
        "nine_mens_morris", advice={"best_moves": True, "seconds": 0.3}, speech={"enabled": False, "language": language}
    )
    page = look(at.address, WIDTHS[0], 844)
    page.wait_for_selector("#best-moves li", timeout=ENGINE_MS)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        expect(page.locator("#best-moves .value").first).not_to_be_empty()
