"""Everybody can use the page: no serious fault by axe, no sideways scrolling, and it comes back by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from agents.messages import StateMessage
from daemon.page.web import WebPage
from tests.browser.conftest import Look, Tables
from tests.daemon.test_web import state

SHOWN = {"": ".cell.target", "setup": "#health.good", "overlay": "#board svg", "phone": "#qr"}
"""What a page shows once it is complete."""
WIDTHS = (360, 768, 1920, 3840)


def door(folder: Path) -> dict[str, Any]:
    """Settings of the phones' port: a free one, with keys of its own."""
    return {"port": 0, "addresses": ["127.0.0.1"], "folder": str(folder / "phone")}


def serious(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    page.context.set_default_timeout(60_000)
    found = axe.Axe().run(page).response["violations"]
    worth = ("moderate", "serious", "critical")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in worth]


def faults(page: Any) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {one}" for one in serious(page)]
    return found


@pytest.mark.parametrize("path", ["", "setup", "games", "pad", "overlay", "phone"])
def test_axe_finds_no_serious_fault(table: Tables, look: Look, tmp_path: Path, path: str) -> None:
    there = table("morris", phone=door(tmp_path))
    page = look(there.address + path, bypass_csp=True)
    if path in SHOWN:
        page.wait_for_selector(SHOWN[path])
    if not path:
        page.locator('[data-cell="d6"] .spot').click(force=True)
        page.wait_for_selector('#moves[data-plies="1"]', state="attached")
    assert faults(page) == []
    if not path:
        page.locator("#new").click()
        page.locator("#menu-begin").wait_for()
        assert faults(page) == []


@pytest.mark.parametrize("path", ["", "overlay"])
def test_axe_finds_no_fault_in_a_board_with_tiles_and_pawns(table: Tables, look: Look, path: str) -> None:
    page = look(table("dominoes").address + path, bypass_csp=True)
    page.wait_for_selector("circle.pawn")
    assert faults(page) == []


def test_axe_finds_no_fault_before_a_game(table: Tables, look: Look) -> None:
    served = WebPage(port=0)
    page = look(served.address, bypass_csp=True)
    page.locator("#board .waiting").wait_for()
    assert faults(page) == []
    served.close()
    page = look(table("morris", whole=True).address, bypass_csp=True)
    page.locator("#way-camera").wait_for()
    page.locator("#start-games img").first.wait_for()
    assert faults(page) == []
    page.locator("#way-camera").click()
    page.locator("#camera-look").wait_for(state="attached")
    assert faults(page) == []
    page.locator("#camera-cancel").click()
    page.locator("#settings").click()
    page.locator("#settings-dialog").wait_for()
    assert faults(page) == []


@pytest.mark.parametrize("path", ["", "setup", "games", "pad", "phone"])
def test_nothing_sticks_out_sideways(table: Tables, look: Look, tmp_path: Path, path: str) -> None:
    there = table("dominoes" if not path else "morris", phone=door(tmp_path))
    page = look(there.address + path, WIDTHS[0], 800)
    page.wait_for_load_state("networkidle" if path else "load")
    if not path:
        page.wait_for_selector("#hand button")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_comes_back_with_the_whole_state_when_the_daemon_does(look: Look) -> None:
    first = WebPage(port=0)
    first.publish(view={"title": "Reversi"})
    first.publish(state=state(1, text="Before."))
    page = look(first.address)
    page.locator("#said", has_text="Before.").wait_for()
    first.close()
    page.locator("#health", has_text="trying again").wait_for()
    again = WebPage(port=first.port)
    again.publish(view={"title": "Reversi"})
    again.publish(state=state(9, text="After.", session="s2"))
    page.locator("#said", has_text="After.").wait_for()
    again.close()


def test_texts_of_strangers_stay_texts(look: Look) -> None:
    served = WebPage(port=0)
    loud = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    served.publish(view={"title": loud})
    served.announce(loud)
    served.publish(state=StateMessage.model_validate(state(1).model_dump() | {"text": loud}))
    page = look(served.address)
    page.locator("#announcements li", has_text="onerror").wait_for()
    expect(page.locator("#said")).to_have_text(loud)
    expect(page.locator("main script, main img[src=x]")).to_have_count(0)
    served.close()
