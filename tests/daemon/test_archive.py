"""Recorded games over HTTP: who may read, who may delete, and how damage, locks and overload are handled."""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

import games
from daemon.page import archive, permission
from daemon.page.record_access import MAX_WAITING
from daemon.page.recorded_game import RecordedGame
from daemon.page.web import WebPage
from daemon.record.formats.formats import suiting
from daemon.record.formats.reading import read_game
from daemon.record.journal import Journal
from daemon.record.pictures import Pictures, encoded
from daemon.record.stored_game import rule_texts
from rules import HiddenHands, Outcome
from tests.daemon import http_client
from tests.daemon.recorded_games import connection
from tests.daemon.test_pictures import picture
from tests.daemon.test_web import state

PLAYED = "20990101T000000-00000000"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def page(record: Path) -> Iterator[WebPage]:
    made = WebPage(port=0, journal=record)
    made.publish(state=state(game_id=PLAYED))
    yield made
    made.close()


def ask(page: WebPage, path: str, command: object = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """HTTP status, headers and body; a command is posted."""
    reply = http_client.ask(f"{page.address}{path}", command, **headers)
    return reply.status, dict(reply.headers), reply.body


def told(page: WebPage, path: str, command: object = None, **headers: str) -> tuple[int, Any]:
    status, _, body = ask(page, path, command, **headers)
    return status, json.loads(body)


def ids(page: WebPage) -> dict[str, str]:
    """Ids of the recorded games, one for each kind of game."""
    return {one["game"]: one["id"] for one in told(page, "archive")[1]["games"]}


def test_the_list_is_paged_and_chosen_by_game_and_player(page: WebPage) -> None:
    status, first = told(page, "archive?limit=2")
    assert status == 200 and len(first["games"]) == 2 and first["older"] == first["games"][-1]["id"]
    assert [one["name"] for one in first["kinds"]] == sorted(games.names()) and first["names"] == ["Ana", "Level 5"]
    assert (first["played"], first["commands"]) == (PLAYED, True)
    _, rest = told(page, f"archive?limit={len(games.names())}&before={first['older']}")
    assert len(rest["games"]) == len(games.names()) - 2 and rest["older"] == "" and "names" not in rest
    assert [one["game"] for one in told(page, "archive?game=reversi&player=" + quote("aNÁ"))[1]["games"]] == ["reversi"]
    assert told(page, "archive?player=nobody")[1]["games"] == []
    for wrong in ("0", "101", "-1", "x", "9" * 30):
        assert told(page, f"archive?limit={wrong}")[0] == 400


@pytest.mark.parametrize("name", games.names())
def test_a_game_is_told_with_every_ply_and_each_board_is_drawn(page: WebPage, name: str) -> None:
    game_id = ids(page)[name]
    status, game = told(page, f"archive/{game_id}")
    assert status == 200 and game["players"] == ["Ana", "level-5"] and not game["fault"]
    assert [one["ply"] for one in game["plies"]] == list(range(1, len(game["plies"]) + 1))
    assert {"move", "side", "verdict", "spent_s", "left_s"} <= game["plies"][0].keys()
    assert ("scores" in game["plies"][0]) == (name == "double_double_dominoes")
    assert game["formats"] == suiting(name)
    for ply in (0, 1, len(game["plies"])):
        status, headers, svg = ask(page, f"archive/{game_id}/board/{ply}.svg")
        assert status == 200 and headers["Content-Type"].startswith("image/svg+xml")
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
        ElementTree.fromstring(svg)
    assert told(page, f"archive/{game_id}/board/{len(game['plies']) + 1}.svg")[0] == 404


@pytest.mark.parametrize("name", games.names())
def test_every_export_is_a_download_that_import_reads(page: WebPage, name: str, tmp_path: Path) -> None:
    game_id = ids(page)[name]
    for format_name in suiting(name):
        if format_name == "png" and name != "nine_mens_morris":
            continue  # drawn by the same code, and slower
        status, headers, content = ask(page, f"archive/{game_id}/export/{format_name}")
        assert status == 200 and headers["Content-Disposition"].startswith(f'attachment; filename="kibitzer-{game_id}.')
        if format_name == "png":
            assert content.startswith(b"\x89PNG")
            continue
        path = tmp_path / headers["Content-Disposition"].split('"')[1]
        path.write_bytes(content)
        assert read_game(path).game == name
        assert path.suffix != ".zip" or "1_mutari.txt" in zipfile.ZipFile(BytesIO(content)).namelist()
    status, refused = told(page, f"archive/{game_id}/export/docx")
    assert status == 409 and "is one of" in refused["text"]


def test_a_picture_is_given_where_one_was_kept_of_that_very_board(page: WebPage, record: Path) -> None:
    game_id = ids(page)["reversi"]
    journal = Journal(record, read_only=True)
    ply = journal.game(game_id).plies[1]
    journal.close()
    path = Pictures(record).path(game_id, 2, ply.board)
    path.parent.mkdir(parents=True)
    path.write_bytes(encoded(picture(50)))
    status, headers, jpeg = ask(page, f"archive/{game_id}/picture/2.jpg")
    assert (status, headers["Content-Type"], jpeg) == (200, "image/jpeg", path.read_bytes())
    assert told(page, f"archive/{game_id}/picture/1.jpg")[0] == told(page, f"archive/{game_id}/picture/0.jpg")[0] == 404
    plies = told(page, f"archive/{game_id}")[1]["plies"]
    assert [one["ply"] for one in plies if one.get("picture")] == [2]


def test_a_game_is_deleted_when_that_is_confirmed_and_its_pictures_with_it(page: WebPage, record: Path) -> None:
    game_id = ids(page)["reversi"]
    folder = Pictures(record).folder / game_id
    folder.mkdir(parents=True)
    unsure: list[object] = [{}, {"confirm": "yes"}, {"confirm": game_id, "more": 1}, []]
    for command in unsure:
        assert told(page, f"archive/{game_id}/delete", command)[0] == 400
    assert "reversi" in ids(page)
    assert told(page, f"archive/{game_id}/delete", {"confirm": game_id})[0] == 200
    assert "reversi" not in ids(page) and not folder.exists()
    for path in (f"archive/{game_id}", f"archive/{game_id}/board/1.svg", f"archive/{game_id}/export/json"):
        status, gone = told(page, path)
        assert (status, gone["code"]) == (404, "unknown_game") and "no longer" in gone["text"]


def test_positions_are_given_except_where_they_would_tell_the_hands(page: WebPage) -> None:
    for name, game_id in ids(page).items():
        game = told(page, f"archive/{game_id}")[1]
        hides = issubclass(games.find(name), HiddenHands)
        assert bool(game["start"]) is not hides
        assert all(("position" in one) is not hides for one in game["plies"])


def test_somebodys_game_is_imported_and_a_wrong_one_refused_with_the_rule(page: WebPage) -> None:
    good = {"text": "(;GM[4]SZ[15]PB[Zoe]PW[Yan];B[hh];W[ii])", "name": "their.sgf", "game": ""}
    status, answer = told(page, "archive", good)
    assert status == 200
    game = told(page, f"archive/{answer['id']}")[1]
    assert (game["game"], game["players"], game["source"]) == ("gomoku", ["Zoe", "Yan"], "their.sgf")
    assert told(page, "archive", {"text": "h8 i9", "name": "x.txt", "game": "gomoku"})[1]["text"] == ""
    careless = {"text": "(;GM[1]SZ[9]KM[6,5];B[ee])", "name": "x.sgf", "game": ""}
    assert told(page, "archive", careless)[1]["text"] == "KM[6,5] is read as 6.5"
    count = len(told(page, "archive")[1]["games"])
    for text, why in (("(;GM[4]SZ[15];B[hh];W[hh])", "occupied"), ("nonsense", "none of"), ("", "none of")):
        status, answer = told(page, "archive", {"text": text, "name": "x", "game": ""})
        assert status == 409 and why in answer["text"]
    wrong: list[object] = [{}, [], {"text": 5, "name": "x", "game": ""}, {"text": "h8", "name": "x"}]
    for command in wrong:
        assert told(page, "archive", command)[0] == 400
    assert told(page, "archive", {"text": "f5" * 200_000, "name": "x", "game": ""})[0] == 400
    assert ask(page, "archive", good, Origin="http://evil.example")[0] == 403
    club = '[White "a"]\n\n1. e4 *\n'
    for text, why in ((club * 101, "more than 100 games"), (club + club.replace("e4", "e9"), "game 2: move 1, e9")):
        status, answer = told(page, "archive", {"text": text, "name": "club.pgn", "game": ""})
        assert status != 200 and why in answer["text"]
    assert len(told(page, "archive")[1]["games"]) == count
    assert told(page, "archive", {"text": club * 2, "name": "club.pgn", "game": ""})[0] == 200
    assert len(told(page, "archive")[1]["games"]) == count + 2


SLOW = """
import json, sys, time
print(json.dumps({"plies": 24, "unit": "disc", "fault": ""}))
value = {"score": 0.0, "chance": 0.5, "amount": 0.0, "plies": None, "exact": False}
print(json.dumps({"ply": 25, "side": 0, "value": value, "best": None}), flush=True)
best = {"move": "a1", "value": value, "line": ["nonsense"]}
print(json.dumps({"ply": 24, "side": 1, "move": "b1", "value": value, "best": best, "mark": "slip"}), flush=True)
time.sleep(600)
"""


def reviewing(page: WebPage, monkeypatch: pytest.MonkeyPatch, program: str = SLOW) -> str:
    """Begins to review the game of reversi with that program; returns the game's id once a move is judged."""
    assert page._archive is not None
    monkeypatch.setattr(page._archive._game_reviews, "_command", (sys.executable, "-c", program))
    game_id = ids(page)["reversi"]
    assert told(page, f"archive/{game_id}/review")[1] == {"state": "none"}
    assert told(page, f"archive/{game_id}/review", {"action": "begin"})[0] == 200
    while told(page, f"archive/{game_id}/review")[1]["done"] < 2:
        pass
    return game_id


def test_a_review_is_begun_followed_and_stopped_one_at_a_time(
    page: WebPage, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = reviewing(page, monkeypatch)
    told_so_far = told(page, f"archive/{game_id}/review")[1]
    assert told_so_far["state"] == "running" and (told_so_far["done"], told_so_far["total"]) == (2, 25)
    assert told(page, f"archive/{game_id}/review", {"action": "begin"})[0] == 200  # it is under way
    status, refused = told(page, f"archive/{ids(page)['gomoku']}/review", {"action": "begin"})
    assert status == 409 and "Another game" in refused["text"]
    assert told(page, f"archive/{game_id}/board/24.svg?better=0")[0] == 409  # a line that cannot be played
    assert ask(page, f"archive/{game_id}/board/24.svg?better=7")[0] == 404
    assert ask(page, f"archive/{game_id}/board/24.svg?better=-1")[0] == 400
    assert told(page, f"archive/{game_id}/review", {"action": "stop"})[0] == 200
    while told(page, f"archive/{game_id}/review")[1]["state"] == "running":
        pass
    assert told(page, f"archive/{game_id}/review")[1]["state"] == "part"
    assert (record.with_name(record.name + ".reviews") / f"{game_id}.json").stat().st_mode & 0o077 == 0


def test_a_deleted_game_is_reviewed_no_longer_and_leaves_nothing(
    page: WebPage, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = reviewing(page, monkeypatch)
    assert told(page, f"archive/{game_id}/delete", {"confirm": game_id})[0] == 200
    page.close()  # waits for the review
    folder = record.with_name(record.name + ".reviews")
    assert not folder.exists() or not list(folder.iterdir())


def test_the_review_of_a_closed_page_ends_with_its_process(page: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    reviewing(page, monkeypatch)
    page.close()
    assert not [one for one in threading.enumerate() if one.name == "review"]


def test_what_is_no_order_for_a_review_is_refused(page: WebPage) -> None:
    game_id = ids(page)["reversi"]
    wrong: list[object] = [{}, {"action": "again"}, {"action": "begin", "time_s": 1e9}, [], "begin"]
    for command in wrong:
        assert told(page, f"archive/{game_id}/review", command)[0] == 400
    assert ask(page, f"archive/{game_id}/review", {"action": "begin"}, Origin="http://evil.example")[0] == 403
    assert told(page, "archive/20200101T000000-00000000/review", {"action": "begin"})[0] == 404
    assert told(page, f"archive/{game_id}/export/ggf?comments=1")[0] == 409
    assert told(page, f"archive/{game_id}/find/0")[0] == 409


def test_two_pages_that_delete_at_once_delete_once_and_the_other_is_told(page: WebPage) -> None:
    game_id = ids(page)["gomoku"]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: told(page, f"archive/{game_id}/delete", {"confirm": game_id})[0], range(4)))
    assert sorted(answers) == [200, 404, 404, 404]
    assert len(ids(page)) == len(games.names()) - 1


def test_the_game_that_is_played_and_one_just_begun_are_never_deleted(page: WebPage, record: Path) -> None:
    journal = Journal(record)
    played = journal.new_game("reversi", {}, ["Ana", "Ben"])
    page.publish(state=state(game_id=played))
    begun = journal.new_game("reversi", {}, ["Ana", "Ben"])
    for game_id in (played, begun):
        status, refused = told(page, f"archive/{game_id}/delete", {"confirm": game_id})
        assert status == 409 and "cannot be deleted" in refused["text"]
    assert {played, begun} <= set(journal.ids())
    journal.close()


def test_nothing_is_deleted_before_the_daemon_knows_which_game_it_plays(record: Path) -> None:
    page = WebPage(port=0, journal=record)
    game_id = ids(page)["reversi"]
    status, refused = told(page, f"archive/{game_id}/delete", {"confirm": game_id})
    page.close()
    assert status == 409 and "starting" in refused["text"]


def test_players_get_other_names_and_the_ranking_goes_by_them(page: WebPage) -> None:
    game_id = ids(page)["reversi"]
    status, named = told(page, f"archive/{game_id}/players", {"players": ["  Nguyễn \u202eÁnh ", "<b>Ben</b>"]})
    assert (status, named["players"]) == (200, ["Nguyễn Ánh", "<b>Ben</b>"])
    assert told(page, f"archive/{game_id}")[1]["players"] == ["Nguyễn Ánh", "<b>Ben</b>"]
    ranked = told(page, "ranking?game=reversi")[1]
    assert {one["player"] for one in ranked["players"]} <= {"Nguyễn Ánh", "<b>Ben</b>"}
    for wrong in (["Ana"], ["Ana", ""], ["Ana", 7], "Ana", ["Ana", "x" * 65], ["Ana", "\u202e"], None):
        assert told(page, f"archive/{game_id}/players", {"players": wrong})[0] == 400
    assert told(page, "archive/20000101T000000-00000000/players", {"players": ["A", "B"]})[0] == 404


def test_commands_are_json_small_and_of_our_own_page_and_reading_is_not(page: WebPage) -> None:
    game_id = ids(page)["reversi"]
    path, confirmed = f"archive/{game_id}/delete", {"confirm": game_id}
    assert told(page, path, b"confirm=x", Content_Type="text/plain")[0] == 400
    assert told(page, path, b"{" * 500)[0] == 400
    assert told(page, path, b" " * 5000)[0] == 400
    assert told(page, path, confirmed, Origin="http://elsewhere.example")[0] == 403
    assert told(page, path, confirmed, Sec_Fetch_Site="cross-site")[0] == 403
    assert told(page, "archive", Origin="http://elsewhere.example")[0] == 403
    assert told(page, f"archive/{game_id}", Host="evil.example")[0] == 403
    assert ask(page, path)[0] == 405  # a GET deletes nothing
    assert "reversi" in ids(page)


def test_another_computer_reads_without_and_changes_only_with_the_token(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (permission, archive):
        monkeypatch.setattr(module, "is_here", lambda _request: False)
    page = WebPage(port=0, host="0.0.0.0", token=tmp_path / "page.token", journal=record)
    page.publish(state=state(game_id=PLAYED))
    token = (tmp_path / "page.token").read_text().strip()
    _, listed = told(page, "archive")
    game_id = listed["games"][0]["id"]
    assert listed["commands"]
    assert told(page, f"archive/{game_id}")[0] == 200
    path, confirmed = f"archive/{game_id}/delete", {"confirm": game_id}
    assert told(page, path, confirmed)[0] == 401
    assert told(page, path, confirmed, Authorization="Bearer wrong")[0] == 401
    assert told(page, f"archive/{game_id}/players", {"players": ["A", "B"]})[0] == 401
    assert told(page, path, confirmed, Authorization=f"Bearer {token}")[0] == 200
    page.close()


def test_a_damaged_record_is_said_to_be_and_left_as_it_is(page: WebPage, record: Path) -> None:
    game_id = ids(page)["reversi"]
    rubbish = b"no database at all" * 500
    record.write_bytes(rubbish)
    for path, command in (
        (f"archive/{game_id}", None),
        ("archive", None),
        (f"archive/{game_id}/delete", {"confirm": game_id}),
    ):
        status, wrong = told(page, path, command)
        assert (status, wrong["code"]) == (500, "corrupt") and str(record) not in wrong["text"]
    assert record.read_bytes() == rubbish and list(record.parent.glob("*.damaged*")) == []
    record.unlink()
    assert told(page, "archive")[0] == 404


def test_a_locked_record_can_be_read_and_a_deletion_says_that_it_is_busy(
    page: WebPage, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.record.journal.BUSY_S", 0.1)
    game_id = ids(page)["reversi"]
    other = sqlite3.connect(record, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert told(page, f"archive/{game_id}")[0] == 200
    status, busy = told(page, f"archive/{game_id}/delete", {"confirm": game_id})
    assert (status, busy["code"]) == (503, "busy")
    other.execute("ROLLBACK")
    other.close()
    assert told(page, f"archive/{game_id}/delete", {"confirm": game_id})[0] == 200


def test_a_game_that_cannot_be_read_is_said_to_be_and_the_others_are_there(page: WebPage, record: Path) -> None:
    found = ids(page)
    with sqlite3.connect(record) as connection:
        connection.execute("UPDATE games SET rules = '[]' WHERE game = 'reversi'")
        connection.execute("UPDATE games SET rules = '{\"size\": \"7\"}' WHERE game = 'gomoku'")
        connection.execute("UPDATE plies SET move = 'z9' WHERE ply = 5 AND game_id = ?", (found["co_ganh"],))
    connection.close()
    status, wrong = told(page, f"archive/{found['reversi']}")
    assert (status, wrong["code"]) == (500, "unreadable")
    status, game = told(page, f"archive/{found['gomoku']}")
    assert status == 200 and "size" in game["fault"] and told(page, f"archive/{found['gomoku']}/board/3.svg")[0] == 409
    status, game = told(page, f"archive/{found['co_ganh']}")
    assert status == 200 and "z9" in game["fault"]
    assert ask(page, f"archive/{found['co_ganh']}/board/3.svg")[0] == 200  # the recorded board
    assert told(page, f"archive/{found['co_ganh']}/export/moves")[0] == 409
    assert ask(page, f"archive/{found['co_ganh']}/export/json")[0] == 200
    assert len(ids(page)) == len(games.names())


def test_too_many_askers_are_turned_away_and_the_page_goes_on(page: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    game_id = ids(page)["reversi"]
    go_on, real = threading.Event(), RecordedGame.board
    slow: Callable[..., str] = lambda self, ply: (go_on.wait(15), real(self, ply))[1]  # noqa: E731
    monkeypatch.setattr(RecordedGame, "board", slow)
    with ThreadPoolExecutor(MAX_WAITING + 4) as pool:
        waiting = [pool.submit(ask, page, f"archive/{game_id}/board/1.svg") for _ in range(MAX_WAITING + 4)]
        while sum(one.done() for one in waiting) < 4:
            threading.Event().wait(0.01)
        assert ask(page, "healthz")[0] in (200, 503)  # answered at once
        assert told(page, "archive")[1]["code"] == "busy"
        go_on.set()
        statuses = sorted(one.result()[0] for one in waiting)
    assert statuses == [200] * MAX_WAITING + [503] * 4
    assert told(page, "archive")[0] == 200


def test_a_huge_game_is_told_up_to_a_bound_and_exported_in_full(page: WebPage, record: Path) -> None:
    game = games.load("nine_mens_morris")
    journal = Journal(record)
    connection(journal).execute("PRAGMA synchronous = OFF")
    game_id = journal.new_game(game.name, rule_texts(game), ["Ana", "Ben"])
    position = game.format_position(game.initial())
    columns = "game_id, ply, move, side, position, board, verdict, frame, time, undone"
    connection(journal).executemany(
        f"INSERT INTO plies ({columns}) VALUES (?, ?, 'd6', 0, ?, ?, 'legal', '', '', 0)",
        [(game_id, ply, position, "." * 24) for ply in range(1, 6001)],
    )
    journal.finish(game_id, Outcome(None, "repetition"))
    journal.close()
    status, told_game = told(page, f"archive/{game_id}")
    assert status == 200 and (len(told_game["plies"]), told_game["left_out"]) == (4096, 6000 - 4096)
    assert ask(page, f"archive/{game_id}/board/5999.svg")[0] == 200
    assert len(json.loads(ask(page, f"archive/{game_id}/export/json")[2])["plies"]) == 6000


@pytest.mark.parametrize(
    "path",
    [
        "archive/..%2f..%2fetc",
        "archive/" + "a" * 200,
        "archive/x/board/-1.svg",
        "archive/x/board/99999999.svg",
        "archive/x/export/" + quote("../json"),
        "archive/x/picture/1.png",
        "archive/%00",
    ],
)
def test_strange_addresses_lead_nowhere(page: WebPage, path: str) -> None:
    assert told(page, path)[0] == 404


def test_a_page_without_a_record_has_none() -> None:
    page = WebPage(port=0)
    assert told(page, "archive")[0] == 404
    page.close()
