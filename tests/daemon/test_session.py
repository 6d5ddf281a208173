"""A session opens what a match needs, and says what it cannot go on with."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from calibration.template import load_template
from daemon.config import Config
from daemon.demo_cli import open_session
from daemon.pipeline import Pipeline
from daemon.session import Session

MOVES = ("d2", "f4", "a1")


def settings(folder: Path, rules: dict[str, object], page_port: int | None = None) -> Config:
    """Two people, free ports, no voice, no window."""
    return Config.model_validate(
        {
            "game": {"name": "morris", "rules": rules},
            "players": {"second": {"agent": ""}},
            "bus": {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
            "speech": {"enabled": False},
            "page": {"enabled": page_port is not None, "window": False, "port": page_port or 0},
            "journal": {"path": str(folder / "journal.sqlite")},
        }
    )


def begun(folder: Path, rules: dict[str, object], *, resume: bool = True) -> tuple[Session, list[str]]:
    """A session that has begun its match, and what it said."""
    session = Session(settings(folder, rules), games.load("morris", rules))
    said: list[str] = []
    session.say = lambda text, **_rest: said.append(text)  # type: ignore[method-assign]
    session.begin(Pipeline(load_template("nine_mens_morris"), None), resume=resume)
    session.close()
    return session, said


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    """A folder with the record of a game that dark began and that was not finished."""
    rules: dict[str, object] = {"first": "auto"}
    session, _ = begun(tmp_path, rules)
    again = Session(settings(tmp_path, rules), session.game)
    stored, position = again.journal.unfinished(), session.game.starts[1]
    assert stored is not None
    for ply, text in enumerate(MOVES, 1):
        side = session.game.to_move(position)
        position = session.game.apply(position, session.game.parse_move(position, text))
        board = session.game.board(position)
        again.journal.append(stored.game_id, ply, text, side, session.game.format_position(position), board)
    again.close()
    return tmp_path


def test_game_that_dark_began_is_resumed_with_its_sides(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto"})
    assert session.match is not None
    referee = session.match.referee
    assert (tuple(referee.moves), session.game.to_move(referee.position), said) == (MOVES, 0, [])


def test_game_with_other_rules_is_not_resumed_and_this_is_said(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto", "flying": True})
    assert session.match is not None and session.match.referee.ply == 0
    assert said == ["I do not resume the interrupted game, because it has other rules. It stays in the record."]


def test_new_game_is_begun_where_it_is_asked_for(interrupted: Path) -> None:
    session, said = begun(interrupted, {"first": "auto"}, resume=False)
    assert session.match is not None and session.match.referee.ply == 0
    assert said == []


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield int(holder.getsockname()[1])


def test_demo_takes_another_port_for_its_page_where_the_usual_one_is_in_use(tmp_path: Path, taken_port: int) -> None:
    session = open_session(settings(tmp_path, {}, taken_port), games.load("morris"), None)
    try:
        assert session.page is not None
        assert f":{taken_port}" not in session.page.address
    finally:
        session.close()
