"""UCI with any engine that speaks it, as chess engines do: options, `go`, reports and `bestmove`. It knows no game."""

from __future__ import annotations

import dataclasses
import logging
import re
import threading
import time
from collections.abc import Mapping

from agents.agent import Limits
from agents.engines.process import SHOWN, EngineProcess, EngineSilent

_log = logging.getLogger(__name__)

STOP_S = 0.1
"""Seconds beyond its thinking time after which an engine is told to stop: time for its answer to get here."""
MATE = 1_000_000.0
"""Score of a mate; it is less by the plies that it takes."""
OPTION = re.compile(r"option name (.+?) type (check|spin|combo|button|string)\b")


@dataclasses.dataclass(frozen=True)
class Found:
    """An engine's answer, in whatever protocol."""

    move: str
    score: float | None = None
    """On the engine's own scale, usually for the side to move; in UCI centipawns, or MATE less plies."""
    depth: int = 0
    nodes: int = 0
    pv: tuple[str, ...] = ()


class Uci:
    def __init__(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline_s: float,
        known: Mapping[str, str] | None = None,
    ) -> None:
        """Sets the options, and those of `known` that the engine announces."""
        self._process = process
        self.options: dict[str, str] = {}
        """Type of each option that the engine names."""
        title = "?"
        process.say("uci")
        while not (found := process.expect(r"uciok\b|(?:option|id) name .*", deadline_s))[0].startswith("uciok"):
            if option := OPTION.match(found[0]):
                self.options[option[1]] = option[2]
            elif found[0].startswith("id"):
                title = found[0].removeprefix("id name ")
        announced = {name.lower() for name in self.options}
        wanted = {name: value for name, value in (known or {}).items() if name.lower() in announced}
        for name, value in (wanted | dict(options)).items():
            if name.lower() not in announced:
                _log.warning("the UCI engine %r announces no option %r; it is sent all the same", title[:SHOWN], name)
            button = self.options.get(name) == "button"
            process.say(f"setoption name {name}" + ("" if button else f" value {value}"))
        process.say("ucinewgame")
        process.say("isready")
        process.expect(r"readyok\b", deadline_s)
        self._heard_out = True
        """Whether nothing is on its way that answers an earlier question."""

    def hear_out(self, wait_s: float, stop: threading.Event) -> None:
        """Skips what still answers an earlier question, such as a second move upon `stop`."""
        if not self._heard_out:
            self._process.say("isready")
            self._process.expect(r"readyok\b", time.monotonic() + wait_s, stop)
            self._heard_out = True

    def best(self, position: str, limits: Limits, think_s: float, wait_s: float, stop: threading.Event) -> Found:
        """The best move in `startpos ...` or `fen ...`. Raises EngineError, EngineStopped.

        A late engine is told to stop. Reports may be on lines of their own or on the one with the move.
        """
        process, self._heard_out = self._process, False
        process.say(f"position {position}")
        depth = f"depth {limits.depth} " if limits.depth else ""
        nodes = f"nodes {limits.nodes} " if limits.nodes else ""
        process.say(f"go {depth}{nodes}movetime {max(round(1000 * think_s), 1)}")
        began_s = time.monotonic()
        stop_s, deadline_s = began_s + think_s + STOP_S, began_s + wait_s
        found = Found("")
        while True:
            try:
                line = process.expect(r"(?:info|bestmove)\b.*", min(stop_s, deadline_s), stop)[0]
            except EngineSilent:
                if stop_s >= deadline_s:
                    raise
                process.say("stop")
                stop_s = deadline_s
                continue
            found = _reported(line, found)
            words = line.split()
            if "bestmove" in words and words[:2] != ["info", "string"]:
                return dataclasses.replace(found, move="".join(words[words.index("bestmove") + 1 :][:1]))


def _reported(line: str, found: Found) -> Found:
    """What is known after a line; `info string` is free text, and a bound is no score."""
    words = line.split()
    if words[:2] == ["info", "string"]:
        return found
    score, mate = _number(words, "cp"), _number(words, "mate")
    if mate is not None:
        score = MATE - (2 * mate - 1) if mate > 0 else -MATE - 2 * mate
    if score is None or "lowerbound" in words or "upperbound" in words:
        score = found.score
    end = words.index("bestmove") if "bestmove" in words else len(words)
    pv = tuple(words[words.index("pv") + 1 : end]) if "pv" in words else found.pv
    return Found("", score, _whole(words, "depth", found.depth), _whole(words, "nodes", found.nodes), pv)


def _number(words: list[str], name: str) -> float | None:
    try:
        value = float(words[words.index(name) + 1])
    except (ValueError, IndexError):
        return None
    return value if abs(value) < MATE else None


def _whole(words: list[str], name: str, otherwise: int) -> int:
    try:
        value = float(words[words.index(name) + 1])
    except (ValueError, IndexError):
        return otherwise
    return int(value) if 0 <= value < 2**62 else otherwise
