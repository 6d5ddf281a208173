"""A page that speaks: each announcement once, the daemon's sound where the browser has no voice, nothing old."""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import expect

from daemon.cli.voices import is_heard
from lab.bench.browsing import PLAYED, Table
from tests.browser.conftest import Look, Tables

VOICES = """
window.said = [];
const voice = (name, lang, localService) => ({ name, lang, localService });
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [voice("far", "ro-RO", false), voice("us", "en-US", true), voice("here", "ro_RO", true)],
  speak(phrase) {
    window.said.push([phrase.text, phrase.lang, phrase.voice?.name]);
    setTimeout(() => phrase.onend?.(), 20);
  },
  cancel() {}, resume() {},
} });
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""


def say(table: Table, text: str, **rest: Any) -> None:
    assert table.session.services.page is not None
    table.session.services.page.announce(text, **rest)


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")
def test_a_page_speaks_with_the_daemons_sound_where_the_browser_has_no_voice(look: Look, table: Tables) -> None:
    here = table("nine_mens_morris")
    say(here, "It was said before.")
    page = look("about:blank")
    page.add_init_script(PLAYED)
    page.goto(here.address)
    page.locator("#announcements li").first.wait_for()
    page.get_by_role("button", name="Speak here").click()
    page.wait_for_function("() => window.played.length === 1")  # the last phrase, so that one hears whether it works
    say(here, "Dark d2.")
    page.wait_for_function("() => window.played.length === 2")
    seconds = page.evaluate("window.played[1]")
    assert 0.4 < seconds < 4.0
    say(here, "Only written.", spoken=False)
    say(here, "Light a1-a4.")
    page.wait_for_function("() => window.played.length === 3")
    number = page.locator("#speak").get_attribute("data-spoken")
    with urllib.request.urlopen(f"{here.address}events") as response:
        voices = {one["number"]: one["voice"] for one in json.load(response)}
    page.wait_for_function(f"() => document.getElementById('speak').dataset.spoken === '{max(voices)}'")
    assert number is not None and list(voices.values())[-3:] == ["Dark d, 2.", "", "Light a, 1; a, 4."]
    with urllib.request.urlopen(f"{here.address}voice/{max(voices)}") as response:
        assert is_heard(response.read())


def test_a_page_speaks_with_the_browsers_own_voice_of_the_tables_language(look: Look, table: Tables) -> None:
    """Never with one that would send the phrases elsewhere."""
    here = table("nine_mens_morris", speech={"enabled": False, "language": "ro"})
    page = look("about:blank")
    page.add_init_script(VOICES)
    page.goto(here.address)
    page.get_by_role("button", name="Vorbește aici").click()
    page.wait_for_function("() => document.getElementById('title').textContent")
    before = len(page.evaluate("window.said"))
    say(here, "Negru d2.")
    page.wait_for_function(f"() => window.said.length === {before + 1}")
    assert page.evaluate("window.said.at(-1)") == ["Negru d, 2.", "ro_RO", "here"]


def test_a_page_remembers_that_it_speaks_and_says_nothing_old_when_it_comes_back(look: Look, table: Tables) -> None:
    here = table("nine_mens_morris")
    page = look("about:blank")
    page.add_init_script(VOICES)
    page.goto(here.address)
    speak = page.get_by_role("button", name="Speak here")
    speak.click()
    say(here, "The first.")
    page.wait_for_function("() => window.said.some(([text]) => text === 'The first.')")
    page.reload()
    expect(speak).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("() => document.getElementById('announcements').children.length > 0")
    say(here, "The second.")
    page.wait_for_function("() => window.said.length > 0")
    assert [text for text, *_ in page.evaluate("window.said")] == ["The second."]
    speak.click()
    say(here, "The third.")
    page.wait_for_function("() => document.getElementById('announcements').textContent.includes('The third.')")
    assert [text for text, *_ in page.evaluate("window.said")] == ["The second."]


def test_only_what_was_spoken_lately_has_a_sound(table: Tables) -> None:
    here = table("nine_mens_morris")
    for number in (0, 999_999_999):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{here.address}voice/{number}")
