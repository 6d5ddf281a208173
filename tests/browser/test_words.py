"""All that the page shows is translated: with the full-width pseudo-language, no ordinary letter is left."""

from __future__ import annotations

import re
from typing import Any

import pytest

import games
import games.chess.openings
import games.draughts.openings
import games.gomoku.openings
import games.reversi.openings
from agents import heuristics, registry
from daemon.words.translation import LANGUAGES
from tests.browser.conftest import Look, Tables
from tests.daemon.pseudo import LANGUAGE, untranslated

AGENT = "random"
SEEN = """() => {
  const found = new Set();
  for (const node of document.querySelectorAll("*")) {
    if (["script", "style", "noscript", "time"].includes(node.localName)) continue;
    for (const name of ["title", "aria-label", "aria-description", "placeholder", "alt"]) {
      if (node.getAttribute(name)) found.add(node.getAttribute(name));
    }
    for (const child of node.childNodes) if (child.nodeType === 3 && child.data.trim()) found.add(child.data.trim());
  }
  return [...found];
}"""
SAY = """async ([path, words]) => {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(path, { method: "POST", headers, body: JSON.stringify(words) })).json();
}"""
LEGAL = """async () => {
  for (let turn = 0; turn < 300; turn += 1) {
    const told = await (await fetch("legal")).json();
    if (told.moves.length || told.side === null) return told;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("nobody came to move");
}"""
WHO = "#menu .player select"
PICK = """(number) => {
  for (const key of [0, 1]) {
    const field = document.querySelectorAll("#menu .player")[key].querySelector("select");
    field.selectedIndex = number;
    field.dispatchEvent(new Event("change"));
  }
}"""
NAMES = frozenset(
    {"Kibitzer", "PDF", "LETTER", "Elo", "SGF", "GGF", "PGN", "PDN", "JSON"}
    | {word for name in LANGUAGES.values() for word in re.findall("[A-Za-z]+", name)}
    | set(registry.names())
    | {name for game in games.names() for name in heuristics.of(games.load(game))}
    | {"max", "robust", "max_robust", "secure"}
)
"""Product, language, agent and algorithm names, which are the same in every language."""
OPENINGS = {
    name
    for module in (games.chess.openings, games.draughts.openings, games.gomoku.openings, games.reversi.openings)
    for name in module.LINES
}
FACTS = re.compile(
    r"https?://\S+|rtsp://\S+|\brandom:\S+|\./kibitzer run --open|\d+ \w+\.? \d{4}, \d+:\d+|\bpass(:\S+)?|"
    + "|".join(map(re.escape, sorted(OPENINGS, key=len, reverse=True)))
)
"""Addresses, players and commands as they are typed, dates, moves, and names of openings."""


class Reader:
    """Collects untranslated text from the pages that a test opens."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.english: dict[str, str] = {}

    def read(self, where: str) -> None:
        for text in self.page.evaluate(SEEN):
            if untranslated(FACTS.sub("", text), NAMES):
                self.english.setdefault(text, where)

    def say(self, path: str, **words: object) -> Any:
        """Posts JSON as a program would; the answer must be translated too."""
        answer = self.page.evaluate(SAY, [path, words])
        if untranslated(FACTS.sub("", answer.get("text", "")), NAMES):
            self.english.setdefault(answer["text"], f"{path} {words}")
        return answer


@pytest.mark.parametrize("name", games.names())
def test_a_game_its_menu_and_every_page_are_translated_to_the_last_word(
    name: str, table: Tables, look: Look, pseudo: None
) -> None:
    there = table(
        name,
        agent=AGENT,
        whole=True,
        speech={"language": LANGUAGE},
        clock={"control": "move", "minutes": 5, "lose": True},
    )
    page = look(there.address)
    reader = Reader(page)
    page.wait_for_selector("#start-games input")
    reader.read("start")
    page.locator("#way-here").click()
    page.wait_for_function(f"() => document.querySelector({WHO!r})?.options.length > 3", timeout=60_000)
    page.locator("#menu-begin").click()
    page.wait_for_selector("#main .cell.target, #actions button")
    page.wait_for_selector("#parts li", state="attached")
    for _ in range(3):
        legal = page.evaluate(LEGAL)
        reader.say("tell", command="move", move="e2e4")
        reader.say("tell", command="move", move=legal["moves"][0]["move"])
        reader.read("playing")
    page.evaluate(LEGAL)
    for command in ("coach", "repeat", "undo", "pass", "adopt", "pause", "resume", "resign"):
        reader.say("tell", command=command)
        reader.read(command)
    page.wait_for_selector(".player.won")
    reader.read("over")
    page.locator("#settings").click()
    page.locator("#settings-dialog [name=clock]").select_option("own")
    reader.read("settings")
    page.keyboard.press("Escape")
    page.locator("#new").click()
    page.wait_for_function(f"() => document.querySelector({WHO!r})?.options.length > 3")
    for number in range(page.evaluate(f"document.querySelector({WHO!r}).options.length")):
        page.evaluate(PICK, number)
        reader.read("menu")
    for path in ("setup", "games", "overlay"):
        page.goto(there.address + path)
        page.wait_for_load_state("networkidle" if path != "overlay" else "load")
        if path == "overlay":
            page.wait_for_selector("#board svg")
        if path == "games":
            page.locator("#list button").first.click()
            page.wait_for_selector("#moves button[data-ply='1']")
            reader.read("replay")
        reader.read(path)
    assert reader.english == {}
