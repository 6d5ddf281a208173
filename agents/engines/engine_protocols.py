"""Asks a running engine for a move, for each protocol; move texts are in our own notation."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import threading
import time
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import games
from agents.agent import Limits
from agents.engines import Engine
from agents.engines.process import SHOWN, EngineError, EngineProcess, EngineSilent
from agents.engines.uci import STOP_S, Found, Uci
from agents.protocols import ggf, gomocup, gtp, sanmill
from agents.search import MAX_DEPTH
from rules import EMPTY, AnyGame, MoveError
from rules.stones import COLOURS, PIECES

NBOARD_DEPTH = 12
"""Plies asked of an engine that gets no time limit, if neither limits nor options give a depth."""
NBOARD_MOVE = r"===\s*([^\s/]+)(?:(?:\s+|/)(-?\d+(?:\.\d+)?))?"
COST_OF_A_PLY = 2.5
"""How many times longer a ply deeper takes in reversi, about."""
MAX_KNOWN = 128
"""Positions whose commands are kept: more than a game of reversi has turns, 60 discs and passes between them."""
NO_MATCH_LIMIT = 2**31 - 1
RESIGNS, PASS = "resign", "pass"
MAX_ANSWER_LINES = 1000
NEEDED = {"boardsize", "clear_board", "genmove", "play"}
"""Commands of GTP."""
GRHINO_SETUP = "grhino-setup_board"
"""Takes the board from the top left, and who is to move."""
GRHINO_DISCS = str.maketrans("BW", "XO") | {ord(EMPTY): "-"}
NOTHING, LONGER = ("none", "(none)", "0000"), 2.0
"""Answers that are no move, and how many times longer an engine is let think that gave one though there are moves."""
SETTLED_S = 0.05
"""Seconds after its move from which a Gomocup engine hears: Rapfi loses what comes within 20 ms."""
REMOVAL_SHARE = 0.1
"""Share of the thinking time that the choice of the man to take gets at least."""


@dataclasses.dataclass
class Question:
    process: EngineProcess
    game: Any
    position: Any
    limits: Limits
    think_s: float
    wait_s: float
    stop: threading.Event

    def expect(self, pattern: str, deadline_s: float, refusal: str = r"(?!)") -> re.Match[str]:
        """The next line of the engine that the pattern matches. Raises EngineError, EngineStopped."""
        return self.process.expect(pattern, deadline_s, self.stop, refusal)


class EngineProtocol(Protocol):
    """One protocol from the side of the program that runs the engine. Methods raise EngineError."""

    coarseness: ClassVar[int] = 1
    """How hard it is to make an engine use so much time: 1 where it is told milliseconds, 2 plies, 3 whole seconds."""

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None: ...

    def ask(self, question: Question) -> Found: ...

    def rehearse(self, question: Question) -> None:
        """Asks for a move that is not played, where the engine's next move does not depend on that."""
        self.ask(question)

    def rest(self) -> None:
        """Waits until the engine hears what it is told."""
        return

    @staticmethod
    def untold(rules: Any) -> str:
        """The rule option that the protocol cannot tell an engine, as `name=value`; empty where it can tell all."""
        return ""


class UciProtocol(EngineProtocol):
    """UCI, for games that have a module `uci` in their package, such as chess: scores are the mover's.

    Morris is spoken as Sanmill does: a second `go` asks for the removal, and scores are white's.
    """

    def __init__(self) -> None:
        self._holds_over = False
        """Whether the engine holds a draw that may be claimed for the end; outlives an engine that is started again."""

    @staticmethod
    def untold(rules: Any) -> str:
        """A FEN knows the usual board, the men and whose turn it is."""
        return first_set(rules, "board", "one_time_mills", "no_return")

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        texts = games.part_of(game.name, "uci")
        needed = {} if texts is None else texts.options(game)
        known = sanmill.options(game) if texts is None else {}
        self._uci = Uci(process, {**needed, **options}, deadline_s, known)

    def ask(self, question: Question) -> Found:
        self._uci.hear_out(question.wait_s, question.stop)
        texts = games.part_of(question.game.name, "uci")
        if texts is not None:
            return self._asked(question, texts)
        fen, began_s = sanmill.to_fen(question.game, question.position), time.monotonic()
        answer = self._best(question, f"fen {fen}", question.think_s)
        try:
            question.game.parse_move(question.position, answer.move)
        except MoveError as error:
            if error.rule == "must_remove":
                left_s = question.think_s - (time.monotonic() - began_s)
                think_s = max(left_s, REMOVAL_SHARE * question.think_s)
                removal = self._best(question, f"fen {fen} moves {answer.move}", think_s)
                return dataclasses.replace(answer, move=answer.move + removal.move, nodes=answer.nodes + removal.nodes)
        return answer

    def _asked(self, question: Question, texts: Any) -> Found:
        """The answer for a game that has words for UCI.

        Where a draw may be claimed the game goes on until somebody does. Sjaak II 1.4.1 gives no answer there, nor does
        GNU Chess 6.2.7: from then on they are told such a position as if it came for the first time.
        """
        game, position = question.game, question.position
        claimable = not all(texts.text(game, position, move) for move in game.legal_moves(position))
        line = texts.line(game, position)
        alone = texts.line(game, texts.alone(position)) if claimable else line
        try:
            return self._search(question, alone if self._holds_over else line, question.think_s, alone)
        except EngineSilent:
            self._holds_over |= claimable
            raise

    def _best(self, question: Question, position: str, think_s: float) -> Found:
        found = self._search(question, position, think_s)
        sign = 1 if question.game.to_move(question.position) == 0 else -1
        score = None if found.score is None else sign * found.score
        return dataclasses.replace(found, move=found.move.lower(), score=score)

    def _search(self, question: Question, position: str, think_s: float, again: str = "") -> Found:
        found = self._uci.best(position, question.limits, think_s, question.wait_s, question.stop)
        if found.move.lower() in NOTHING:  # a busy computer left no time for any move
            position = again or position
            found = self._uci.best(position, question.limits, LONGER * think_s, question.wait_s, question.stop)
        return found


class GtpRefused(EngineError):
    """A command that the engine answered with `?`."""


class Gtp:
    """GTP, version 2: numbered commands, `=` answers and `?` refusals. It knows no game."""

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


class GtpProtocol(EngineProtocol):
    """GTP for go, gomoku and reversi: keeps the engine's board in step by `play`.

    GTP tells moves, not positions. Gomoku's stones may be told in any order. A game of reversi or go is followed from
    its start; of a position of unknown origin go's stones are told, and reversi is set up by GRhino's own command.
    """

    coarseness = 3

    def __init__(self) -> None:
        self._lines: dict[Any, list[str]] = {}
        """Commands that lead to the last MAX_KNOWN positions, from a cleared board or a set-up."""
        self._last: Any = None

    @staticmethod
    def untold(rules: Any) -> str:
        """GTP names no rules, and a turn is a point or a pass; reversi's other starts are set up."""
        return first_set(rules, "exact_five", "renju", "caro", "swap2", "opening")

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        self._gtp = Gtp(process, deadline_s)
        self._gtp.ask(f"boardsize {round(len(game.cells) ** 0.5)}", deadline_s)
        if komi := getattr(game.rules, "komi", ""):
            self._gtp.ask(f"komi {komi}", deadline_s)
        for name, value in options.items():
            self._gtp.ask(f"{name} {value}", deadline_s)
        self._told: list[str] = []
        """What made the engine's board as it is."""
        self._clock = ""

    def ask(self, question: Question) -> Found:
        """Tells the moves that are new, or all of them where the line has changed, then asks for one."""
        game, position = question.game, question.position
        deadline_s = deadline_in(question.wait_s)
        line = self._laid(game, position) if game.name == "gomoku" else self._line(game, position)
        new = line[len(self._told) :] if self._told and line[: len(self._told)] == self._told else line
        for command in new:
            try:
                self._gtp.ask(command, deadline_s, question.stop)
            except GtpRefused:
                if not command.endswith(" PASS"):  # GRhino passes by itself where it must, and cannot be told
                    raise
        self._told = line
        if question.limits.time_s is not None and "time_settings" in self._gtp.commands:
            clock = f"time_settings 0 {max(int(question.think_s), 1)} 1"  # GTP counts whole seconds
            if clock != self._clock:
                self._gtp.ask(clock, deadline_s, question.stop)
                self._clock = clock
        colour = _gtp_colour(game, position)
        vertex = self._gtp.ask(f"genmove {colour}", deadline_s, question.stop)
        if vertex.lower() == RESIGNS:
            vertex = PASS  # nobody gives up for an engine: it plays on, and loses
        self._told = [*line, f"play {colour} {vertex.upper()}"]
        return Found(gtp.from_vertex(game, vertex))

    def rehearse(self, question: Question) -> None:
        """Does nothing: an engine that knows no time would think as long as ever, and the move is on its board."""

    def _laid(self, game: Any, position: Any) -> list[str]:
        """The stones: what the engine knows already, if it is still there, then the others, the colours in turn."""
        points = [*zip(game.cells, game.board(position), strict=True)]
        colours = (
            [f"play {colour} {gtp.to_vertex(game, name).upper()}" for name, letter in points if letter == piece]
            for colour, piece in zip(COLOURS, PIECES, strict=True)
        )
        all_of_them = [command for pair in itertools.zip_longest(*colours) for command in pair if command]
        known = self._told if self._told and set(self._told[1:]) <= set(all_of_them) else ["clear_board"]
        return [*known, *(command for command in all_of_them if command not in known)]

    def _line(self, game: Any, position: Any) -> list[str]:
        """Commands that lead to the position. Raises EngineError where the protocol has none."""
        known = self._lines
        start = game.initial()
        if game.rules == type(game.rules)() or not game.board(start).strip(EMPTY):  # a cleared board is the usual start
            known.setdefault(start, ["clear_board"])
        if position not in known:
            for before in (self._last, start):
                if before in known and (moves := _moves_between(game, before, position)) is not None:
                    known[position] = known[before] + moves
                    break
            else:
                if game.name != "go" and GRHINO_SETUP not in self._gtp.commands:
                    raise EngineError("cannot be told this position: GTP tells only moves from the usual start")
                board = game.board(position).translate(GRHINO_DISCS)
                set_up = [f"{GRHINO_SETUP} {board} {_gtp_colour(game, position)}"]
                known[position] = self._laid(game, position) if game.name == "go" else set_up
        self._last = position
        line = known[position]
        while len(known) > MAX_KNOWN:
            del known[next(iter(known))]
        return line


def _gtp_colour(game: Any, position: Any) -> str:
    side = game.colour(position) if game.name == "gomoku" else game.to_move(position)
    return ("black", "white")[side]


def _moves_between(game: Any, before: Any, after: Any, plies: int = 2) -> list[str] | None:
    """At most that many moves from one position to another, as commands; the next two turns are one of each side."""
    if not game.may_become(game.board(before), game.board(after), plies):
        return None
    for move in game.legal_moves(before) if plies else ():
        here = game.apply(before, move)
        rest = [] if here == after else _moves_between(game, here, after, plies - 1)
        if rest is not None:
            vertex = gtp.to_vertex(game, game.format_move(before, move)).upper()
            return [f"play {_gtp_colour(game, before)} {vertex}", *rest]
    return None


class NBoardProtocol(EngineProtocol):
    """NBoard for reversi: sets the position anew before asking for each move.

    It has no command for a time limit. The game tells the clock (`TI`), and the depth is fitted to the time: an engine
    that is late is interrupted by a ping, as the protocol asks of it, and looks less deep from then on. A depth is said
    only when it changes, because an engine may load its opening book anew for it.
    """

    coarseness = 2

    def __init__(self) -> None:
        self._pings = 0

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        process.say("nboard 2")
        for name, value in options.items():
            process.say(f"set {name} {value}")
        self._most = int(options["depth"]) if options.get("depth", "").isdecimal() else 0
        """The depth that the options set; 0 is as deep as the time allows."""
        self._fitting = self._most or NBOARD_DEPTH
        self._said = 0
        process.expect(self._ping(process), deadline_s)

    def _ping(self, process: EngineProcess) -> str:
        """Sends a ping, and returns the pattern of its answer."""
        self._pings += 1
        process.say(f"ping {self._pings}")
        return rf"pong {self._pings}\b"

    def ask(self, question: Question) -> Found:
        process, game, position = question.process, question.game, question.position
        deadline_s = deadline_in(question.wait_s)
        timed = question.limits.time_s is not None
        process.say(f"set game {ggf.write(game, position, question.think_s if timed else 0.0)}")
        while True:
            depth = question.limits.depth or self._fitting
            if depth != self._said:
                process.say(f"set depth {depth}")
                self._said = depth
            question.expect(self._ping(process), deadline_s)
            began_s = time.monotonic()
            process.say("go")
            limit_s = min(began_s + question.think_s + STOP_S, deadline_s) if timed else deadline_s
            try:
                found = question.expect(NBOARD_MOVE, limit_s)
            except EngineSilent:
                if limit_s >= deadline_s:
                    raise
                found = question.expect(f"{NBOARD_MOVE}|{self._ping(process)}", deadline_s)
            if timed and not question.limits.depth:
                self._fit((time.monotonic() - began_s) / question.think_s)
            if found[1] is not None:
                move, score = found[1].lower(), None if found[2] is None else float(found[2])
                return Found("pass" if move in ggf.PASSES else move, score, depth)

    def _fit(self, share: float) -> None:
        """Fits the depth to the share of its time that an answer took; a ply costs about COST_OF_A_PLY times more."""
        if share > 1:
            self._fitting = max(self._fitting - math.ceil(math.log(share, COST_OF_A_PLY)), 1)
        elif share * COST_OF_A_PLY**2 < 1:
            self._fitting = min(self._fitting + 1, self._most or MAX_DEPTH)


class GomocupProtocol(EngineProtocol):
    @staticmethod
    def untold(rules: Any) -> str:
        """Openings have no number, and of the rules for rows only those that have a number."""
        numbered = gomocup.rule_number(rules) is not None
        return first_set(rules, "swap2", "opening", *(() if numbered else gomocup.ROW_RULES))

    def greet(self, process: EngineProcess, game: Any, options: Mapping[str, str], deadline_s: float) -> None:
        process.say(f"START {game.size}")
        process.expect(r"(?i)OK\b", deadline_s, refusal=r"(?i)ERROR\b")
        process.say(f"INFO rule {gomocup.rule_number(game.rules)}")
        process.say("INFO timeout_match 0")
        process.say(f"INFO time_left {NO_MATCH_LIMIT}")
        for name, value in options.items():
            process.say(f"INFO {name} {value}")
        self._fresh, self._answered_s = True, -SETTLED_S

    def ask(self, question: Question) -> Found:
        """Sends BEGIN on an empty board, else BOARD with the stones of both in turn, black's first."""
        process, game, position = question.process, question.game, question.position
        deadline_s = deadline_in(question.wait_s)
        self.rest()
        process.say(f"INFO timeout_turn {max(round(1000 * question.think_s), 1)}")
        stones = self._stones(game, position)
        if not stones:
            if not self._fresh:
                process.say("RESTART")
                question.expect(r"(?i)OK\b", deadline_s, refusal=r"(?i)ERROR\b")
            process.say("BEGIN")
        else:
            process.say("BOARD")
            for cell, owner in stones:
                process.say(f"{cell % game.size},{cell // game.size},{owner}")
            process.say("DONE")
        self._fresh = False
        found = question.expect(r"(\d+)\s*,\s*(\d+)\s*$", deadline_s, refusal=r"(?i)ERROR\b")
        self._answered_s = time.monotonic()
        column, row = int(found[1][:4]), int(found[2][:4])
        if column >= game.size or row >= game.size:
            return Found(f"{column},{row}")
        return Found(game.cells[row * game.size + column])

    def rest(self) -> None:
        time.sleep(max(0.0, self._answered_s + SETTLED_S - time.monotonic()))

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


PROTOCOLS: dict[str, type[EngineProtocol]] = {
    "uci": UciProtocol,
    "nboard": NBoardProtocol,
    "gomocup": GomocupProtocol,
    "gtp": GtpProtocol,
}


def obstacle(engine: Engine, game: AnyGame) -> str:
    """Why the engine cannot play the game under its rules; empty if it can."""
    if engine.game != game.name:
        return f"engine {engine.name} plays {engine.game}"
    untold = PROTOCOLS[engine.protocol].untold(game.rules)
    return untold and f"{engine.protocol} cannot tell engine {engine.name} of {untold}"


def first_set(rules: Any, *names: str) -> str:
    """The first of these rule options that a game has and that is not as usual, as `name=value`."""
    usual = type(rules)()
    changed = ((name, value) for name in names if (value := getattr(rules, name, None)) != getattr(usual, name, None))
    return next((f"{name}={str(value).lower()}" for name, value in changed), "")


def deadline_in(seconds: float) -> float:
    """The time on the monotonic clock that many seconds from now."""
    return time.monotonic() + seconds
