"""Measures the speed of the page in a real browser.

    kibitzer bench page
    kibitzer bench page --pictures docs

Prints one JSON line: `interactive_ms`, from asking for the page to the first board that can be clicked; `weight_kb` of
all that `/` loads; `pixels_ms`, from a state that is handed to the page's thread to the next frame that Chromium paints
(median and 95 %); and `growth` over the state changes (heap in MB, elements of the document and documents, before and
after).

With --pictures it measures nothing, but keeps five screenshots in that folder: a game of morris on a phone, a laptop
and a projector, the start card, and the review of a game. Exit status 2 without Chromium.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from playwright.sync_api import Browser, Page, sync_playwright

import games
from agents.messages import PlayerPart, StateMessage
from agents.players import Player, parse
from daemon.game.effects import Record, Thought
from daemon.judging.referee import Referee
from daemon.page.view import View
from daemon.page.web import WebPage
from daemon.record.journal import Journal
from lab.bench.browsing import CHROMIUM, Table
from lab.bench.browsing import weight_of as bytes_of
from rules import AnyGame, Counts
from rules.turns import line_of_play

PAINTED = """() => { window.painted = {}; new MutationObserver(() => {
  const count = document.querySelector('#moves').dataset.plies + '/' + document.querySelector('#said').textContent;
  requestAnimationFrame(() => setTimeout(() => { window.painted[count] ??= Date.now(); }, 0));
}).observe(document.querySelector('#main'), { subtree: true, childList: true, characterData: true }); }"""
ROUND, WARM = 41, 5
"""Changes after which the same position is shown again; rounds before the page's memory is first measured."""
TIMED, CALM_S, HASTE_S = 200, 0.25, 0.02
"""Changes that are timed to the pixels, and the pause in seconds after each; the pause after the others."""
SIZES = {"phone": (360, 740, "light"), "laptop": (1366, 768, "light"), "projector": (1920, 1080, "dark")}


class Shown:
    def __init__(self, name: str, moves: list[str]) -> None:
        self.game: AnyGame = games.load(name)
        self.moves, self.page, self.view = moves, WebPage(port=0), View()
        self.page.take_commands()
        self.page.publish(health={"camera": {"ok": True, "text": "15 a second"}})
        self.history = line_of_play(self.game, moves)

    def show(self, ply: int, sequence: int, text: str = "", agent: str | None = None) -> None:
        game, moves, position = self.game, self.moves[:ply], self.history[ply]
        referee = Referee(game, (None, agent), self.history[: ply + 1], moves)
        match: Any = SimpleNamespace(referee=referee, game_id="g1", advice=None, pace_s=None)
        if (drawing := self.view.board(match)) is not None:
            self.page.publish(board=drawing)
        thought = Thought(0.42, 9, 481_222, 1.93) if agent else None
        self.page.publish(view=self.view.of(match, None, watched=False, thought=thought))
        plies = [
            {"move": move, "side": index % 2, "known": "", "number": index + 1} for index, move in enumerate(moves)
        ]
        self.page.publish(line={"plies": plies, "scores": Counts.of(game).scores(position)})
        state = {
            "session": "s1", "table": "table", "game": game.name, "rules": {}, "game_id": "g1", "sequence": sequence,
            "ply": ply, "moves": moves, "position": "p", "board": game.board(position), "cells": list(game.cells),
            "sides": game.sides, "to_move": game.to_move(position), "awaiting": "move", "verdict": "legal",
            "text": text, "players": (PlayerPart(), PlayerPart(agent=agent)),
        }  # fmt: skip
        self.page.publish(state=StateMessage.model_validate(state))


def measure(browser: Browser, changes: int) -> dict[str, Any]:
    game = games.load("reversi")

    def always_the_same(position: Any, ply: int) -> Any:
        moves = game.legal_moves(position)
        return moves[(7 * ply) % len(moves)]

    shown = Shown("reversi", played(game, always_the_same, 40))
    shown.show(0, 1, "0")
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(shown.page.address)
    page.wait_for_selector("#board svg")
    page.evaluate(PAINTED)
    before: dict[str, float] = {}
    sent: dict[str, float] = {}
    changes = ROUND * max(WARM + 1, -(-changes // ROUND))
    for change in range(1, changes + 1):
        ply = change % ROUND
        if change == WARM * ROUND + 1:
            page.locator(f'#said:text-is("{change - 1}")').wait_for()
            before = weight_of(page)
        sent[f"{ply}/{change}"] = time.time() * 1000
        shown.show(ply, change + 1, str(change))
        time.sleep(CALM_S if change <= TIMED else HASTE_S)
    page.locator(f'#said:text-is("{changes}")').wait_for(timeout=120_000)
    painted = page.evaluate("window.painted")
    page.evaluate("window.painted = {}")
    after = weight_of(page)
    timed = list(sent.items())[:TIMED]
    waits = sorted(painted[key] - then for key, then in timed if key in painted)
    shown.page.close()
    return {
        "changes": changes,
        "timed": len(waits),
        "pixels_ms": {"median": round(statistics.median(waits)), "95%": round(waits[int(0.95 * len(waits))])},
        "growth": {name: [before[name], after[name]] for name in before},
    }


def weight_of(page: Page) -> dict[str, float]:
    session = page.context.new_cdp_session(page)
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
        page.wait_for_timeout(300)
    session.send("Performance.enable")
    told = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    heap = round(told["JSHeapUsedSize"] / 1e6, 2)
    elements = page.evaluate("document.getElementsByTagName('*').length")
    return {"heap_mb": heap, "elements": elements, "documents": told["Documents"]}


def interactive(browser: Browser, runs: int = 5) -> int:
    """Median milliseconds from asking a daemon's table for the page to a board whose cells can be clicked."""
    with tempfile.TemporaryDirectory() as folder:
        table = Table(Path(folder), "morris")
        times = []
        for _ in range(runs):
            context = browser.new_context()
            page, began_s = context.new_page(), time.monotonic()
            page.goto(table.address, wait_until="commit")
            page.wait_for_selector(".cell.target")
            times.append(1000 * (time.monotonic() - began_s))
            context.close()
        table.close()
    return round(statistics.median(times))


def played(game: AnyGame, choose: Callable[[Any, int], Any], plies: int | None = None) -> list[str]:
    """The texts of a game's moves, each chosen for a position and its ply, until that many were made or it ends."""
    position, texts = game.initial(), list[str]()
    while len(texts) != plies and game.outcome(position) is None:
        move = choose(position, len(texts))
        texts.append(game.format_move(position, move))
        position = game.apply(position, move)
    return texts


def take_pictures(browser: Browser, folder: Path) -> None:
    moves = ["d6", "f4", "d2", "b4", "g4", "d7", "c5", "e3", "a4", "c4", "e5", "d5", "f6", "b6", "a1"]
    shown = Shown("morris", moves)
    for number, text in enumerate(("A new game of nine men's morris. Light begins.", "Light: f6.", "Dark: b6."), 1):
        shown.page.announce(text)
        shown.show(len(moves) - 4 + number, number, text, "alphabeta")
    shown.page.announce("Light: a1.")
    shown.show(len(moves), 9, "Light: a1.", "alphabeta")
    for name, (width, height, scheme) in SIZES.items():
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(shown.page.address)
        page.wait_for_selector("#board svg")
        keep(page, folder / f"page-{name}.webp")
    shown.page.close()
    with tempfile.TemporaryDirectory() as record:
        table = Table(Path(record), "morris", whole=True)
        page = browser.new_page(viewport={"width": 1366, "height": 560})
        page.goto(table.address)
        page.wait_for_selector("#start-games img")
        page.wait_for_load_state("networkidle")
        keep(page, folder / "page-start.webp")
        table.close()
        take_review(browser, Path(record) / "reviewed.sqlite", folder / "page-review.webp")


def take_review(browser: Browser, record: Path, path: Path) -> None:
    game = games.load("reversi")
    players = [Player(parse(f"level-{level}"), game) for level in (6, 4)]
    texts = played(game, lambda position, _: players[game.to_move(position)].choose(position).move)
    journal = Journal(record)
    game_id, position = journal.new_game(game.name, {}, ("Ana", "level-4"), None), game.initial()
    for ply, text in enumerate(texts, 1):
        side = game.to_move(position)
        position = game.apply(position, game.parse_move(position, text))
        journal.append(game_id, Record(ply, side, text, game.format_position(position), game.board(position)))
    outcome = game.outcome(position)
    assert outcome is not None
    journal.finish(game_id, outcome)
    journal.close()
    served = WebPage(port=0, journal=record)
    page = browser.new_page(viewport={"width": 1366, "height": 860})
    page.goto(f"{served.address}games#{game_id}")
    page.click("#review-begin")
    page.wait_for_function("() => !document.querySelector('#review-next').hidden", timeout=300_000)
    page.wait_for_function("() => document.querySelector('#review-stop').hidden", timeout=300_000)
    for _ in range(3):
        page.click("#review-next")
    page.locator("#judged button").first.click()
    keep(page, path)
    served.close()


def keep(page: Page, path: Path) -> None:
    """Takes a screenshot, at most 1280 pixels wide, and closes the page."""
    page.wait_for_timeout(400)
    image = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    share = min(1.0, 1280 / image.shape[1])
    small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(path), small, [cv2.IMWRITE_WEBP_QUALITY, 82])
    page.close()


def main(
    changes: Annotated[int, typer.Option(help="State changes that are shown.")] = 2000,
    pictures: Annotated[
        Path | None, typer.Option(help="Folder in which to keep five screenshots; measures nothing.")
    ] = None,
) -> int:
    if CHROMIUM is None or not shutil.which(CHROMIUM):
        sys.stderr.write("there is no chromium; on Debian: apt-get install chromium\n")
        return 2
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if pictures:
            take_pictures(browser, pictures)
        else:
            figures = {"interactive_ms": interactive(browser), "weight_kb": round(bytes_of("index.html") / 1000, 1)}
            sys.stdout.write(json.dumps(figures | measure(browser, changes)) + "\n")
        browser.close()
    return 0
