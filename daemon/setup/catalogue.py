"""The agents that there are, asked of a process of its own: searches in machine code are no business of the daemon."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import places

LOGGER = logging.getLogger(__name__)
ROOT = places.PROGRAM
COMMAND = (sys.executable, "-m", "daemon.cli", "agents", "--json")
DEADLINE_S = 60.0
"""The process is killed after so long."""


class Catalogue:
    """Asks once, in the background. `newest` never waits."""

    def __init__(self, command: Sequence[str] = COMMAND, deadline_s: float = DEADLINE_S) -> None:
        self._command, self._deadline_s = tuple(command), deadline_s
        self._told: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._ask, name="catalogue", daemon=True)
        self._thread.start()

    @property
    def newest(self) -> dict[str, Any]:
        """As `agents.agents_cli.catalogue` makes it; empty as long as it is not known, and where it cannot be."""
        return self._told

    def wait(self, timeout_s: float) -> dict[str, Any]:
        """The same, after a while at most."""
        self._thread.join(timeout_s)
        return self._told

    def close(self) -> None:
        """For whoever keeps it; the process ends by itself."""

    def _ask(self) -> None:
        """The thread."""
        try:
            done = subprocess.run(
                self._command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=self._deadline_s
            )
            if done.returncode:
                raise ValueError(done.stderr.decode(errors="replace").strip()[-300:])
            self._told = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            LOGGER.error("which agents there are cannot be told: %s", error)
