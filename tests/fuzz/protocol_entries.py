"""Lines of engine protocols: what managers send to our engine, and what external engines send to us."""

from __future__ import annotations

import functools
import re
import threading
from typing import Any

import games
from agents import players, protocols
from agents.agent import Limits
from agents.engines.engine_protocols import PROTOCOLS, Question
from agents.engines.process import EngineError
from agents.protocols.session import Thinking
from rules import AnyGame, MoveError
from tests.fuzz.entry import Entry, IllegalState

MAX_LINES = 25
MANAGERS = {
    "gomocup": (
        b"START 15\nINFO rule 1\nINFO timeout_turn 10\nBEGIN\nTURN 7,8\nABOUT\nTAKEBACK 7,8\nEND",
        b"START 19\nBOARD\n7,7,1\n8,8,2\nDONE\nRESTART\nRECTSTART 15,15",
    ),
    "gtp": (
        b"1 protocol_version\nlist_commands\nboardsize 15\nplay black J8\n4 genmove white\nundo\nshowboard\nquit",
        b"known_command play\ntime_settings 60 5 1\ntime_left b 30 0\nkomi 5.5\nclear_board\ngenmove b\nplay w A1",
    ),
    "nboard": (
        b"nboard 2\nset depth 2\nset contempt 0\nping 3\ngo\nhint 2\nmove F5//1\nlearn\nstatus\nquit",
        b"set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 "
        + b"-" * 27
        + b"O*------*O"
        + b"-" * 27
        + b" *]B[F5//1];)\ngo",
    ),
    "uci": (
        b"uci\nisready\nucinewgame\nsetoption name Skill value 3\nposition startpos moves d6 d2\ngo depth 2\nstop",
        b"position fen ********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1\ngo movetime 5\nquit",
    ),
}
ENGINES = {
    "gomocup": (b"OK - ready\n7,7", b"OK\nMESSAGE x\nERROR no", b"OK\n99,99\n"),
    "gtp": (
        b"=1 2\n\n=2 boardsize\nclear_board\ngenmove\nplay\n\n=3\n\n=4\n\n=5\n\n=6 E5\n",
        b"banner\n=1 2\n\n=2 boardsize\nclear_board\ngenmove\nplay\ntime_settings\n\n=3\n\n=4\n\n?5 no\n",
    ),
    "nboard": (
        b"set myname x\npong 1\npong 2\n=== F5/1.5/0.2",
        b"pong 1\nstatus\npong 2\n=== PA",
        b"pong 1\npong 2\n=== f5 -3.5",
    ),
    "uci": (
        b"id name x\nuciok\nreadyok\ninfo depth 3 score cp 12 nodes 99 pv d6\nbestmove d6",
        b"uciok\nreadyok\nbestmove xd6",
    ),
}
WORDS = (
    b"go", b"position", b"startpos", b"moves", b"BOARD", b"DONE", b"\n", b"7,7", b"-1", b"bestmove", b"===",
    b"pong 1", b"=5 ", b"genmove b",
)  # fmt: skip


def entries() -> list[Entry]:
    said = [
        Entry(f"manager_{name}", "protocols", functools.partial(manager, name), talks, WORDS, guided=False, weight=0.5)
        for name, talks in MANAGERS.items()
    ]
    answered = [
        Entry(f"engine_{name}", "protocols", functools.partial(engine, name), talks, WORDS, weight=2)
        for name, talks in ENGINES.items()
    ]
    return [*said, *answered]


def manager(protocol: str, data: bytes) -> bool:
    """Sends a manager's lines to our engine; each must be obeyed, or answered as the protocol says."""
    said: list[str] = []
    session = protocols.open_session(protocol, _game(protocol), players.parse("random:time_s=0.01"), said.append)
    goes_on = True
    for line in data.split(b"\n")[:MAX_LINES]:
        goes_on = session.hear(line.decode("utf-8", "replace").strip("\r\n"))
        if not goes_on:
            break
    _stop(session)
    session.close()
    if any("\n" in line or "\r" in line for line in said):
        raise IllegalState(f"an answer of several lines: {said}")
    return bool(said)


def _stop(session: Any) -> None:
    """Ends endless thinking, as a manager's `stop` does."""
    for value in vars(session).values():
        if isinstance(value, Thinking):
            value.stop()


class Script:
    """A fake engine process: sends the lines it was given, then ends."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def say(self, line: str) -> None:
        if "\n" in line:
            raise IllegalState(f"two lines are sent as one: {line!r}")

    def hear(self, _deadline_s: float = 0.0, _stop: Any = None) -> str:
        if not self._lines:
            raise EngineError("ended with status 0")
        return self._lines.pop(0)

    def expect(self, pattern: str, _deadline_s: float, _stop: Any = None, refusal: str = r"(?!)") -> re.Match[str]:
        while True:
            line = self.hear()
            if found := re.match(pattern, line):
                return found
            if re.match(refusal, line):
                raise EngineError(f"answered {line[:80]!r}")


def engine(protocol: str, data: bytes) -> bool:
    """Reads an engine's lines; a move is legal or refused."""
    game = _game(protocol)
    script: Any = Script([line.decode("utf-8", "replace").strip() for line in data.split(b"\n")[:200]])
    asker, position = PROTOCOLS[protocol](), game.initial()
    try:
        asker.greet(script, game, {}, 0.0)
        told = asker.ask(Question(script, game, position, Limits(), 0.1, 0.0, threading.Event()))
    except EngineError:
        return False
    try:
        move = game.parse_move(position, told.move)
    except MoveError:
        return False
    if move not in list(game.legal_moves(position)):
        raise IllegalState(f"{told.move!r} is taken for a move")
    return True


@functools.cache
def _game(protocol: str) -> AnyGame:
    return games.load(protocols.games_of(protocol)[0])
