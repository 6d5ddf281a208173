"""A real browser, Debian's Chromium, and tables whose pages it opens; tests are skipped where it is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from daemon.page import permission
from daemon.words import translation
from lab.bench.browsing import CHROMIUM, Table

Look = Callable[..., Any]
Tables = Callable[..., Table]
TIMEOUT_MS = 60_000
"""Milliseconds to wait for anything at most: far more than it takes, for a busy machine."""
expect.set_options(timeout=TIMEOUT_MS)
EXPECTED_ERRORS = ("Failed to load resource", "WebSocket connection to")
"""Console errors about failed requests and a daemon that has gone are expected; any other error is a fault."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser, started once; while it is open, Playwright has an event loop in this thread, where others need one."""
    if CHROMIUM is None:
        pytest.skip("no browser tests: there is no chromium; on Debian: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens an address in a window of its own; any error that the page writes fails the test."""
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
    opened: list[Table] = []

    def begun(game: str, /, **settings: Any) -> Table:
        opened.append(Table(tmp_path / str(len(opened)), game, **settings))
        return opened[-1]

    yield begun
    for one in opened:
        one.close()


@pytest.fixture
def quick_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raises the limit on commands per second, since nobody plays as fast as a test."""
    monkeypatch.setattr(permission, "RATE_HZ", 1000.0)


@pytest.fixture
def english_afterwards() -> Iterator[None]:
    """Gives back the language, which is one for the whole process."""
    yield
    translation.speak("en")
