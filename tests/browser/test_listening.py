"""A real browser's microphone, played from a file: the page sends it, pocketsphinx hears it, the game obeys."""

from __future__ import annotations

import shutil
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import CHROMIUM, TIMEOUT_MS
from tests.browser.table import Table
from tests.daemon.speech_sounds import spoken
from tests.waiting import wait_for

pytest.importorskip("pocketsphinx", reason="no recogniser: the package pocketsphinx is not installed")
pytestmark = [
    pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
]
Tables = Callable[..., Table]


def recorded(path: Path, *phrases: str) -> Path:
    """A file with phrases and rests; a browser plays it again and again."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        for phrase in phrases:
            file.writeframes(spoken(phrase) + bytes(2 * 16000 * 4))
    return path


def test_commands_said_into_a_pages_microphone_are_carried_out_or_asked_back(tmp_path: Path, table: Tables) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    here = table("nine_mens_morris", listening={"enabled": True})
    said = recorded(tmp_path / "said.wav", "Kibitzer, delta six.", "Kibitzer, yes.", "The weather is nice today.")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--use-fake-ui-for-media-stream",
                "--use-fake-device-for-media-stream",
                f"--use-file-for-fake-audio-capture={said}",
            ],
        )
        try:
            page = started.new_page()
            page.set_default_timeout(TIMEOUT_MS)
            page.goto(here.address)
            listen = page.get_by_role("button", name="Listen to me")
            listen.click()
            wait_for(lambda: here.moves[:1] == ["d6"])
            assert listen.get_attribute("aria-pressed") == "true"
            told = page.locator("#announcements").inner_text()
            assert "Did you say: d6? Say: Kibitzer, yes." in told and "weather" not in told
            listen.click()
            assert listen.get_attribute("aria-pressed") == "false"
            service = here.session.services.listening
            assert service is not None
            wait_for(lambda: service.status()["microphones"] == 0)
        finally:
            started.close()


def test_a_page_offers_its_microphone_only_where_listening_is_on(table: Tables, look: Callable[..., object]) -> None:
    page = look(table("nine_mens_morris").address)
    page.wait_for_function("() => document.getElementById('title').textContent")  # type: ignore[attr-defined]
    assert page.get_by_role("button", name="Listen to me").count() == 0  # type: ignore[attr-defined]
