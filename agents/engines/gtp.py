"""GTP, version 2, with any engine that speaks it: numbered commands, `=` answers and `?` refusals. It knows no game."""

from __future__ import annotations

import threading

from agents.engines.process import SHOWN, EngineError, EngineProcess

MAX_ANSWER_LINES = 1000
NEEDED = {"boardsize", "clear_board", "genmove", "play"}


class GtpRefused(EngineError):
    """A command that the engine answered with `?`."""


class Gtp:
    def __init__(self, process: EngineProcess, deadline_s: float) -> None:
        self._process, self._sent = process, 0
        if (version := self.ask("protocol_version", deadline_s)) != "2":
            raise EngineError(f"speaks version {version[:SHOWN]!r} of GTP, not 2")
        self.commands = frozenset(self.ask("list_commands", deadline_s).split())
        if missing := NEEDED - self.commands:
            raise EngineError(f"does not understand {', '.join(sorted(missing))}")

    def ask(self, command: str, deadline_s: float, stop: threading.Event | None = None) -> str:
        """The engine's answer, lines joined by newlines. Raises GtpRefused, EngineError, EngineStopped."""
        self._sent += 1
        self._process.say(f"{self._sent} {command}")
        found = self._process.expect(rf"([=?]){self._sent}(?!\d)\s*(.*)", deadline_s, stop)
        lines = [found[2]]
        while line := self._process.hear(deadline_s, stop):
            lines.append(line)
            if len(lines) > MAX_ANSWER_LINES:
                raise EngineError(f"answered {command[:SHOWN]!r} with more than {MAX_ANSWER_LINES} lines")
        answer = "\n".join(lines).strip()
        if found[1] == "?":
            raise GtpRefused(f"refused {command[:SHOWN]!r}: {answer[:SHOWN]!r}")
        return answer
