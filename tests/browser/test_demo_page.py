"""A demo in the browser: begun from the start card, kept after its end, and left to play oneself."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, Tables
from tests.browser.test_start import loaded
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
SLOW_MS = 120_000


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    said = tmp_path / "said"
    words = ["demo", "--stay", "--silent", "--plies", "1", "--rule", "men=3"]
    with said.open("wb") as file:
        started = subprocess.Popen([sys.executable, "-m", "daemon.cli", *words], cwd=ROOT, stdout=file, stderr=file)
    yield started, said
    started.kill()
    started.wait()


def address_in(said: Path) -> str:
    """The last address that a demo names: the first one may be in use."""
    wait_for(lambda: "page with the picture" in said.read_text())
    return re.findall(r"http://[0-9.:]+/", said.read_text())[-1]


def test_a_demo_stays_is_watched_again_and_goes_on_as_a_game(
    demo: tuple[subprocess.Popen[bytes], Path], look: Look
) -> None:
    process, said = demo
    page = look(address_in(said))
    page.locator("#demo-again").wait_for(timeout=SLOW_MS)
    expect(page.locator('#moves[data-plies="1"]')).to_have_count(1)
    expect(page.locator("#new")).to_be_hidden()
    page.locator("#demo-again").click()
    page.locator("#demo-again").wait_for(state="hidden")
    page.locator("#demo-again").wait_for(timeout=SLOW_MS)
    page.locator("#demo-play").click()
    loaded(page, "#menu")
    menu = page.locator("#menu")
    expect(menu.get_by_role("radio", name="Casual")).to_be_checked()
    menu.get_by_role("radio", name="Reversi").check()
    page.locator("#menu-begin").click()
    page.wait_for_selector("#main .cell.target", timeout=SLOW_MS)
    expect(page.locator("#demo")).to_be_hidden()
    expect(page.locator("#title")).to_have_text("Reversi")
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert "Traceback" not in said.read_text()


def test_a_demo_is_ended_on_its_page(demo: tuple[subprocess.Popen[bytes], Path], look: Look) -> None:
    process, said = demo
    page = look(address_in(said))
    page.locator("#demo-end").click(timeout=SLOW_MS)
    assert process.wait(60) == 0
    expect(page.locator("#ended h1")).to_have_text("The demo has ended.")  # and no button that leads nowhere
    expect(page.locator("button, #instruction, #health")).to_have_count(0)
    assert "Traceback" not in said.read_text()


def test_a_demo_is_watched_from_the_start_card_and_leads_back_to_it(table: Tables, look: Look) -> None:
    there = table("ganh", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    page.locator("#way-demo").click()
    page.wait_for_url(re.compile(r"\?table=\d+$"), timeout=SLOW_MS)
    page.locator("#demo").wait_for()
    port = there.address.rsplit(":", 1)[1].strip("/")
    assert page.url.endswith(f"?table={port}") and f":{port}/" not in page.url
    page.locator("#demo-play").click()
    page.wait_for_url(there.address)
    page.locator("#way-demo").click()  # the demo that is on
    page.locator("#demo-end").click(timeout=SLOW_MS)
    page.wait_for_url(there.address)
    page.locator("#way-demo:enabled").wait_for()
    assert there.moves == []
