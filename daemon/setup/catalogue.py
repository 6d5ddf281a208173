"""Lists the available agents through a separate process, so that the daemon does not load compiled searches."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Sequence
from subprocess import DEVNULL, SubprocessError
from typing import Any

import places
import processes

LOGGER = logging.getLogger(__name__)
ROOT = places.PROGRAM
COMMAND = (sys.executable, "-m", "daemon.cli", "agents", "--json")
DEADLINE_S = 60.0


class Catalogue:
    def __init__(self, command: Sequence[str] = COMMAND, deadline_s: float = DEADLINE_S) -> None:
        self._command, self._deadline_s = tuple(command), deadline_s
        self._catalogue: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._ask, name="catalogue", daemon=True)
        self._thread.start()

    @property
    def newest(self) -> dict[str, Any]:
        """The result of `agents.agents_cli.catalogue`; empty until it is known, or if the process failed."""
        return self._catalogue

    def wait(self, timeout_s: float) -> dict[str, Any]:
        self._thread.join(timeout_s)
        return self._catalogue

    def close(self) -> None:
        """Does nothing: the process ends by itself."""

    def _ask(self) -> None:
        try:
            done = processes.run(self._command, self._deadline_s, cwd=ROOT, stdin=DEVNULL, capture_output=True)
            if done.returncode:
                raise ValueError(done.stderr.decode(errors="replace").strip()[-300:])
            self._catalogue = json.loads(done.stdout)
        except (OSError, ValueError, SubprocessError) as error:
            LOGGER.error("which agents there are cannot be told: %s", error)
