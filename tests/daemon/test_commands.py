"""Commands over HTTP, as programs, pages and strangers send them."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from daemon.cli import tell as tell_cli
from daemon.commands.command import (
    MAX_BYTES,
    Adopt,
    Answer,
    Coach,
    Command,
    CommandError,
    Correct,
    EndMove,
    Hand,
    Move,
    Mover,
    NewGame,
    Pace,
    Pass,
    Pause,
    Position,
    Repeat,
    Resign,
    Resume,
    Undo,
    as_object,
    parse_command,
)
from daemon.page import command_queue, permission
from daemon.page.web import WebPage
from tests.daemon.http_client import ask


@pytest.fixture
def page() -> Iterator[WebPage]:
    made = WebPage(port=0)
    made.take_commands()
    yield made
    made.close()


class Daemon(threading.Thread):
    """Gives every command the same answer, and records the commands."""

    def __init__(self, page: WebPage, answer: Answer) -> None:
        super().__init__(daemon=True)
        self.page, self.with_answer, self.heard = page, answer, list[Command]()
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.wait(0.01):
            for request in self.page.commands.take():
                self.heard.append(request.command)
                request.answer(self.with_answer)

    def __enter__(self) -> Daemon:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop.set()
        self.join()


def post(page: WebPage, body: bytes, **headers: str) -> tuple[int, dict[str, str]]:
    reply = ask(f"{page.address}tell", body, **headers)
    return reply.status, reply.json


@pytest.mark.parametrize(
    "command",
    [
        Pass(),
        Pass("black"),
        Undo(),
        Mover("green"),
        Mover("", 7),
        Correct("d2", "light"),
        Adopt(),
        Adopt("dark"),
        Pause(),
        Resume(),
        Pace(),
        Pace(2.5),
        Resign(),
        Resign("light"),
        NewGame(),
        Position("light:OOOOOOOOOOOOOOOOOOOOOOOO9900"),
        EndMove(),
        Coach(),
        Repeat(),
        Move("d2-d3"),
        Move("d2", ply=0),
        Undo(ply=7),
        Undo(mark="0123456789abcdef"),
        Hand(("0-3", "5-5"), "green"),
    ],
)
def test_a_command_comes_back_from_its_words(command: Command) -> None:
    assert parse_command(json.loads(json.dumps(as_object(command)))) == command


@pytest.mark.parametrize(
    "words",
    [
        None,
        [],
        "pass",
        {},
        {"command": "fly"},
        {"command": "pace", "seconds": -1},
        {"command": "pace", "seconds": 11},
        {"command": "pace", "seconds": "fast"},
        {"command": "pace", "seconds": True},
        {"command": "correct", "cell": "d2"},
        {"command": "correct", "cell": "", "piece": "light"},
        {"command": "correct", "cell": "d2", "piece": "\x07"},
        {"command": "end_move", "side": "red"},
        {"command": "pass", "side": "red"},
        {"command": "mover", "side": 1},
        {"command": "mover", "side": "x" * 33},
        {"command": "mover", "move": 0},
        {"command": "mover", "move": True},
        {"command": "mover", "move": 1.5},
        {"command": "mover", "move": 10**9},
        {"command": ["pass"]},
        {"command": "move"},
        {"command": "move", "move": ""},
        {"command": "move", "move": "x" * 65},
        {"command": "move", "move": "d2\n"},
        {"command": "move", "move": "d2", "ply": -1},
        {"command": "move", "move": "d2", "ply": True},
        {"command": "undo", "ply": "4"},
        {"command": "repeat", "ply": 4},
        {"command": "hand", "tiles": "0-3"},
        {"command": "hand", "tiles": []},
        {"command": "hand", "tiles": ["0-3"] * 9},
        {"command": "hand", "tiles": [3]},
    ],
)
def test_other_words_are_no_command(words: object) -> None:
    with pytest.raises(CommandError):
        parse_command(words)


def test_a_command_is_answered_with_what_happened(page: WebPage) -> None:
    with Daemon(page, Answer(True, "Green passes.")) as daemon:
        assert post(page, b'{"command": "pass"}') == (200, {"code": "done", "text": "Green passes."})
    assert daemon.heard == [Pass()]


def test_a_refused_command_is_answered_with_the_reason(page: WebPage) -> None:
    with Daemon(page, Answer(False, "There is no move 9.")):
        assert post(page, b'{"command": "mover", "move": 9}') == (
            409,
            {"code": "refused", "text": "There is no move 9."},
        )


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"\xff", {}, 400),
        (b"[" * 400, {}, 400),
        (b'{"command": "pass", "x": "' + b"y" * MAX_BYTES + b'"}', {}, 400),
        (b'{"command": "pass"}', {"Content_Type": "text/plain"}, 400),
        (b'{"command": "pass"}', {"Content_Type": "application/x-www-form-urlencoded"}, 400),
        (b'{"command": "pass"}', {"Origin": "https://example.org"}, 403),
        (b'{"command": "pass"}', {"Host": "example.org"}, 403),
    ],
)
def test_rubbish_and_strangers_command_nothing(
    page: WebPage, body: bytes, headers: dict[str, str], status: int
) -> None:
    with Daemon(page, Answer(True, "done")) as daemon:
        assert post(page, body, **headers)[0] == status
    assert daemon.heard == []


def test_where_the_board_shows_everything_there_is_nothing_to_tell() -> None:
    with contextlib.closing(WebPage(port=0)) as page:
        assert post(page, b'{"command": "pass"}')[0] == 409


def test_another_computer_may_look_and_not_tell(page: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permission, "is_here", lambda _request: False)
    with Daemon(page, Answer(True, "done")) as daemon:
        assert post(page, b'{"command": "pass"}')[1]["code"] == "not_from_here"
    assert daemon.heard == []


def test_a_command_whose_sender_was_turned_away_is_never_carried_out(
    page: WebPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_queue, "ANSWER_S", 0.05)
    assert post(page, b'{"command": "pass"}')[0] == 503
    assert page.commands.take() == []


def test_commands_that_nobody_takes_are_bounded(page: WebPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_queue, "ANSWER_S", 0.02)
    texts = [post(page, b'{"command": "pass"}')[1]["text"] for _ in range(command_queue.MAX_WAITING + 1)]
    assert "too many" in texts[-1] and "too many" not in texts[-2]


def tell(page: WebPage, *words: str) -> tuple[int, str]:
    """Exit status and output of `kibitzer tell`."""
    result = CliRunner().invoke(tell_cli.app, [*words, "--port", str(page.port)])
    return result.exit_code, result.output


def test_the_command_line_tells_and_its_status_says_whether_it_was_accepted(page: WebPage) -> None:
    with Daemon(page, Answer(True, "Move 7 was green's.")) as daemon:
        assert tell(page, "mover", "Green", "--move", "7") == (0, "Move 7 was green's.\n")
        assert tell(page, "mover", "red")[0] == 0
    assert daemon.heard == [Mover("green", 7), Mover("red")]
    with Daemon(page, Answer(False, "The game is over.")):
        assert tell(page, "pass") == (1, "The game is over.\n")


def test_the_command_line_says_so_where_no_daemon_runs(page: WebPage) -> None:
    page.close()
    status, output = tell(page, "undo")
    assert status == 2
    assert "no daemon answers" in output and "kibitzer run" in output
