"""A real browser's microphone, played from a file: the page sends it, pocketsphinx hears it, the game obeys."""

from __future__ import annotations

import shutil
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from lab.bench.browsing import CHROMIUM
from lab.bench.phone import scanned
from tests.browser.conftest import TIMEOUT_MS, Tables
from tests.browser.test_access import door
from tests.daemon.speech import spoken
from tests.waiting import wait_for

pytest.importorskip("pocketsphinx", reason="no recogniser: the package pocketsphinx is not installed")
pytestmark = [
    pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium"),
]


def recorded(path: Path, *phrases: str) -> Path:
    """A file with phrases and rests; a browser plays it again and again."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        for phrase in phrases:
            file.writeframes(spoken(phrase) + bytes(2 * 16000 * 4))
    return path


@pytest.fixture
def hearing(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """A page whose microphone hears phrases, each followed by a rest."""
    opened: list[Browser] = []

    def page(*phrases: str) -> Page:
        said = recorded(tmp_path / "said.wav", *phrases)
        opened.append(
            browser.browser_type.launch(
                executable_path=CHROMIUM,
                args=[
                    "--no-sandbox",
                    "--use-fake-ui-for-media-stream",
                    "--use-fake-device-for-media-stream",
                    f"--use-file-for-fake-audio-capture={said}",
                ],
            )
        )
        context = opened[-1].new_context(ignore_https_errors=True, permissions=["camera", "microphone"])
        context.set_default_timeout(TIMEOUT_MS)
        return context.new_page()

    yield page
    for one in opened:
        one.close()


def test_commands_said_into_a_pages_microphone_are_carried_out_or_asked_back(
    hearing: Callable[..., Page], table: Tables
) -> None:
    here = table("nine_mens_morris", listening={"enabled": True})
    page = hearing("Kibitzer, delta six.", "Kibitzer, yes.", "The weather is nice today.")
    page.goto(here.address)
    listen = page.get_by_role("button", name="Listen to me")
    listen.click()
    wait_for(lambda: here.moves[:1] == ["d6"])
    expect(listen).to_have_attribute("aria-pressed", "true")
    told = page.locator("#announcements").inner_text()
    assert "Did you say: d6? Say: Kibitzer, yes." in told and "weather" not in told
    listen.click()
    expect(listen).to_have_attribute("aria-pressed", "false")
    service = here.session.services.listening
    assert service is not None
    wait_for(lambda: service.status()["microphones"] == 0)


def test_a_paired_phone_listens_over_https(
    hearing: Callable[..., Page], table: Tables, look: Callable[..., Page], tmp_path: Path
) -> None:
    here = table("nine_mens_morris", phone=door(tmp_path), listening={"enabled": True})
    page = hearing("Kibitzer, delta six.", "Kibitzer, yes.")
    page.goto(scanned(look(f"{here.address}phone")))
    page.get_by_role("button", name="Listen to me").click()
    wait_for(lambda: here.moves[:1] == ["d6"])


def test_a_page_offers_its_microphone_only_where_listening_is_on(table: Tables, look: Callable[..., Page]) -> None:
    page = look(table("nine_mens_morris").address)
    page.wait_for_function("() => document.getElementById('title').textContent")
    expect(page.get_by_role("button", name="Listen to me")).to_have_count(0)
