"""The review of a recorded game in a real browser: made, drawn, stopped, refused; and a game that goes on from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import games
from daemon.page import game_reviews
from daemon.page.web import WebPage
from daemon.record.journal import Journal
from daemon.record.reviews import Review, Reviews, fingerprint
from daemon.record.stored_game import StoredGame
from daemon.words import translation
from lab.bench.browsing import Table
from tests.browser.conftest import Look
from tests.browser.test_access import serious
from tests.daemon.recorded_games import record_game
from tests.daemon.test_web import state

BLUNDER = "h8 h7 h9 g9 h10 g10 h11 a1 h12"
"""Gomoku: white's last stone, a1 instead of h12, lets black make five."""
LONG = "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 d7 c5"


def recorded(path: Path, name: str, moves: str, players: tuple[str, str] = ("Ana", "Ben")) -> StoredGame:
    game, journal = games.load(name), Journal(path)
    stored = record_game(journal, game, game.initial(), moves.split(), players=players)
    journal.close()
    return stored


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebPage]:
    """A page with the blunder in gomoku and a longer game of reversi, reviewed at a tenth of a second a position."""
    monkeypatch.setattr(game_reviews, "TIME_S", 0.1)
    path = tmp_path / "journal.sqlite"
    recorded(path, "reversi", LONG)
    recorded(path, "gomoku", BLUNDER)
    page = WebPage(port=0, journal=path)
    page.publish(state=state(game_id="20990101T000000-00000000"))
    yield page
    page.close()


def opened(page: Page, game: str) -> None:
    page.locator("#list button", has_text=game).click()
    page.locator("#board img").wait_for()


def reviewed(page: Page) -> None:
    page.click("#review-begin")
    page.locator("#review-progress").wait_for()
    page.wait_for_function("() => document.querySelector('#review-begin').textContent === 'Review again'")
    page.locator("#review-stop").wait_for(state="hidden", timeout=120_000)


def test_a_review_is_made_and_marks_the_blunder_with_the_better_move_on_the_board(served: WebPage, look: Look) -> None:
    page = look(served.address + "games")
    opened(page, "Gomoku")
    reviewed(page)
    assert page.locator("#curve svg polyline").get_attribute("points").count(",") == 10
    expect(page.locator("#accuracy li").nth(1)).not_to_contain_text("blunders 0")
    expect(page.locator("#moves [data-ply='8'] .sign")).to_have_text("??")
    page.click("#first")
    page.locator("#board img[alt='The start']").wait_for()
    for _ in range(page.locator("#moves .sign").count()):
        page.click("#review-next")
    told = page.inner_text("#judged")
    assert "a1: loses in 1 move, proven" in told and "Blunder" in told
    better = page.locator("#judged button").first
    expect(better).to_have_text("h12")
    better.click()
    page.locator("#board img[alt*='instead of move 8: h12']").wait_for()
    source = page.locator("#board img").get_attribute("src")
    assert source is not None and source.endswith("/board/8.svg?better=0")
    drawn = page.evaluate("async (source) => (await fetch(source)).text()", source)
    assert 'class="hint' in drawn
    better.click()  # back to what was played
    page.locator("#board img[alt*='a1']").wait_for()
    page.reload()  # it is kept
    page.locator("#curve svg polyline").wait_for()
    page.locator("#curve svg").click(position={"x": 1, "y": 40})
    page.locator("#board img[alt='The start']").wait_for()


def test_a_review_is_stopped_and_keeps_what_is_done_and_another_game_waits(
    served: WebPage, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served._archive._game_reviews, "_time_s", 3.0)  # type: ignore[union-attr]
    page = look(served.address + "games")
    opened(page, "Reversi")
    page.click("#review-begin")
    page.wait_for_function("() => document.querySelector('#review-bar').value > 0", timeout=120_000)
    other = look(served.address + "games")
    opened(other, "Gomoku")
    other.click("#review-begin")
    other.locator("#message", has_text="Another game is being reviewed").wait_for()
    page.click("#review-stop")
    page.locator("#review-note", has_text="Only the last").wait_for()
    expect(page.locator("#review-progress")).to_be_hidden()


def test_a_review_whose_process_dies_says_so(tmp_path: Path, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.sqlite"
    recorded(path, "reversi", LONG)
    served = WebPage(port=0, journal=path)
    served.publish(state=state(game_id="20990101T000000-00000000"))
    broken = (sys.executable, "-c", "import sys; sys.exit('kibitzer analyse: out of paper')")
    monkeypatch.setattr(served._archive._game_reviews, "_command", broken)  # type: ignore[union-attr]
    page = look(served.address + "games")
    opened(page, "Reversi")
    page.click("#review-begin")
    page.locator("#review-note", has_text="out of paper").wait_for()
    served.close()


def test_review_from_the_table_begins_at_once_and_once(served: WebPage, look: Look, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    done = next(one for one in journal.games() if one.game == "gomoku").game_id
    journal.close()
    page = look(f"{served.address}games?review#{done}")
    page.wait_for_function("() => document.querySelector('#review-begin').textContent === 'Review again'")
    assert page.url.endswith(f"games#{done}")


def test_a_game_that_is_being_played_is_not_reviewed(served: WebPage, look: Look, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    played = next(one for one in journal.games() if one.game == "reversi").game_id  # unfinished
    journal.close()
    served.publish(state=state(game_id=played))
    page = look(f"{served.address}games#{played}")
    page.locator("#board img").wait_for()
    page.click("#review-begin")
    page.locator("#message", has_text="once it is over").wait_for()


def test_somebody_elses_game_is_imported_and_opened(served: WebPage, look: Look, tmp_path: Path) -> None:
    page = look(served.address + "games")
    page.locator("#importing").wait_for()
    (tmp_path / "their.sgf").write_text("(;GM[4]SZ[15]PB[Zoe]PW[Yan];B[hh]C[<b>centre</b>];W[ii])")
    page.set_input_files("#import", tmp_path / "their.sgf")
    page.locator("#title", has_text="Zoe against Yan").wait_for()
    page.locator("#moves button").nth(1).click()
    page.locator("#about", has_text="<b>centre</b>").wait_for()
    (tmp_path / "wrong.sgf").write_text("(;GM[4]SZ[15];B[hh];W[hh])")
    page.set_input_files("#import", tmp_path / "wrong.sgf")
    page.locator("#message", has_text="move 2, h8: occupied").wait_for()


def test_other_games_with_the_position_are_found_and_opened(served: WebPage, look: Look, tmp_path: Path) -> None:
    recorded(tmp_path / "journal.sqlite", "reversi", "e6 f4 d3", ("Zoe", "Yan"))  # e6 f4 is the mirror image of f5 d6
    page = look(served.address + "games")
    page.locator("#list button", has_text="Ana against Ben").filter(has_text="Reversi").click()
    page.locator("#board img").wait_for()
    page.locator("#moves button").nth(2).click()
    page.click("#find")
    page.locator("#found p").wait_for()
    link = page.locator("#found a", has_text="Zoe against Yan")
    expect(page.locator("#found li").first).to_contain_text("move 3")
    link.click()
    page.locator("#title", has_text="Zoe").wait_for()
    page.locator("#moves button").nth(3).click()
    page.click("#find")
    page.locator("#found", has_text="No other game").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1180), (1366, 768)])
def test_a_review_fits_and_axe_finds_no_serious_fault(
    served: WebPage, look: Look, tmp_path: Path, width: int, height: int, scheme: str
) -> None:
    keep_a_review(tmp_path / "journal.sqlite")
    page = look(served.address + "games", width=width, height=height, color_scheme=scheme, bypass_csp=True)
    opened(page, "Reversi")
    page.locator("#curve svg polyline").wait_for()
    page.click("#review-next")
    page.locator("#judged button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert serious(page) == []


@pytest.mark.parametrize("language", list(translation.LANGUAGES))
def test_a_review_fits_on_a_phone_in_every_language(served: WebPage, look: Look, tmp_path: Path, language: str) -> None:
    keep_a_review(tmp_path / "journal.sqlite")
    translation.speak(language)
    try:
        page = look(served.address + "games", width=390, height=844)
        page.locator("#list button").nth(1).click()
        page.locator("#curve svg polyline").wait_for()
        page.click("#review-next")
        page.locator("#judged button").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        translation.speak("en")


def keep_a_review(path: Path) -> None:
    journal = Journal(path, read_only=True)
    stored = next(one for one in journal.games() if one.game == "reversi")
    journal.close()
    review = Review(stored.game_id, fingerprint(stored), 0.1, unit="disc", plies=len(stored.plies))
    for ply in range(1, review.plies + 2):
        chance = 0.5 + (0.3 if ply == 4 else 0.02 * ply)
        value = {"score": 0.0, "chance": chance, "amount": 3.2, "plies": None, "exact": False}
        told = {"ply": ply, "side": (ply + 1) % 2, "value": value, "best": None, "move": "x"}
        if ply == 4:
            best = {"move": "f4", "value": value, "line": "f4 c5 b5 c4 b6 d7 e7 f6 g5 d3 b3 a5".split()}
            told |= {"lost": 0.12, "lost_amount": 4.1, "mark": "mistake", "best": best}
        review.add(told)
    Reviews(path).keep(review)


def test_a_game_goes_on_from_a_position_of_another_one(table: Callable[..., Table], look: Look, tmp_path: Path) -> None:
    opened_table = table("gomoku", whole=True)
    recorded(tmp_path / "0" / "journal.sqlite", "reversi", LONG, ("Zoe", "Yan"))
    page = look(opened_table.address + "games")
    opened(page, "Zoe")
    page.locator("#moves button").nth(4).click()  # after f5 d6 c3 d3
    page.click("#from-here")
    page.select_option("#going-on-as", "people")
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    page.wait_for_url(opened_table.address)
    page.locator("[data-cell=d3][aria-label*=white]").wait_for()
    page.locator("[data-cell=c4]").click()
    page.locator("[data-cell=c4][aria-label*=black]").wait_for()
    journal = Journal(tmp_path / "0" / "journal.sqlite", read_only=True)
    begun = journal.games()[-1]
    journal.close()
    assert begun.game == "reversi" and begun.start and begun.moves == ("c4",)
