"""Reopens a service of the daemon that has stopped: with back-off, at most five times a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from daemon.supervision.restarts import RestartLimit

LOGGER = logging.getLogger(__name__)


class Reopener:
    def __init__(
        self,
        name: str,
        fault: Callable[[], str],
        renew: Callable[[], object],
        limit: RestartLimit | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`fault` returns why the service must be reopened, empty if it need not be; `renew` reopens it or raises."""
        self.restarts = 0
        self.trouble = ""
        """Why it could not be reopened; empty if it was, or need not be."""
        self._name, self._fault, self._renew = name, fault, renew
        self._limit, self._clock = limit or RestartLimit(), clock

    def look(self) -> None:
        why = self._fault()
        if not why:
            self.trouble = ""
            return
        now_s = self._clock()
        if self._limit.wait_s(now_s) > 0:
            self.trouble = self.trouble or why
            return
        self._limit.started(now_s)
        self.restarts += 1
        LOGGER.warning("%s: %s; it is opened again", self._name, why)
        try:
            self._renew()
        except (RuntimeError, OSError, ValueError) as error:
            self.trouble = str(error)
            LOGGER.warning("%s: it cannot be opened again: %s", self._name, error)
        else:
            self.trouble = ""
