"""A table whose daemon runs in a thread of the test: real session, record, bus and page, no camera and no voice."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import games
from daemon.config import Config
from daemon.session import Session

TURN_S = 0.01


class Table:
    """One table. `session` belongs to the thread; a test only reads what does not change any more."""

    def __init__(self, folder: Path, game: str, agent: str = "", **sections: Mapping[str, Any]) -> None:
        """Two people play, or a person against `agent`; `sections` are settings besides."""
        folder.mkdir(parents=True, exist_ok=True)
        own: dict[str, Any] = {
            "game": {"name": game, "deal_seed": 5},
            "players": {"first": {}, "second": {"agent": agent, "time_s": 0.05}},
            "bus": {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
            "speech": {"enabled": False},
            "page": {"enabled": True, "window": False, "port": 0},
            "journal": {"path": str(folder / "journal.sqlite")},
        }
        config = Config.model_validate(own | {name: {**own.get(name, {}), **more} for name, more in sections.items()})
        self.game = games.load(game, config.game.rules)
        self._stop = threading.Event()
        self._begun = threading.Event()
        self._opened: list[Session] = []
        self._thread = threading.Thread(target=self._run, args=(config,), name="table", daemon=True)
        self._thread.start()
        assert self._begun.wait(30), "the table did not open in time"
        self.session = self._opened[0]
        assert self.session.page is not None
        self.address = self.session.page.address

    def _run(self, config: Config) -> None:
        session = Session(config, self.game)
        self._opened.append(session)
        try:
            session.begin(None)
            self._begun.set()
            while not self._stop.wait(TURN_S):
                session.tick(None)
                if session.match is not None and session.match.new_game_due:
                    session.begin(None, resume=False)
        finally:
            session.close()

    @property
    def moves(self) -> list[str]:
        """The moves so far."""
        assert self.session.match is not None
        return list(self.session.match.referee.moves)

    def close(self) -> None:
        """Ends the thread, and with it the page."""
        self._stop.set()
        self._thread.join(10)
