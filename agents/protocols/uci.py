"""UCI for games whose package has its words (chess), and for nine men's morris as Sanmill speaks it.

Sanmill's moves are `d6` and `d6-d5`, a removal `xb4` is a separate move: if a mill has been closed and no man taken
yet, `go` answers with the removal. Its scores are white's, whoever is to move. UCI has no errors: `info string` reports
invalid commands, and the position stays as it was.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import games
from agents import registry
from agents.agent import AgentError, Answer, Limits, NoMove
from agents.players import PlayerSpec
from agents.protocols import ENGINE_NAME, VERSION, sanmill
from agents.protocols.sanmill import Standing
from agents.protocols.session import READY_S, RESERVE_S, Say, Session
from agents.search import MAX_DEPTH, WIN
from games.nine_mens_morris import Move
from rules import GameError

GAMES = ("nine_mens_morris",)
ENDLESS_S = 86_400.0
HASH_MB = 32
MAX_HASH_MB = 1024
MOVE_TIMES = {"movetime": ("MoveTime", 3600, 1.0), "movetimems": ("MoveTimeMs", 3_600_000, 0.001)}
"""Sanmill's options for the time of a `go` without limits: name, most and seconds of one; 0 is no limit."""
CLOCK_SHARE = 25
"""Moves that the time left on a clock must suffice for."""


class UciSession(Session):
    protocol = "uci"

    def __init__(self, game: Any, player: PlayerSpec, say: Say) -> None:
        """Raises AgentError for another board of morris: its FEN and its readers know that of nine men."""
        if getattr(game.rules, "board", "nine") != "nine":
            raise AgentError(f"uci is spoken for morris on board nine, not on board {game.rules.board}")
        super().__init__(game, player, say)
        self._part: Any = games.part_of(game.name, "uci")
        """The game's own words; None for morris, which has Sanmill's."""
        self._switch = getattr(self._part, "SWITCH", "")
        """The option that is on or off and changes how the game is told; empty where there is none."""
        self._nothing = "none" if self._part is None else "0000"
        self._standing = Standing(game.initial())
        self._asked = self._standing
        self._planned: tuple[Any, Move] | None = None
        """The position and move of the last answer, whose removal is requested next."""
        self._refused = False
        """Whether the last position was refused: then no move is known to be asked for."""
        self._holding = threading.Lock()
        self._held: list[str] | None = None
        """What has been found and is told only after `stop` or `ponderhit`; None where it is told at once."""
        self._move_s = 0.0
        """Seconds of a `go` without limits, as an option sets them; 0 is the player's own limits."""

    def close(self) -> None:
        if self._held is not None:
            self._thinking.stop()
        self._release()
        super().close()

    def _release(self) -> None:
        """From now on what is found is told at once; what was held back is told."""
        with self._holding:
            held, self._held = self._held, None
        for line in held or ():
            self._say(line)

    def _found(self, *lines: str) -> None:
        with self._holding:
            if self._held is not None:
                self._held += lines
                return
        for line in lines:
            self._say(line)

    def _name_of(self, word: str) -> str:
        return word

    def _tell(self, text: str) -> None:
        self._say(f"info string {text}")

    def _refuse(self, text: str) -> None:
        self._tell(text)

    def _read(self, words: Sequence[str]) -> Standing:
        if self._part is None:
            return sanmill.read(self._game, words)
        return Standing(self._part.read(self._game, words))

    def _tokens(self, position: Any, move: Any) -> list[str]:
        """The words of a turn; for a move that UCI has no word for, that of the first other move."""
        if self._part is None:
            return sanmill.tokens(self._game.format_move(position, move))
        moves = (move, *self._game.legal_moves(position))
        return [next(text for one in moves if (text := self._part.text(self._game, position, one)))]

    def do_uci(self, _rest: str) -> None:
        self._say(f"id name {ENGINE_NAME} {VERSION} {self._spec.text}")
        self._say("id author the Kibitzer developers")
        if "table_mb" in registry.options_of(self._spec.agent):
            self._say(f"option name Hash type spin default {HASH_MB} min 1 max {MAX_HASH_MB}")
        if self._switch:
            on = self._part.is_switched(self._game)
            self._say(f"option name {self._switch} type check default {str(on).lower()}")
        for name, most, _ in MOVE_TIMES.values():
            self._say(f"option name {name} type spin default 0 min 0 max {most}")
        self._say("uciok")

    def do_isready(self, _rest: str) -> None:
        if not self._thinking.busy:
            self._thinking.wait_for_code(READY_S)
        self._say("readyok")

    def do_ucinewgame(self, _rest: str) -> None:
        self._thinking.forget(self._game)
        self._standing, self._planned, self._refused = Standing(self._game.initial()), None, False

    def do_stop(self, _rest: str) -> None:
        self._release()
        self._thinking.stop()

    def do_ponderhit(self, _rest: str) -> None:
        self._release()

    def do_debug(self, _rest: str) -> None:
        """Does nothing, like all of UCI that changes no answer."""

    do_register = do_debug

    def do_setoption(self, rest: str) -> None:
        name, _, value = rest.partition("name ")[2].partition(" value ")
        name, value = name.strip(), value.strip()
        if name.lower() in MOVE_TIMES:
            title, most, unit_s = MOVE_TIMES[name.lower()]
            if not (value.isascii() and value.isdigit() and len(value) < 9 and int(value) <= most):
                raise ValueError(f"{title} is a whole number from 0 to {most}, not {value[:40]!r}")
            self._move_s = int(value) * unit_s
        elif name.lower() == "hash":
            self._thinking.forget(self._game, table_mb=value)
        elif self._switch and name.lower() == self._switch.lower():
            if value.lower() not in ("true", "false"):
                raise ValueError(f"{self._switch} is true or false, not {value.lower()[:40]!r}")
            if (value.lower() == "true") != self._part.is_switched(self._game):
                self._game = self._part.switched(self._game, on=value.lower() == "true")
                self.do_ucinewgame("")
        else:
            raise ValueError(f"there is no option {name[:40]!r}")

    def do_position(self, rest: str) -> None:
        self._release()
        self._thinking.stop()
        self._refused = True
        try:
            self._standing = self._read(rest.split())
        except GameError as error:
            raise ValueError(f"position not changed: {error}") from None
        self._refused = False

    def do_go(self, rest: str) -> None:
        words = rest.split()
        limits = self._limits(words)
        self._release()
        self._thinking.stop()
        self._thinking.finish()
        asked = self._asked = self._standing
        self._held = [] if {"infinite", "ponder"} & set(words) else None
        only = self._only(asked.position, words) if asked.journey is None else None
        if self._refused or only == []:
            why = "the last position was refused" if self._refused else "none of searchmoves is legal"
            self._tell(f"no move: {why}")
            self._found(f"bestmove {self._nothing}")
        elif asked.journey is None and self._game.outcome(asked.position) is not None:
            self._found(f"bestmove {self._nothing}")
        elif only is not None:
            self._thinking.begin(lambda stop: self._choose_among(asked.position, only, limits, stop))
        elif asked.journey is None:
            self._thinking.begin(lambda stop: self._choose(asked.position, limits, stop))
        else:
            self._thinking.begin(lambda stop: self._choose_removal(asked, limits, stop))

    def _limits(self, words: Sequence[str]) -> Limits:
        if "infinite" in words:
            return Limits(time_s=ENDLESS_S)
        numbers = {name: _number(name, words) for name in ("depth", "nodes", "movetime", "wtime", "btime")}
        side = "wb"[self._standing.position.side]
        time_s: float | None = None
        if numbers["movetime"] is not None:
            time_s = max(numbers["movetime"] / 1000 - RESERVE_S, 0.01)
        elif (left := numbers["wtime" if side == "w" else "btime"]) is not None:
            increment = _number(f"{side}inc", words) or 0
            time_s = max(left / 1000 / CLOCK_SHARE + 0.8 * increment / 1000 - RESERVE_S, 0.01)
        depth, nodes = numbers["depth"], numbers["nodes"]
        if time_s is None and depth is None and nodes is None:
            return Limits(max(self._move_s - RESERVE_S, 0.01)) if self._move_s else self._spec.limits
        return Limits(time_s, None if depth is None else min(max(depth, 1), MAX_DEPTH), nodes)

    def _choose(self, position: Any, limits: Limits, stop: threading.Event) -> None:
        try:
            answer = self._thinking.agent.choose(position, limits, stop)
        except NoMove as error:
            self._tell(str(error))
            self._found(f"bestmove {self._nothing}")
            return
        self._planned = (position, answer.move)
        mine = self._part is not None or self._game.to_move(position) == 0  # Sanmill's scores are White's
        info = self._info(position, answer, 1 if mine else -1)
        self._found(info, f"bestmove {self._tokens(position, answer.move)[0]}")

    def _only(self, position: Any, words: Sequence[str]) -> list[Any] | None:
        """The legal moves of `searchmoves`, which alone may be played; None where it is missing."""
        if "searchmoves" not in words:
            return None
        named = {word.lower() for word in words[words.index("searchmoves") + 1 :]}
        return [one for one in self._game.legal_moves(position) if self._tokens(position, one)[0].lower() in named]

    def _choose_among(self, position: Any, moves: Sequence[Any], limits: Limits, stop: threading.Event) -> None:
        # Each move is searched by itself: without an end, the first would never let the others begin.
        share = _share(self._spec.limits if limits.time_s == ENDLESS_S else limits, len(moves))
        best = max(moves, key=lambda one: self._value(position, one, share, stop)) if len(moves) > 1 else moves[0]
        self._found(f"bestmove {self._tokens(position, best)[0]}")

    def _choose_removal(self, standing: Standing, limits: Limits, stop: threading.Event) -> None:
        moves = standing.removals(self._game)
        move = next((one for one in moves if self._planned == (standing.position, one)), None)
        if move is None:
            share = _share(limits, len(moves))
            move = max(moves, key=lambda one: self._value(standing.position, one, share, stop))
        self._found(f"bestmove {self._tokens(standing.position, move)[1]}")

    def _value(self, position: Any, move: Move, limits: Limits, stop: threading.Event) -> float:
        after = self._game.apply(position, move)
        if (outcome := self._game.outcome(after)) is not None:
            return 0.0 if outcome.winner is None else float(WIN if outcome.winner == position.side else -WIN)
        return -(self._thinking.agent.choose(after, limits, stop).score or 0.0)

    def _fail(self, text: str) -> None:
        """Answers with any legal move after thinking has failed, so that the game can continue."""
        self._tell(text)
        game, asked = self._game, self._asked
        if asked.journey is not None:
            self._found(f"bestmove {self._tokens(asked.position, asked.removals(game)[0])[1]}")
        elif moves := game.legal_moves(asked.position):
            self._found(f"bestmove {self._tokens(asked.position, moves[0])[0]}")

    def _info(self, position: Any, answer: Answer, sign: int) -> str:
        """The report on a search; `sign` turns the mover's score into the one that is told."""
        tokens, game = list[str](), self._game
        for text in answer.pv:
            move = game.parse_move(position, text)
            tokens += self._tokens(position, move)
            position = game.apply(position, move)
        line = " ".join(tokens)
        told = answer.told_score
        score = sign * (told or 0.0)
        shown = "" if told is None else f"score cp {round(score)} "
        if abs(score) > WIN - 2 * MAX_DEPTH:
            moves = (WIN - int(abs(score)) + 1) // 2
            shown = f"score mate {moves if score > 0 else -moves} "
        time_ms = round(1000 * answer.seconds)
        return f"info depth {answer.depth} {shown}nodes {answer.nodes} time {time_ms} pv {line}"


def _share(limits: Limits, moves: int) -> Limits:
    """What each of several moves may take, one ply later."""
    return Limits(
        None if limits.time_s is None else limits.time_s / moves,
        None if limits.depth is None else max(limits.depth - 1, 1),
        None if limits.nodes is None else max(limits.nodes // moves, 1),
    )


def _number(name: str, words: Sequence[str]) -> int | None:
    """The number after a word of `go`; None if the word is missing. Raises ValueError."""
    if name not in words:
        return None
    value = next(iter(words[words.index(name) + 1 :]), "")
    if not value.removeprefix("-").isdigit() or len(value) > 15:
        raise ValueError(f"go: {name} is followed by a whole number, not {value[:40]!r}")
    return max(int(value), 0)
