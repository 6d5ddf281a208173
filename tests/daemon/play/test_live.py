"""The game that is played can be followed: at an address of the page, and in a file."""

from __future__ import annotations

import contextlib
import email.utils
import time
from email.message import Message
from pathlib import Path

from daemon.record.formats.reading import read_text
from tests.daemon.http_client import ask
from tests.daemon.play.test_no_camera import Table
from tests.waiting import PATIENCE_S


def fetch(table: Table, name: str, **headers: str) -> tuple[int, Message, str]:
    """Status, headers and text of `/live/NAME`."""
    reply = ask(f"{table._address}live/{name}", **headers)
    return reply.status, reply.headers, reply.body.decode()


def test_the_running_game_is_at_an_address_and_in_a_file_and_polls_are_cheap(tmp_path: Path) -> None:
    file = tmp_path / "live.ggf"
    journal = {"path": str(tmp_path / "journal.sqlite"), "live_file": str(file)}
    with contextlib.closing(
        Table(
            tmp_path, "reversi", players={"first": {"name": "Ana"}, "second": {"name": "Țintar & Co"}}, journal=journal
        )
    ) as table:
        table.wait(file.exists)
        status, told, text = fetch(table, "game")
        assert (status, told.get_content_type(), told["Cache-Control"]) == (200, "text/plain", "no-cache")
        assert text == file.read_text("utf-8") and "PB[Ana]" in text and "RE[?]" in text
        assert fetch(table, "game.ggf", If_None_Match=told["ETag"])[0] == 304
        assert fetch(table, "game", If_Modified_Since=told["Last-Modified"])[0] == 304
        assert table.tell(command="move", move="d3")[0] == 200
        made_s = time.monotonic()
        while "B[D3" not in file.read_text("utf-8"):
            assert time.monotonic() < made_s + PATIENCE_S
            time.sleep(0.01)
        for before in ({"If_None_Match": told["ETag"]}, {"If_Modified_Since": told["Last-Modified"]}):
            status, now, text = fetch(table, "game", **before)
            assert status == 200 and text == file.read_text("utf-8")
        times = [email.utils.parsedate_to_datetime(one["Last-Modified"]) for one in (told, now)]
        assert times[0] < times[1] and told["ETag"] != now["ETag"]
        assert read_text(fetch(table, "game.json")[2], "game.json").moves == ("d3",)
        assert fetch(table, "game.txt")[2] == "d3\n"
        status, _, text = fetch(table, "game.pgn")
        assert status == 404 and ".ggf" in text
        assert table.tell(command="undo")[0] == 200
        table.wait(lambda: "B[D3" not in file.read_text("utf-8"))
        assert table.tell(command="resign", side=table.get("state")["sides"][0])[0] == 200
        table.wait(lambda: ":r]" in file.read_text("utf-8"))
        assert table.tell("menu", game={"name": "morris"})[0] == 200
        table.wait(lambda: '[Result "*"]' in file.read_text("utf-8"))
        table.wait(lambda: fetch(table, "game.pgn")[0] == 200)
        assert fetch(table, "game.pgn")[1].get_content_type() == "application/vnd.chess-pgn"
        assert [one.name for one in tmp_path.glob("*live*")] == ["live.ggf"]


def test_hidden_hands_are_told_to_nobody_while_the_game_goes_on(tmp_path: Path) -> None:
    journal = {"path": str(tmp_path / "journal.sqlite"), "live_file": str(tmp_path / "live.json")}
    with contextlib.closing(Table(tmp_path, "dominoes", journal=journal)) as table:
        table.wait(lambda: "live file" in table.ask("healthz")[1]["parts"])
        game_id = table.get("state")["game_id"]
        for path in ("live/game", "live/game.json", f"archive/{game_id}/export/json"):
            status, told = table.ask(path)
            refused = (409, "refused") if path.startswith("archive") else (404, "not_told")
            assert (status, told["code"]) == refused and "what the players hold" in told["text"]
        table.wait(lambda: table.ask("healthz")[1]["parts"]["live file"]["text"] == told["text"])
        assert table.ask("healthz")[1]["parts"]["live file"]["ok"] and not (tmp_path / "live.json").exists()


def test_a_relay_is_told_the_event_the_round_and_the_board(tmp_path: Path) -> None:
    file = tmp_path / "live.pgn"
    with contextlib.closing(
        Table(
            tmp_path,
            "chess",
            event={"name": 'Club "Open"', "site": "Cluj-Napoca ROU", "round": "3"},
            bus={"table": "board-7", "state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
            journal={"path": str(tmp_path / "journal.sqlite"), "live_file": str(file)},
        )
    ) as table:
        table.wait(file.exists)
        text = fetch(table, "game.pgn")[2]
        assert text == file.read_text("utf-8")
        assert '[Event "Club \\"Open\\""]\n[Site "Cluj-Napoca ROU"]\n' in text
        assert '[Round "3"]\n' in text and '[Board "board-7"]\n' in text and '[Result "*"]' in text
        again = read_text(text, "again.pgn").event
        assert again == {"name": 'Club "Open"', "site": "Cluj-Napoca ROU", "round": "3", "table": "board-7"}
