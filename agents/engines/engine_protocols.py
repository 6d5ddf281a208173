"""Asks a running engine for a move, for each protocol; move texts are in our own notation."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping
from typing import Any, Protocol

from agents.agent import Limits
from agents.engines import Engine
from agents.engines.process import EngineProcess
from agents.protocols import ggf, sanmill
from games import AnyGame, MoveError

NBOARD_DEPTH = 12
"""Plies asked of an engine that gets no time limit, if neither limits nor options give a depth."""
GOMOCUP_RULES = {(False, False): 0, (True, False): 1, (False, True): 4}
"""Value of the gomocup INFO rule by the rule options exact_five and renju."""
NO_MATCH_LIMIT = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class EngineAnswer:
    """An engine's answer."""

    move: str
    score: float | None = None
    """Score on the engine's own scale, positive is good for the side to move."""
    depth: int = 0
    nodes: int = 0


@dataclasses.dataclass
class Question:
    """A request for one move."""

    process: EngineProcess
    game: Any
    position: Any
    limits: Limits
    think_s: float
    """Seconds that the engine may think."""
    deadline_s: float
    """Seconds on the monotonic clock after which its answer is too late."""
    stop: threading.Event


class EngineProtocol(Protocol):
    """One protocol from the side of the program that runs the engine. Methods raise EngineError."""

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        """Prepares a started engine for a game."""

    def ask(self, question: Question) -> EngineAnswer:
        """The engine's move. Also raises EngineStopped."""

    @staticmethod
    def carries(rules: Any) -> bool:
        """Whether the protocol supports a game under these rule options."""
        return True


class UciProtocol(EngineProtocol):
    """UCI for morris: a second `go` asks for the removal."""

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        """Sends uci and the options, and starts a new game."""
        process.say("uci")
        process.expect(r"uciok\b", deadline_s)
        for name, value in options.items():
            process.say(f"setoption name {name} value {value}")
        process.say("ucinewgame")
        process.say("isready")
        process.expect(r"readyok\b", deadline_s)

    def ask(self, question: Question) -> EngineAnswer:
        """Asks for the man's path, then for the removal if it closes a mill."""
        fen = sanmill.to_fen(question.game, question.position)
        answer = self._best(question, f"position fen {fen}")
        if answer.move.startswith("x"):
            return answer
        try:
            question.game.parse_move(question.position, answer.move)
        except MoveError as error:
            if error.rule == "must_remove":
                removal = self._best(question, f"position fen {fen} moves {answer.move}")
                return dataclasses.replace(answer, move=answer.move + removal.move, nodes=answer.nodes + removal.nodes)
        return answer

    @staticmethod
    def _best(question: Question, position: str) -> EngineAnswer:
        process, limits = question.process, question.limits
        process.say(position)
        depth = f"depth {limits.depth} " if limits.depth else ""
        process.say(f"go {depth}movetime {max(round(1000 * question.think_s), 1)}")
        answer = EngineAnswer("")
        while True:
            line = process.expect(r"(?:info|bestmove)\b.*", question.deadline_s, question.stop)[0]
            words = line.split()
            if words[0] == "bestmove":
                return dataclasses.replace(answer, move=words[1].lower() if words[1:] else "")
            answer = EngineAnswer(
                "", _number(words, "cp", answer.score), _whole(words, "depth"), _whole(words, "nodes")
            )


class NBoardProtocol(EngineProtocol):
    """NBoard for reversi: sets the position anew before asking for each move."""

    def __init__(self) -> None:
        self._pings = 0

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        """Sends nboard and all options except depth, which comes with each question."""
        process.say("nboard 2")
        for name, value in options.items():
            process.say(f"set {name} {value}")
        self._depth = int(options["depth"]) if options.get("depth", "").isdecimal() else NBOARD_DEPTH
        self._sync(process, deadline_s, None)

    def _sync(self, process: EngineProcess, deadline_s: float, stop: threading.Event | None) -> None:
        self._pings += 1
        process.say(f"ping {self._pings}")
        process.expect(rf"pong {self._pings}\b", deadline_s, stop)

    def ask(self, question: Question) -> EngineAnswer:
        """Sends set depth, set game and go."""
        process, game, position = question.process, question.game, question.position
        depth = question.limits.depth or self._depth
        process.say(f"set depth {depth}")
        process.say(f"set game {ggf.write(game, position)}")
        self._sync(process, question.deadline_s, question.stop)
        process.say("go")
        found = process.expect(r"===\s*([^\s/]+)(?:[\s/]+(-?\d+(?:\.\d+)?))?", question.deadline_s, question.stop)
        move = found[1].lower()
        score = None if found[2] is None else float(found[2])
        return EngineAnswer("pass" if move in ggf.PASSES else move, score, depth)


class GomocupProtocol(EngineProtocol):
    """Gomocup's protocol for gomoku: sends the whole board each time."""

    @staticmethod
    def carries(rules: Any) -> bool:
        """Games without swap2 whose row rules have a number in GOMOCUP_RULES."""
        return not rules.swap2 and (rules.exact_five, rules.renju) in GOMOCUP_RULES

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        """Sends START, the rules and the options."""
        process.say(f"START {game.size}")
        process.expect(r"(?i)OK\b", deadline_s, refusal=r"(?i)ERROR\b")
        process.say(f"INFO rule {GOMOCUP_RULES[game.rules.exact_five, game.rules.renju]}")
        process.say("INFO timeout_match 0")
        process.say(f"INFO time_left {NO_MATCH_LIMIT}")
        for name, value in options.items():
            process.say(f"INFO {name} {value}")
        self._fresh = True

    def ask(self, question: Question) -> EngineAnswer:
        """Sends BEGIN on an empty board, else BOARD with the stones of both in turn, black's first."""
        process, game, position = question.process, question.game, question.position
        process.say(f"INFO timeout_turn {max(round(1000 * question.think_s), 1)}")
        stones = self._stones(game, position)
        if not stones:
            if not self._fresh:
                process.say("RESTART")
                process.expect(r"(?i)OK\b", question.deadline_s, question.stop, refusal=r"(?i)ERROR\b")
            process.say("BEGIN")
        else:
            process.say("BOARD")
            for cell, owner in stones:
                process.say(f"{cell % game.size},{cell // game.size},{owner}")
            process.say("DONE")
        self._fresh = False
        found = process.expect(r"(\d+)\s*,\s*(\d+)\s*$", question.deadline_s, question.stop, refusal=r"(?i)ERROR\b")
        column, row = int(found[1][:4]), int(found[2][:4])
        if column >= game.size or row >= game.size:
            return EngineAnswer(f"{column},{row}")
        return EngineAnswer(game.cells[row * game.size + column])

    @staticmethod
    def _stones(game: Any, position: Any) -> list[tuple[int, int]]:
        """Cells with 1 for the mover's stones and 2 for the other's, in a possible order of laying."""
        board = game.board(position)
        colours = [[cell for cell, letter in enumerate(board) if letter == stone] for stone in "BW"]
        mine, first = game.colour(position), int(len(colours[1]) > len(colours[0]))
        laid = []
        for turn in range(sum(map(len, colours))):
            colour = (first + turn) % 2
            laid.append((colours[colour][turn // 2], 1 if colour == mine else 2))
        return laid


PROTOCOLS: dict[str, type[EngineProtocol]] = {"uci": UciProtocol, "nboard": NBoardProtocol, "gomocup": GomocupProtocol}


def supports(engine: Engine, game: AnyGame) -> bool:
    """Whether the engine's protocol supports this game under its rules."""
    return engine.game == game.name and PROTOCOLS[engine.protocol].carries(game.rules)


def deadline_in(seconds: float) -> float:
    """The time on the monotonic clock that many seconds from now."""
    return time.monotonic() + seconds


def _number(words: list[str], name: str, otherwise: float | None) -> float | None:
    try:
        return float(words[words.index(name) + 1])
    except (ValueError, IndexError):
        return otherwise


def _whole(words: list[str], name: str) -> int:
    value = _number(words, name, 0.0) or 0.0
    return int(value) if 0 <= value < 2**62 else 0
