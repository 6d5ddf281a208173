"""The page of a demo: what people ask there, while a game is shown and after it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping

from daemon.app.game_chooser import GameChooser
from daemon.app.session import Session
from daemon.app.session_runner import SessionRunner
from daemon.commands.command import Answer
from daemon.commands.demo_requests import DemoRequest
from daemon.config.settings import Config
from daemon.i18n.translation import worded
from daemon.supervision.camera import NONE

TURN_S = 0.02
UNSEEN_S = 60.0
"""Seconds without anybody looking at the page after which a demo that a table started ends."""


class Left(Exception):
    """Somebody ends the demo, or wants to play; `config` are the settings of that game."""

    def __init__(self, config: Config | None = None) -> None:
        self.config = config
        super().__init__("the demo was left")


class DemoPage:
    """Takes the requests of one demo's page. Used by the session's thread."""

    def __init__(self, session: Session, *, beside: bool = False) -> None:
        """`beside` is a demo that a table started: it tells its port, and ends once nobody looks."""
        self._session, self._beside = session, beside
        self._over = False
        self._begun = False
        self._seen_s = time.monotonic()
        self._chooser = GameChooser(session, session.services.config, NONE)
        session.demo = self._status

    def turn(self) -> None:
        """To be called often while a game is shown. Raises Left."""
        page, now_s = self._session.services.page, time.monotonic()
        if page is None:
            return
        if self._beside and not self._begun:
            sys.stdout.write(json.dumps({"port": page.port}) + "\n")
            sys.stdout.flush()
        if page.pages or not self._begun:
            self._seen_s, self._begun = now_s, True
        if self._beside and now_s - self._seen_s > UNSEEN_S:
            raise Left
        self._chooser.changed()
        ended = False
        for request in page.demos.take():
            request.answer(self._answer(request.command))
            ended = ended or request.command.end
        if ended:
            raise Left
        if (config := self._chooser.poll()) is not None:
            raise Left(config)

    def stay(self) -> None:
        """Shows the result until the demo is to be shown again. Raises Left."""
        self._over = True
        runner = SessionRunner(self._session)
        while not self._session.new_game_due:
            runner.tick(None)
            self.turn()
            time.sleep(TURN_S)
        self._over = False
        runner.ui.show_at_once()
        runner.ui.show()  # the next picture comes only once the eyes are calibrated

    def _answer(self, request: DemoRequest) -> Answer:
        return Answer(True, worded("The demo ends.")) if request.end else Answer(False, worded("This is the demo."))

    def _status(self) -> Mapping[str, object]:
        return {"state": "over" if self._over else "plays", "port": None}
