"""Recorded games in a real browser: found, replayed, saved, named, deleted, ranked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import games
from daemon.page import archive as showing_archive
from daemon.page import permission
from daemon.page.web import WebPage
from daemon.record.formats.reading import read_game
from daemon.record.journal import Journal
from daemon.record.pictures import Pictures, encoded
from rules import Outcome
from tests.browser.conftest import Look
from tests.browser.test_access import serious
from tests.daemon.recorded_games import journal_of_every_game
from tests.daemon.test_pictures import picture
from tests.daemon.test_web import state

PLAYED = "20990101T000000-00000000"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A game of each kind, two of them finished, and a picture of the second ply of reversi."""
    path = tmp_path / "journal.sqlite"
    journal = journal_of_every_game(path, most=70)
    reversi = next(one for one in journal.games() if one.game == "reversi")
    kept = Pictures(path).path(reversi.game_id, 2, reversi.plies[1].board)
    kept.parent.mkdir(parents=True)
    kept.write_bytes(encoded(picture(120)))
    journal.close()
    return path


@pytest.fixture
def archive(record: Path) -> Iterator[WebPage]:
    page = WebPage(port=0, journal=record)
    page.publish(state=state(game_id=PLAYED))
    yield page
    page.close()


def board_says(page: Page, text: str) -> None:
    page.wait_for_function("text => document.querySelector('#board img')?.alt.includes(text)", arg=text)


def open_game(page: Page, game: str) -> None:
    page.locator("#list button", has_text=game).click()
    page.locator("#board img").wait_for()


def test_a_game_is_replayed_ply_by_ply_by_button_key_slider_and_move(
    archive: WebPage, record: Path, look: Look
) -> None:
    page = look(archive.address + "games")
    open_game(page, "reversi")
    journal = Journal(record, read_only=True)
    moves = next(one for one in journal.games() if one.game == "reversi").moves
    journal.close()
    board_says(page, moves[-1])
    expect(page.locator("#next")).to_be_disabled()
    page.click("#first")
    board_says(page, "start")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    board_says(page, moves[1])
    page.locator("#picture img").wait_for()  # the only ply with a picture
    page.click("#next")
    board_says(page, moves[2])
    expect(page.locator("#picture-figure")).to_be_hidden()
    page.locator("#slider").fill("9")
    board_says(page, moves[8])
    expect(page.locator("#slider")).to_have_attribute("aria-valuetext", page.inner_text("#caption"))
    page.locator("#moves button").nth(5).click()
    board_says(page, moves[4])
    expect(page.locator("#moves [aria-current=step]")).to_contain_text(moves[4])
    page.keyboard.press("End")
    board_says(page, moves[-1])
    page.keyboard.press("Home")
    page.select_option("#pace", "400")
    page.click("#play")
    board_says(page, moves[2])  # it plays by itself
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_a_game_is_found_by_kind_and_player_and_saved_to_a_file_that_import_reads(
    archive: WebPage, look: Look, tmp_path: Path
) -> None:
    page = look(archive.address + "games")
    page.locator("#list li").first.wait_for()
    expect(page.locator("#list li")).to_have_count(len(games.names()))
    page.select_option("#filter-game", "gomoku")
    page.wait_for_function("() => document.querySelectorAll('#list li').length === 1")
    page.fill("#filter-player", "nobody")
    page.locator("#empty").wait_for()
    page.fill("#filter-player", "ANA")
    page.locator("#list li").wait_for()
    open_game(page, "gomoku")
    for name in ("sgf", "json"):
        page.select_option("#format", name)
        with page.expect_download() as download:
            page.click("#save")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.suffix == f".{name}" and read_game(path).game == "gomoku"


def test_games_of_an_older_program_keep_their_letters(archive: WebPage, look: Look, tmp_path: Path) -> None:
    theirs = '[White "José Müller"]\r\n[Black "b"]\r\n\r\n1. e4 e5 1-0\r\n'
    (tmp_path / "club.pgn").write_bytes((theirs + "\r\n" + theirs.replace("e5", "c5")).encode("latin-1"))
    page = look(archive.address + "games")
    page.locator("#list li").first.wait_for()
    page.set_input_files("#import", tmp_path / "club.pgn")
    expect(page.locator("#list li", has_text="José Müller")).to_have_count(2)


def test_a_game_is_deleted_only_when_that_is_confirmed_and_another_page_is_told(archive: WebPage, look: Look) -> None:
    page, other = look(archive.address + "games"), look(archive.address + "games")
    for one in (page, other):
        open_game(one, "cờ gánh")
    page.click("#delete")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator("#list li")).to_have_count(len(games.names()))
    page.click("#delete")
    page.get_by_role("button", name="Delete for good").click()
    page.wait_for_function(
        "count => document.querySelectorAll('#list li').length === count", arg=len(games.names()) - 1
    )
    expect(page.locator("#replay")).to_be_hidden()
    expect(page.locator("#message")).to_contain_text("deleted")
    other.click("#first")  # deleted while it was replayed here
    other.wait_for_function("() => document.querySelector('#message').textContent.includes('no longer')")
    other.click("#delete")
    other.get_by_role("button", name="Delete for good").click()
    other.wait_for_function(
        "count => document.querySelectorAll('#list li').length === count", arg=len(games.names()) - 1
    )
    expect(other.locator("#message")).to_contain_text("no longer")


def test_names_are_text_and_the_ranking_goes_by_them(archive: WebPage, look: Look) -> None:
    page = look(archive.address + "games")
    open_game(page, "reversi")
    page.fill("#name-first", "<img src=x onerror=alert(1)>")
    page.fill("#name-second", "Nguyễn Ánh")
    page.get_by_role("button", name="Change names").click()
    page.wait_for_function("() => document.querySelector('#title').textContent.includes('Nguyễn Ánh')")
    expect(page.locator("#title img, #list img")).to_have_count(0)
    page.click("#tab-ranking")
    page.locator("#standings tr").first.wait_for()
    players = page.locator("#standings td:nth-child(2)").all_inner_texts()
    assert "Nguyễn Ánh" in players and "<img src=x onerror=alert(1)>" in players
    page.select_option("#ranking-game", "reversi")
    page.wait_for_function("() => document.querySelectorAll('#standings tr').length === 2")
    expect(page.locator("#ranking-caption")).to_have_text(re.compile(r"1 finished|1 games|from 1"))


def test_players_are_shown_by_their_titles_and_keep_their_names(archive: WebPage, record: Path, look: Look) -> None:
    journal = Journal(record)
    for names in (["person", "level-4"], ["person", "person"], ["mcts:simulations=50", "Ada"]):
        played = journal.new_game("gomoku", {"first": "black"}, names)
        journal.finish(played, Outcome(0, "resigned"))
    journal.close()
    page = look(archive.address + "games")
    page.fill("#filter-player", "casual")
    page.locator("#list strong", has_text="Black against Casual").wait_for()
    page.fill("#filter-player", "")
    page.locator("#list strong", has_text="Black against white").wait_for()
    page.locator("#list button", has_text="Monte Carlo search (simulations 50) against Ada").click()
    page.locator("#title", has_text="Monte Carlo search").wait_for()
    page.fill("#name-second", "Bea")
    page.get_by_role("button", name="Change names").click()
    page.locator("#title", has_text="against Bea").wait_for()
    kept = Journal(record, read_only=True)
    assert ("mcts:simulations=50", "Bea") in [tuple(one.players) for one in kept.games()]
    kept.close()
    page.click("#tab-ranking")
    page.locator("#standings td", has_text="Casual").wait_for()
    assert not [one for one in page.locator("#standings td").all_inner_texts() if "level-" in one or "mcts" in one]


def test_the_game_that_is_played_is_seen_and_not_to_be_deleted(archive: WebPage, record: Path, look: Look) -> None:
    journal = Journal(record)
    played = journal.new_game("reversi", {"first": "black"}, ["Ana", "Ben"])
    journal.close()
    archive.publish(state=state(game_id=played))
    page = look(f"{archive.address}games#{played}")
    board_says(page, "start")
    expect(page.locator("#delete")).to_be_hidden()
    expect(page.locator("#result")).to_contain_text("not finished")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080)])
def test_nothing_runs_over_the_edge_on_phone_laptop_and_projector(
    archive: WebPage, look: Look, width: int, height: int
) -> None:
    page = look(archive.address + "games", width=width, height=height)
    open_game(page, "Dominoes")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#tab-ranking")
    page.locator("#standings tr").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault_in_replay_and_ranking(archive: WebPage, look: Look, scheme: str) -> None:
    page = look(archive.address + "games", color_scheme=scheme, bypass_csp=True)
    open_game(page, "reversi")
    assert serious(page) == []
    page.click("#tab-ranking")
    page.locator("#standings tr").first.wait_for()
    assert serious(page) == []


def test_from_another_computer_the_token_is_asked_for_until_it_is_right(
    record: Path, look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (permission, showing_archive):
        monkeypatch.setattr(module, "is_here", lambda _request: False)
    served = WebPage(port=0, host="0.0.0.0", token=tmp_path / "page.token", journal=record)
    served.publish(state=state(game_id=PLAYED))
    page = look(f"http://127.0.0.1:{served.port}/games")
    open_game(page, "reversi")
    page.fill("#name-first", "Ada")
    change, dialog = page.get_by_role("button", name="Change names"), page.locator("#ask-token")
    change.click()
    dialog.wait_for()
    assert serious(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    page.locator("#message", has_text="need the token").wait_for()
    expect(dialog).to_have_count(0)
    change.click()
    for token in ("wrong", (tmp_path / "page.token").read_text().strip()):
        dialog.get_by_label("Token").fill(token)
        with page.expect_response(lambda answer: answer.url.endswith("/players")):
            dialog.get_by_role("button", name="Go on").click()
        dialog.wait_for(state="visible" if token == "wrong" else "detached")
    page.locator("#message", has_text="The names are changed.").wait_for()
    page.locator("#list button", has_text="Ada").wait_for()
    page.reload()
    page.fill("#name-first", "Bea")
    change.click()  # the token is kept until the window closes
    page.locator("#list button", has_text="Bea").wait_for()
    served.close()
