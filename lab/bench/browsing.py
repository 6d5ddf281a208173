"""A real browser, Debian's Chromium, and tables whose pages it opens.

A table's daemon runs in a thread: real session, record, bus and page, no voice. There is no camera, or a simulated one:
then boards are laid at once, and time passes as fast as pictures are made.
"""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

import games
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.config.settings import Config
from daemon.drawing.board_style import STYLE
from daemon.page.web import PAGE
from daemon.perception.pipeline import Pipeline
from daemon.run.loop import Daemon
from daemon.run.session import Session
from daemon.run.session_runner import SessionRunner
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from vision.frame import Frame, Image

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first that is installed is taken: the one without windows needs half the processor time of the others."""
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
PLAYED = """
window.played = [];
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function () {
  window.played.push(this.buffer.duration);
  return start.call(this);
};
"""
TURN_S = 0.01
STEP_S = 0.3
"""Seconds from one simulated picture to the next."""
SIZE_PX = (640, 360)


def loaded_by(document: str) -> set[str]:
    """The names of the page's files that a document loads, with those that these load, and itself."""
    loaded, waiting = set[str](), {document}
    while waiting:
        loaded.add(name := waiting.pop())
        text = (PAGE / name).read_text() if name.endswith((".html", ".js")) else ""
        named = set(re.findall(r'["/]([a-z]+\.(?:js|css|svg|webmanifest))"', text))
        waiting |= {one for one in named - loaded if (PAGE / one).exists()}
    return loaded


def point(page: Page, cell: str) -> None:
    """Clicks a cell of the board, wherever its man or its mark lies."""
    page.locator(f'[data-cell="{cell}"] .spot').click(force=True, no_wait_after=True)


def weight_of(document: str) -> int:
    """Bytes that a document and all that it loads have, with the board's style."""
    return sum((PAGE / name).stat().st_size for name in loaded_by(document)) + len(STYLE)


class Table:
    """One table. `session` belongs to the thread; a test reads only what no longer changes."""

    def __init__(
        self,
        folder: Path,
        game: str,
        /,
        agent: str = "",
        *,
        camera: bool = False,
        whole: bool = False,
        **sections: Mapping[str, Any],
    ) -> None:
        """Two people play, or a person against `agent`; `sections` are further settings.

        `whole` runs the daemon's own loop, with all that can be chosen for a new game.
        """
        folder.mkdir(parents=True, exist_ok=True)
        own: dict[str, Any] = {
            "game": {"name": game, "deal_seed": 5},
            "players": {"first": {}, "second": {"agent": agent, "time_s": 0.05}},
            "bus": {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
            "speech": {"enabled": False},
            "page": {"enabled": True, "window": False, "port": 0},
            "journal": {"path": str(folder / "journal.sqlite")},
        }
        if whole:
            own["camera"] = {"source": "none", "frozen_s": 1.0}
        config = Config.model_validate(own | {name: {**own.get(name, {}), **more} for name, more in sections.items()})
        self.game = games.load(game, config.game.rules)
        self.template = load_template(self.game.name)
        self.board = self.game.board(self.game.initial())
        """The pieces on the simulated board; set by the test."""
        self.profile: TableProfile | None = None
        self.seen_as: Callable[[Image], Image] = lambda picture: picture
        """What the camera makes of a picture."""
        self.obeys = False
        """Whether the boards that a calibration asks for are laid."""
        self._camera, self._whole = camera, whole
        self._stop = threading.Event()
        self._begun = threading.Event()
        self._opened: list[Session] = []
        self._thread = threading.Thread(target=self._run, args=(config,), name="table", daemon=True)
        self._thread.start()
        assert self._begun.wait(30), "the table did not open in time"
        self.session = self._opened[0]
        assert self.session.services.page is not None
        self.address = self.session.services.page.address

    def _run(self, config: Config) -> None:
        session = Session(config, self.game)
        self._opened.append(session)
        try:
            if self._whole:
                self._begun.set()
                Daemon(session, config, self.template, None, "none").run(self._stop)
                return
            session.begin(self._eyes())
            self._begun.set()
            runner = SessionRunner(session)
            if self._camera:
                self._watch(runner)
            while not self._stop.wait(TURN_S):
                runner.tick(None)
                self._go_on(session)
        finally:
            session.close()

    def _eyes(self) -> Pipeline | None:
        return Pipeline(self.template, self.profile, settle_s=0.3) if self._camera else None

    def _watch(self, runner: SessionRunner) -> None:
        """Feeds simulated pictures to the session."""
        session, shown, number = runner.session, self.board, 0
        table = SimulatedTable(self.template, shown, default_style(), seed=5, size_px=SIZE_PX)
        while not self._stop.is_set():
            number += 1
            wanted = self._asked_for(session) if self.obeys else self.board
            if wanted != shown:
                shown, table = wanted, table.with_board(wanted, seed=number)
            table.advance(STEP_S)
            runner.tick(Frame(self.seen_as(table.render()), number * STEP_S, number))
            self._go_on(session)

    def _asked_for(self, session: Session) -> str:
        run = session.setting_up._run
        return self.board if run is None or run.current is None else run.lessons[run.current].board

    def _go_on(self, session: Session) -> None:
        """Begins a match after a calibration, or when a new game is due, as a daemon's loop does."""
        assert session.match is not None
        if (made := session.setting_up.made) is not None:
            session.setting_up.made, self.profile = None, TableProfile.load(made)
            session.begin(self._eyes())
        elif session.new_game_due:
            session.begin(self._eyes(), resume=False)

    @property
    def moves(self) -> list[str]:
        """The moves so far."""
        assert self.session.match is not None
        return list(self.session.match.referee.moves)

    def close(self) -> None:
        """Ends the thread, and with it the page."""
        self._stop.set()
        self._thread.join(10)
