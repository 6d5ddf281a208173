"""A real browser, Debian's Chromium, and tables whose pages it looks at; skipped where there is no such browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.table import Table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
TIMEOUT_MS = 15_000
"""Longest wait for anything to come to pass: far more than it takes, for a machine that is busy."""
EXPECTED_ERRORS = ("Failed to load resource", "WebSocket connection to")
"""What the browser writes of an answer that is no success, and of a daemon that has gone; all else is a fault."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no browser tests: there is no chromium; on Debian: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens an address in a window of its own; what the page writes as an error fails the test."""
    contexts, faults = [], []

    def opened(address: str, width: int = 1280, height: int = 800, **rest: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **rest)
        contexts.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [fault for fault in faults if not fault.startswith(EXPECTED_ERRORS)] == []


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., Table]]:
    """Opens a table without a camera."""
    opened: list[Table] = []

    def begun(game: str, /, **settings: Any) -> Table:
        opened.append(Table(tmp_path / str(len(opened)), game, **settings))
        return opened[-1]

    yield begun
    for one in opened:
        one.close()
