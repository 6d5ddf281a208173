"""Lists the available agents through a separate process, so that the daemon does not load compiled searches."""

from __future__ import annotations

import json
import logging
import sys
import threading
from subprocess import DEVNULL, SubprocessError
from typing import Any

from system import paths, processes

LOGGER = logging.getLogger(__name__)
COMMAND = (sys.executable, "-m", "daemon.cli", "agents", "--json")
DEADLINE_S = 60.0


class Catalogue:
    def __init__(self) -> None:
        self.newest: dict[str, Any] = {}
        """The result of `agents.agents_cli.catalogue`; empty until it is known, or if the process failed."""
        self._thread = threading.Thread(target=self._ask, name="catalogue", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> dict[str, Any]:
        self._thread.join(timeout_s)
        return self.newest

    def _ask(self) -> None:
        try:
            done = processes.run(COMMAND, DEADLINE_S, cwd=paths.PROGRAM, stdin=DEVNULL, capture_output=True)
            if done.returncode:
                raise ValueError(done.stderr.decode(errors="replace").strip()[-300:])
            self.newest = json.loads(done.stdout)
        except (OSError, ValueError, SubprocessError) as error:
            LOGGER.error("which agents there are cannot be told: %s", error)
