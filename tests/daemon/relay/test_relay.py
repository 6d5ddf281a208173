"""The running game is followed elsewhere: after every move, through takebacks, ends and hours without a network."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from typer.testing import CliRunner

import games
from daemon.cli import relay as relay_cli
from daemon.game.effects import Record
from daemon.record.journal import Journal
from daemon.record.stored_game import rule_texts
from daemon.relay import relay as relaying
from daemon.relay.demo_board import DemoBoard
from daemon.relay.places import AddressError, BroadcastRound, Post, Refused, Study
from daemon.relay.relay import place_of, relay
from rules import Outcome
from tests.daemon.relay.fake_places import TOKEN, FakePlaces
from tests.waiting import wait_for


@pytest.fixture
def places() -> Iterator[FakePlaces]:
    with contextlib.closing(FakePlaces()) as server:
        yield server
        assert not server.faults


class Table:
    """A record, and a game that is played into it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal.sqlite"
        self.journal = Journal(self.path)
        self.said: list[str] = []

    def begin(self, name: str, **rules: Any) -> str:
        self.game = games.load(name, rules)
        self.position, self.ply = self.game.initial(), 0
        self.game_id = self.journal.new_game(name, rule_texts(self.game), ("Ana", "Ben"))
        return self.game_id

    def play(self, *moves: str) -> None:
        for one in moves:
            side, move = self.game.to_move(self.position), self.game.parse_move(self.position, one)
            text = self.game.format_move(self.position, move)
            self.position, self.ply = self.game.apply(self.position, move), self.ply + 1
            written = self.game.format_position(self.position), self.game.board(self.position)
            self.journal.append(self.game_id, Record(self.ply, side, text, *written))

    def take_back(self, ply: int, position: Any) -> None:
        self.journal.take_back(self.game_id, ply)
        self.position, self.ply = position, ply

    def send(self, address: str, token: str = TOKEN) -> None:
        asyncio.run(relay(self.path, address, token, self.said.append, once=True))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.journal.close()


def _moves(game: Any) -> list[str]:
    return [move.uci() for move in game.mainline_moves()]


def test_a_round_of_a_broadcast_follows_moves_takebacks_the_result_and_the_next_game(
    table: Table, places: FakePlaces
) -> None:
    address = f"{places.address}/broadcast/club-night/round-1/AbCdEfGh"
    table.begin("chess")
    table.send(address)
    (game,) = places.broadcast.values()
    assert (_moves(game), game.headers["Result"]) == ([], "*")
    table.play("e2e4")
    after = table.position
    table.play("e7e5")
    table.send(address)
    table.take_back(1, after)
    table.send(address)
    assert _moves(*places.broadcast.values()) == ["e2e4"]
    table.play("c7c5")
    table.journal.finish(table.game_id, Outcome(0, "resigned"))
    table.send(address)
    (game,) = places.broadcast.values()
    assert (_moves(game), game.headers["Result"]) == (["e2e4", "c7c5"], "1-0")
    asked = len(places.requests)
    table.send(address)
    assert len(places.requests) == asked, "what the place has is not sent again"
    table.begin("chess")
    table.play("d2d4")
    table.send(address)
    assert sorted(map(_moves, places.broadcast.values())) == [["d2d4"], ["e2e4", "c7c5"]]
    assert TOKEN not in "".join(table.said)


def test_a_study_has_a_chapter_for_each_game_even_if_somebody_deletes_it(table: Table, places: FakePlaces) -> None:
    address = f"{places.address}/study/StUdYiDs"
    table.begin("chess")
    table.play("e2e4")
    after = table.position
    table.play("e7e5")
    table.send(address)
    table.take_back(1, after)
    table.send(address)
    assert list(map(_moves, places.chapters.values())) == [["e2e4"]]
    table.journal.finish(table.game_id, Outcome(None, "agreed"))
    table.send(address)
    assert [game.headers["Result"] for game in places.chapters.values()] == ["1/2-1/2"]
    table.begin("chess")
    table.play("c2c4")
    table.send(address)
    places.chapters.clear()
    table.play("c7c5")
    table.send(address)
    assert list(map(_moves, places.chapters.values())) == [["c2c4", "c7c5"]]


def test_a_demo_board_shows_the_whole_line_with_handicap_passes_and_the_result(
    table: Table, places: FakePlaces
) -> None:
    address = f"{places.address}/demo/4321"
    table.begin("go", size=9)
    table.play("e5")
    after = table.position
    table.play("c3", "pass")
    table.send(address)
    assert places.lines == [{"f": 0, "m": "eecg.."}]
    table.take_back(1, after)
    table.send(address)
    assert places.lines[-1] == {"f": 0, "m": "ee"}
    table.journal.finish(table.game_id, Outcome(1, "resigned"))
    table.send(address)
    assert places.lines[-1] == {"f": 0, "m": "ee", "t": "W+R"}
    table.begin("go", size=9, handicap=2)
    table.play("e5")
    table.send(address)
    line = places.lines[-1]["m"]
    assert line.count("!1") == 2 and line.endswith("!2ee"), line


@pytest.mark.parametrize(("size", "controller", "why"), [(19, 17, "has 19 lines"), (9, 18, "does not control")])
def test_a_demo_board_of_another_size_or_of_somebody_else_is_not_written_on(
    table: Table, places: FakePlaces, size: int, controller: int, why: str
) -> None:
    places.board_size, places.controller = size, controller
    table.begin("go", size=9)
    with contextlib.suppress(Refused) if size == 9 else contextlib.nullcontext():
        table.send(f"{places.address}/demo/4321")
        assert why in table.said[-1]
    assert not places.lines


def test_any_address_gets_the_whole_game_in_its_usual_format_and_no_hidden_hands(
    table: Table, places: FakePlaces
) -> None:
    address = f"{places.address}/hook"
    game_id = table.begin("reversi")
    table.play("d3")
    table.send(address)
    ((sent_id, kind, text),) = places.posted
    assert (sent_id, kind) == (game_id, "text/plain") and "B[D3" in text
    table.journal.finish(table.game_id, Outcome(0, "resigned"))
    table.begin("dominoes")
    table.send(address)
    assert [one[0] for one in places.posted] == [game_id, game_id], "the end was sent, and no hands"
    assert "what the players hold" in table.said[-1]


def test_a_game_that_a_place_does_not_show_is_told_once_and_the_next_one_is_sent(
    table: Table, places: FakePlaces
) -> None:
    address = f"{places.address}/broadcast/a/b/AbCdEfGh"
    table.begin("go", size=9)
    table.send(address)
    assert "shows chess, and this is go" in table.said[-1] and not places.requests
    table.journal.finish(table.game_id, Outcome(0, "resigned"))
    table.begin("chess")
    table.send(address)
    assert len(places.broadcast) == 1


def test_games_from_before_and_imported_ones_are_not_sent(table: Table, places: FakePlaces) -> None:
    address = f"{places.address}/hook"
    table.begin("reversi")
    table.journal.finish(table.game_id, Outcome(0, "resigned"))
    table.send(address)
    assert not places.posted
    table.begin("reversi")
    table.send(address)
    assert [one[0] for one in places.posted] == [table.game_id]


def test_a_token_that_is_refused_ends_the_relay_and_is_never_said(table: Table, places: FakePlaces) -> None:
    table.begin("chess")
    with pytest.raises(Refused, match="401") as refused:
        table.send(f"{places.address}/broadcast/a/b/AbCdEfGh", "another-secret")
    assert refused.value.is_final
    assert "another-secret" not in f"{refused.value} {table.said}"


def test_a_redirection_is_not_followed_with_the_token(table: Table, places: FakePlaces) -> None:
    table.begin("reversi")
    places.answering = lambda: web.Response(status=302, headers={"Location": "http://elsewhere.example/"})
    with pytest.raises(Refused, match="elsewhere"):
        table.send(f"{places.address}/hook")


def test_without_a_network_it_waits_and_then_catches_up_in_order(
    table: Table, places: FakePlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaying, "MOST_S", 0.05)
    faults = iter([web.Response(status=502), None, web.Response(status=503)])
    down = threading.Event()
    down.set()
    places.answering = lambda: (next(faults, None) or web.Response(status=500)) if down.is_set() else None
    first = table.begin("reversi")
    table.play("d3")
    stop = asyncio.Event()
    loop = asyncio.new_event_loop()

    async def work() -> None:
        following = asyncio.ensure_future(relay(table.path, f"{places.address}/hook", TOKEN, table.said.append))
        await stop.wait()
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following

    thread = threading.Thread(target=loop.run_until_complete, args=[work()])
    thread.start()
    try:
        wait_for(lambda: len(places.requests) > 8)
        table.journal.finish(table.game_id, Outcome(0, "resigned"))
        second = table.begin("reversi")
        table.play("f5")
        assert not places.posted
        down.clear()
        wait_for(lambda: len(places.posted) >= 2 and "B[F5" in places.posted[-1][2])
        assert [one[0] for one in places.posted][-1] == second
        assert ":r]" in next(text for game_id, _, text in places.posted[::-1] if game_id == first)
        table.play("d6")
        wait_for(lambda: "W[D6" in places.posted[-1][2])
        wait_for(lambda: "reached again" in table.said)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
    waits = [one for one in table.said if one.startswith("waiting")]
    assert len(waits) <= 4, "the same trouble is told once"


def test_a_full_minute_is_waited_where_lichess_asks_for_it(table: Table, places: FakePlaces) -> None:
    table.begin("chess")
    places.answering = lambda: web.Response(status=429)
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        places.answering = lambda: None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relaying.asyncio, "sleep", sleep)
        table.send(f"{places.address}/broadcast/a/b/AbCdEfGh")
    assert waited == [60.0] and len(places.broadcast) == 1


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://lichess.org/broadcast/x/y/AbCdEfGh", BroadcastRound("https://lichess.org", "AbCdEfGh")),
        ("https://lichess.org/broadcast/-/-/AbCdEfGh#boards", BroadcastRound("https://lichess.org", "AbCdEfGh")),
        ("https://lichess.org/api/broadcast/round/AbCdEfGh/push", BroadcastRound("https://lichess.org", "AbCdEfGh")),
        ("http://localhost:9663/study/AbCdEfGh/ZyXwVuTs", Study("http://localhost:9663", "AbCdEfGh")),
        ("https://online-go.com/demo/123", DemoBoard("https://online-go.com", 123)),
        ("https://online-go.com/demo/view/123", DemoBoard("https://online-go.com", 123)),
        ("https://online-go.com/review/123", DemoBoard("https://online-go.com", 123)),
        ("https://club.example/broadcast?x=1", Post("https://club.example/broadcast?x=1")),
    ],
)
def test_the_form_of_an_address_says_what_it_is(address: str, place: object) -> None:
    assert place_of(address) == place


@pytest.mark.parametrize(
    "address", ["lichess.org/study/AbCdEfGh", "ftp://a/b", "https://", "http://a:b@c/", "http://[::"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(AddressError):
        place_of(address)


def test_the_command_sends_with_the_token_of_a_private_file_alone(
    table: Table, places: FakePlaces, tmp_path: Path
) -> None:
    def call(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(relay_cli.app, [*words, "--journal", str(table.path), "--once"])
        assert TOKEN not in done.output
        return done.exit_code, done.stderr

    table.begin("chess")
    address, file = f"{places.address}/broadcast/a/b/AbCdEfGh", tmp_path / "token"
    status, said = call(address, "--token", str(file))
    assert status == 2 and "No such file" in said
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o644)
    status, said = call(address, "--token", str(file))
    assert status == 2 and "chmod 600" in said
    file.chmod(0o600)
    status, said = call(address, "--token", str(file))
    assert status == 0 and f"{table.game_id}: sent" in said and len(places.broadcast) == 1
    status, said = call("http://club.example/hook", "--token", str(file))
    assert status == 2 and "not encrypted" in said
    table.play("e2e4")
    status, said = call(address)
    assert status == 1 and "401" in said
    status, said = call("club.example")
    assert status == 2 and "https://" in said
    table.journal.close()
    table.path.unlink()
    status, said = call(address, "--token", str(file))
    assert status == 2 and "no record yet" in said
