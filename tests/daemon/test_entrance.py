"""What the page's start card, settings and demos ask of the daemon."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

import games
from daemon.cli import browser
from daemon.commands.command import CommandError
from daemon.commands.game_choice import chosen, parse_change
from daemon.commands.setup_requests import DemoRequest, parse_demo_request
from daemon.commands.strengths import meaning, shown_name, strengths_of
from daemon.game.clocks import GameClock, TimeControl
from daemon.match.clock_service import clock_of
from daemon.page.phones.addresses import own_addresses
from daemon.page.web import WebPage
from daemon.run.demonstration import Demonstration
from daemon.run.game_chooser import GameChooser
from daemon.run.session import Session
from daemon.run.ui_publisher import UiPublisher
from daemon.words.translation import speak
from tests.daemon.quiet_table import quiet
from tests.waiting import wait_for


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(quiet(tmp_path, camera={"source": "none"}), games.load("morris"))
    opened.begin(None)
    yield opened
    opened.close()
    speak("en")


def play(session: Session, *moves: str) -> None:
    from daemon.commands.command import Move
    from daemon.match.command_handlers import obey

    assert session.match is not None
    for move in moves:
        assert obey(session.match, Move(move), None).accepted


def test_a_clock_set_during_a_game_charges_nobody_for_what_was_played_before() -> None:
    clock = GameClock(TimeControl("none"))
    clock.run(0, 0.0)
    for now_s in range(1, 301):
        clock.run(0, float(now_s))
    clock.made(0, 300.0)
    clock.begin(TimeControl("game", 60.0))
    assert clock.left_s == (60.0, 60.0)
    clock.run(1, 300.0)
    clock.run(1, 304.0)
    assert clock.left_s == (60.0, 56.0)
    clock.made(1, 304.0)
    clock.take_back(0)  # also to before the clock was set
    assert clock.left_s == (60.0, 60.0)


def test_language_voice_and_clock_change_within_the_game_and_are_kept(session: Session) -> None:
    play(session, "d6", "f4")
    assert session.match is not None and session.timer is not None
    match, before = session.match, session.match.mark
    changed = {"speech": {"language": "pl"}, "clock": {"control": "game", "minutes": 3.0}}
    session.retune(chosen(session.services.config, changed, {}))
    assert session.match is match and match.mark == before and match.referee.ply == 2
    assert session.timer.clock.left_s == (180.0, 180.0)
    assert match.state is not None and match.state.text == "Czarny: f4."
    note = session.services.journal.game(match.game_id).notes[-1]
    assert (note.kind, note.ply, note.data["time_s"]) == ("time_control", 2, 180.0)


def test_a_game_resumed_after_its_clock_was_set_charges_nobody_for_the_plies_before(session: Session) -> None:
    play(session, "d6", "f4")
    assert session.match is not None
    session.retune(chosen(session.services.config, {"clock": {"control": "game", "minutes": 3.0}}, {}))
    stored = session.services.journal.game(session.match.game_id)
    spent = [one.spent_s for one in stored.plies]
    assert any(spent)
    assert clock_of(session.services.config.clock, stored, session.match.referee).left_s == (180.0, 180.0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"game": {"name": "reversi"}}, "needs a new game"),
        ({"speech": {"rate_wpm": 300}}, "speech.rate_wpm: may not be chosen"),
        ([], "a choice is an object"),
        ({"clock": 5}, "clock is an object"),
    ],
)
def test_what_needs_a_new_game_is_no_change(words: object, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        parse_change(words)


@pytest.mark.parametrize("words", [[], {"game": "ludo"}, {"end": 1}, {"other": 1}, {"game": ["reversi"]}, None])
def test_a_demo_is_asked_for_in_one_form(words: object) -> None:
    with pytest.raises(CommandError):
        parse_demo_request(words)
    assert parse_demo_request({"game": "reversi"}) == DemoRequest("reversi")


def test_a_persons_name_does_not_stay_where_an_agent_sits(tmp_path: Path) -> None:
    named = quiet(
        tmp_path, camera={"source": "none"}, players={"first": {"name": "Ada"}, "second": {"agent": "random"}}
    )
    swapped = {"players": {"first": {"agent": "random", "name": "Ada"}, "second": {"name": "Ada"}}}
    players = chosen(named, swapped, {}).players
    assert (players.first.name, players.second.name) == ("", "Ada")
    assert chosen(named, {"clock": {"control": "move"}}, {}).players.first.name == "Ada"


def test_each_strength_says_what_it_means_in_every_game() -> None:
    from agents import levels

    for name in games.names():
        told = strengths_of([{"name": f"level-{n}", "player": one.text} for n, one in enumerate(levels.of(name), 1)])
        assert [one["title"] for one in told] == ["Beginner", "Casual", "Strong", "Strongest"]
        meant = [one["means"] for one in told]
        assert all(meant) and len(set(meant)) == 4, name
    assert (
        meaning("alphabeta:heuristic=best,depth=1,error_percent=60") == "Looks 1 move ahead. Errs in 60 of 100 moves."
    )
    assert meaning("alphabeta:nodes=1e+06") == "Looks at up to 1000000 positions a move."
    assert meaning("of_somebody:depth=deep") == meaning("") == ""
    assert [shown_name(one) for one in ("level-4", "level-3", "mcts")] == ["Casual", "Level 3", "Monte Carlo search"]


def test_what_can_be_chosen_is_known_before_pages_are_shown_the_start_card(session: Session) -> None:
    GameChooser(session, session.services.config, "none")
    page, seen = Mock(menu=None), list[bool]()
    page.publish.side_effect = lambda **news: seen.append(news["view"]["entrance"] and page.menu is not None)
    UiPublisher(session)._show_state(page)
    assert seen == [True], "the card asks once, as soon as it is shown"


def test_the_start_card_is_shown_until_somebody_chooses_or_moves(session: Session) -> None:
    assert not session.at_entrance  # nothing can be chosen here
    GameChooser(session, session.services.config, "none")
    assert session.at_entrance
    play(session, "d6")
    assert not session.at_entrance


def test_a_page_that_all_may_see_names_an_address_that_others_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [WebPage(port=0, host=host) for host in ("127.0.0.1", "0.0.0.0")]
    try:
        assert shown[0].elsewhere == ""
        assert shown[1].address.startswith("http://127.0.0.1:")
        found = own_addresses()
        assert shown[1].elsewhere == (f"http://{found[0]}:{shown[1].port}/" if found else "")
    finally:
        for one in shown:
            one.close()


def test_open_opens_the_page_in_the_browser_of_this_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import webbrowser

    program = tmp_path / "browse"
    program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setattr(webbrowser, "_browsers", {})
    browser.open_in_browser("http://127.0.0.1:8765/")
    wait_for((tmp_path / "opened").exists)
    wait_for(lambda: (tmp_path / "opened").read_text().strip() == "http://127.0.0.1:8765/")
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    browser._open("http://127.0.0.1:8765/")
    assert "the page is at http://127.0.0.1:8765/" in capsys.readouterr().err


STAND_IN = (
    "import json, sys, time; print(json.dumps({'port': 4711, 'words': sys.argv[1:]}), flush=True); time.sleep(60)"
)


def turned(demo: Demonstration, state: str) -> None:
    """Turns until the demo is in that state."""
    deadline_s = time.monotonic() + 30
    while demo.status()["state"] != state:
        assert time.monotonic() < deadline_s, demo.status()
        demo.turn()
        time.sleep(0.02)


def test_one_demo_at_a_time_is_begun_beside_a_table_and_ends_with_it(session: Session) -> None:
    demo = Demonstration(session, (sys.executable, "-c", STAND_IN))
    assert demo.status() == {"state": "offered", "port": None}
    assert demo._begin(DemoRequest("reversi")).accepted
    turned(demo, "on")
    assert demo.status()["port"] == 4711
    first = demo._process
    assert first is not None and demo._begin(DemoRequest("gomoku")).accepted and demo._process is first
    assert {"--beside", "--silent", "reversi"} <= set(map(str, first.args))  # type: ignore[call-overload]
    session.services.drop(demo)
    assert first.poll() is not None


@pytest.mark.parametrize("body", ["raise SystemExit(3)", "print('no port', flush=True); import time; time.sleep(60)"])
def test_a_demo_that_does_not_begin_is_said_to_have_failed(session: Session, body: str) -> None:
    demo = Demonstration(session, (sys.executable, "-c", body), start_s=1.0)
    assert demo._begin(DemoRequest()).accepted
    turned(demo, "failed")
    assert demo._process is None and not demo._begin(DemoRequest(end=True)).accepted
