"""Puzzles on the page, and on a simulated table that a camera watches: set up, answered, judged, taken back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from daemon.commands.command import Command, NewGame, Puzzle, Undo
from daemon.commands.page_client import send
from daemon.words import translation
from lab.bench.browsing import Table
from tests.browser.conftest import Look
from tests.daemon.puzzles_made import made, store_with

pytestmark = pytest.mark.usefixtures("quick_hands", "english_afterwards")

AGENT_MS = 60_000
"""Milliseconds for an agent that has to be started, and perhaps compiled."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., Table]]:
    opened: list[Table] = []

    def begun(game: str, **settings: Any) -> Table:
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        store_with(folder / "journal.puzzles.sqlite", game)
        opened.append(Table(folder, game, **settings))
        return opened[-1]

    yield begun
    for one in opened:
        one.close()


def tell(at: Table, command: Command) -> None:
    assert send(at.address.rstrip("/"), command)[0] == 200


def point(page: Any, cell: str) -> None:
    page.locator(f'[data-cell="{cell}"] .spot').click(force=True)


def test_a_puzzle_is_played_on_the_page(table: Callable[..., Table], look: Look) -> None:
    at, puzzle = table("reversi"), made("reversi")
    page = look(at.address, 390, 844)
    page.locator('[data-command="puzzle"]').click()
    page.locator("#puzzle", has_text="Only one move wins").wait_for()
    expect(page.locator('[data-command="coach"]')).to_have_count(1)
    expect(page.locator("#best")).to_be_hidden()
    page.wait_for_selector(".cell.target")
    point(page, sorted(puzzle.others)[0])
    page.locator('#puzzle[data-verdict="wrong"] .why', has_text="Wrong:").wait_for()
    page.wait_for_selector("#moves[data-plies='2'], #moves[data-plies='3']", timeout=AGENT_MS)
    page.locator('[data-command="undo"]').click()
    page.locator('#puzzle[data-verdict=""]').wait_for()
    page.wait_for_selector(".cell.target")
    point(page, puzzle.move)
    page.locator('#puzzle[data-verdict="right"] .why', has_text="Right:").wait_for()
    expect(page.locator("#puzzle")).to_contain_text("solved 1 of 2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator('[data-command="puzzle"]', has_text="Next puzzle").wait_for()
    tell(at, NewGame())
    page.locator("#puzzle").wait_for(state="hidden")
    assert at.session.match is not None and at.session.match.referee.agents == (None, None)


@pytest.mark.parametrize("language", ["ro", "pl", "vi", "pt-br"])
def test_a_puzzle_fits_on_a_phone_in_every_language(table: Callable[..., Table], look: Look, language: str) -> None:
    page = look(table("gomoku", speech={"language": language}).address, 390, 844)
    page.locator('[data-command="puzzle"]').click()
    page.locator("#puzzle").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#puzzle")).not_to_contain_text("Puzzle")


def test_the_eyes_check_the_answer_on_a_real_board(table: Callable[..., Table]) -> None:
    at, puzzle = table("nine_mens_morris", camera=True), made("nine_mens_morris")
    game, position = puzzle.opened()

    def wait_for(state: Callable[[], bool], what: str) -> None:
        end_s = time.monotonic() + 90
        while not state():
            assert time.monotonic() < end_s, what
            time.sleep(0.05)

    def match() -> Any:
        return at.session.match

    wait_for(lambda: match().referee.verdict == "unchanged", "the empty board was not seen")
    tell(at, Puzzle())
    wait_for(lambda: match().puzzle is not None, "the puzzle did not begin")
    wait_for(lambda: match().referee.verdict == "desync", "nobody asked for the board to be set up")
    assert "drawn on the page" in translation.in_words(*match().spoken)
    at.board = game.board(position)
    wait_for(lambda: match().referee.verdict == "unchanged", "the board that was set up was not seen")
    wrong = next(move for move in sorted(puzzle.others) if "x" not in move)
    at.board = game.board(game.apply(position, game.parse_move(position, wrong)))
    wait_for(lambda: match().puzzle.verdict == "wrong", "the wrong move was not judged")
    tell(at, Undo())
    at.board = game.board(position)
    wait_for(lambda: match().referee.verdict == "unchanged" and not match().referee.ply, "it was not taken back")
    at.board = game.board(game.apply(position, game.parse_move(position, puzzle.move)))
    wait_for(lambda: match().puzzle.verdict == "right", "the right move was not judged")
    assert match().referee.moves == [puzzle.move]
