"""A demo beside a table, asked for on its page: another process with a page and a record of its own.

It ends by itself a while after nobody looks at it any more, and with the table. There is one at a time.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from subprocess import DEVNULL

from daemon.commands.command import Answer
from daemon.commands.setup_requests import DemoRequest
from daemon.run.session import Session
from daemon.words.translation import language, worded
from system import paths
from system.processes import LineProcess

LOGGER = logging.getLogger(__name__)
COMMAND = (sys.executable, "-m", "daemon.cli", "demo")
START_S = 180.0
"""Seconds, longest wait for a demo's page: it calibrates first, and the computer may be a small one."""


class Demonstration:
    def __init__(self, session: Session, command: Sequence[str] = COMMAND, start_s: float = START_S) -> None:
        self._session, self._services = session, session.services
        self._command, self._start_s = tuple(command), start_s
        self._process: LineProcess | None = None
        self._began_s = 0.0
        self._port: int | None = None
        self._failed = False
        session.demo = self.status
        self._services.keep(self)

    def status(self) -> Mapping[str, object]:
        """For pages: `state` (offered, starting, on or failed) and `port` of the demo's page (None until it is on)."""
        starts = "failed" if self._failed else "offered"
        state = starts if self._process is None else "starting" if self._port is None else "on"
        return {"state": state, "port": self._port}

    def turn(self) -> None:
        page, process = self._services.page, self._process
        if process is not None and self._port is None:
            self._port = _port(process)
        late = self._port is None and time.monotonic() - self._began_s > self._start_s
        if process is not None and (process.poll() is not None or late):
            if self._port is None:
                LOGGER.error("the demo did not begin (status %s)", process.returncode)
                self._failed = True
            self.close()
        for request in () if page is None else page.demos.take():
            request.answer(self._begin(request.command))

    def close(self) -> None:
        process, self._process, self._port = self._process, None, None
        if process is not None:
            process.close()

    def _begin(self, request: DemoRequest) -> Answer:
        if request.end:
            return Answer(False, worded("This is no demo."))
        if self._process is not None:
            return Answer(True, worded("The demo begins soon: it first learns how its men look."))
        page, speech = self._services.config.page, self._services.config.speech
        words = ["--beside", page.host, "--language", language(), "--game", request.game or self._session.game.name]
        try:
            command = (*self._command, *words, *([] if speech.enabled else ["--silent"]))
            self._process = LineProcess(command, cwd=paths.PROGRAM, stdin=DEVNULL, stderr=None)
        except OSError as error:
            return Answer(False, worded("The demo cannot begin: {why}.", why=error.strerror or "?"))
        self._began_s, self._failed = time.monotonic(), False
        return Answer(True, worded("The demo begins soon: it first learns how its men look."))


def _port(process: LineProcess) -> int | None:
    """The port that the demo tells in its first line; None until then."""
    try:
        port = json.loads(process.hear() or "{}").get("port")
    except (EOFError, OSError, ValueError, AttributeError):
        return None  # the process ends, or is late
    return port if type(port) is int else None
