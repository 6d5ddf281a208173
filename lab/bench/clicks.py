"""Plays whole games on the page by clicking, in a real browser, only where the page offers a place.

    kibitzer bench clicks
    kibitzer bench clicks --game go

Two people play every game without a camera, by chance: each click goes to a cell that the page marks, or to a button
where none is marked, and is followed by what the page then asks. After a limit of moves players pass where they may,
and count, as people do in go. Prints one JSON line a game: how many cells the page `offered`, where it was `clicked`,
how many of the clicks were `accepted`, the `refused` ones by name, and how the game ended. Exit status 1 if a click was
refused or a game did not end, 2 without Chromium.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, TimeoutError, sync_playwright

import games
from daemon.page import permission
from lab.bench.browsing import CHROMIUM, Table, point
from lab.bench.whole_games import LONGEST, Figures, Most, Names, Seed, in_turn

MARKED = ".cell.target, .cell.source, .cell.prey"
READY = f"""() => document.querySelector('#instruction').dataset.kind === 'over'
  || document.querySelector('{MARKED}, #actions [data-command=pass], #actions [data-command=agree]')"""
AFTER = """([plies, cell]) => {
  if (document.querySelector('#answer.bad')) return 'refused';
  if (document.querySelector('#moves').dataset.plies !== plies) return 'made';
  if (!document.querySelector('#pieces').hidden) return 'asked';
  return document.querySelector(`[data-cell="${cell}"].chosen`) ? 'begun' : null;
}"""
WAIT_MS = 20_000
"""Milliseconds to wait for anything the page does, far more than it takes."""


class Hand:
    """A person who clicks by chance."""

    def __init__(self, page: Page, chance: random.Random) -> None:
        self.page, self.chance = page, chance
        self.offered = self.clicked = 0
        self.refused: list[str] = []

    @property
    def plies(self) -> str:
        return self.page.locator("#moves").get_attribute("data-plies") or "0"

    @property
    def is_over(self) -> bool:
        return self.page.locator("#instruction").get_attribute("data-kind") == "over"

    def turn(self, weary: bool) -> None:
        """Makes one move; someone `weary` passes where that can be done."""
        self.page.wait_for_function(READY)
        if self.is_over:
            return None
        buttons = self.page.locator("#actions [data-command=pass]")
        if weary and buttons.count():
            return self._press(buttons.first, self.plies)
        self._take_a_tile()
        before = self.plies
        while self.plies == before:
            marked = self._marked()
            if not marked:
                return self._press(buttons.nth(self.chance.randrange(buttons.count())), before)
            cell = self.chance.choice(marked)
            self.offered, self.clicked = self.offered + len(marked), self.clicked + 1
            point(self.page, cell)
            came = self._after(before, cell)
            if came == "asked":
                self.page.locator("#pieces button").first.click()
                came = self._after(before, cell)
            if came not in ("made", "begun"):
                self.refused.append(f"{before}: {cell}")
                return None
        return None

    def _marked(self) -> list[str]:
        return [str(one.get_attribute("data-cell")) for one in self.page.locator(MARKED).all()]

    def _after(self, before: str, cell: str) -> str:
        try:
            return str(self.page.wait_for_function(AFTER, arg=[before, cell]).json_value())
        except TimeoutError:
            return "nothing"

    def _press(self, button: Any, before: str) -> None:
        self.clicked += 1
        name = button.inner_text()
        button.click()
        if self._after(before, "") != "made":
            self.refused.append(f"{before}: {name}")

    def _take_a_tile(self) -> None:
        """Chooses a tile by chance, and others until one can be laid; then some tile's places are marked."""
        tiles = self.page.locator("#hand button")
        if not self.page.locator("#hand").is_visible():
            return
        for place in self.chance.sample(range(tiles.count()), tiles.count()):
            tiles.nth(place).click()
            if self._marked():
                return

    def agree(self) -> None:
        """Both sides agree to the count of a game that was ended by passing."""
        for _ in range(2):
            agree = self.page.locator("#actions [data-command=agree]")
            if agree.count():
                agree.first.click()
                self.page.wait_for_timeout(500)


def play(page: Page, table: Table, chance: random.Random, most: int) -> dict[str, Any]:
    hand = Hand(page, chance)
    page.wait_for_selector("#board svg")
    turns = 0
    while not hand.is_over and not hand.refused and turns < LONGEST * most:
        hand.turn(weary=turns >= most)
        turns += 1
    hand.agree()
    assert table.session.match is not None
    outcome = table.session.match.referee.outcome
    return {
        "game": table.game.name,
        "plies": len(table.moves),
        "offered": hand.offered,
        "clicked": hand.clicked,
        "accepted": hand.clicked - len(hand.refused),
        "refused": hand.refused,
        "ended": None if outcome is None else outcome.reason,
    }


def main(
    game: Names = None,
    seed: Seed = 1,
    most: Most = 90,
) -> int:
    if CHROMIUM is None:
        sys.stderr.write("there is no chromium; on Debian: apt-get install chromium-headless-shell\n")
        return 2
    permission.RATE_HZ = 1000.0  # nobody clicks as fast as this program
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def played(name: str) -> Figures:
            table = Table(Path(folder) / name, name)
            page = browser.new_page(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
            page.set_default_timeout(WAIT_MS)
            page.goto(table.address)
            figures = play(page, table, random.Random(seed), most)
            page.close()
            table.close()
            return figures

        status = in_turn(map(played, game or games.names()))
        browser.close()
    return status
