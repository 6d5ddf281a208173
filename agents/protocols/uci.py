"""UCI for games whose package has its words (chess), and for nine men's morris as Sanmill speaks it.

Sanmill's moves are `d6` and `d6-d5`, a removal `xb4` is a separate move: if a mill has been closed and no man taken
yet, `go` answers with the removal. Its scores are white's, whoever is to move. UCI has no errors: `info string` reports
invalid commands, and the position stays as it was.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from typing import Any

from agents import registry
from agents.agent import AgentError, Answer, Limits, NoMove
from agents.players import PlayerSpec
from agents.protocols import ENGINE_NAME, VERSION, Say
from agents.protocols.sanmill import Standing
from agents.protocols.thinking import READY_S, Thinking
from agents.protocols.uci_words import games_with_words, words_of
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
RESERVE_S = 0.05
"""Seconds kept back from every time limit for transmission."""


class UciSession:
    """A session with a graphical program or a referee."""

    def __init__(self, game: Any, player: PlayerSpec, say: Say) -> None:
        """Raises AgentError for another board of morris: its FEN and its readers know that of nine men."""
        if getattr(game.rules, "board", "nine") != "nine":
            raise AgentError(f"uci is spoken for morris on board nine, not on board {game.rules.board}")
        self._game, self._spec, self._say, self._words = game, player, say, words_of(game)
        self._thinking = Thinking(game, player, lambda text: self._answer_anything(text), self._tell)
        self._standing = Standing(game.initial())
        self._asked = self._standing
        self._planned: tuple[Any, Move] | None = None
        """The position and move of the last answer, whose removal is requested next."""
        self._endless = False
        self._move_s = 0.0
        """Seconds of a `go` without limits, as an option sets them; 0 is the player's own limits."""

    def hear(self, line: str) -> bool:
        """Executes a command."""
        words = line.split()
        match words[:1]:
            case []:
                return True
            case ["uci"]:
                self._introduce()
            case ["isready"]:
                if not self._thinking.busy:
                    self._thinking.wait_for_code(READY_S)
                self._say("readyok")
            case ["ucinewgame"]:
                self._thinking.forget(self._game)
                self._standing, self._planned = Standing(self._game.initial()), None
            case ["position"]:
                self._set_position(words[1:])
            case ["setoption"]:
                self._set_option(line)
            case ["go"]:
                self._go(words[1:])
            case ["stop"]:
                self._thinking.stop()
            case ["quit"]:
                self._thinking.stop()
                self._thinking.leave()
                return False
            case ["ponderhit" | "debug" | "register"]:
                pass
            case _:
                self._tell(f"unknown command {words[0][:40]!r}")
        return True

    def close(self) -> None:
        """Waits for limited thinking to end; stops endless thinking at once."""
        if self._endless:
            self._thinking.stop()
        self._thinking.finish()
        self._thinking.leave()

    def _tell(self, text: str) -> None:
        self._say(f"info string {text}")

    def _introduce(self) -> None:
        self._say(f"id name {ENGINE_NAME} {VERSION} {self._spec.text}")
        self._say("id author the Kibitzer developers")
        if "table_mb" in (field.name for field in dataclasses.fields(registry.find(self._spec.agent).Options)):
            self._say(f"option name Hash type spin default {HASH_MB} min 1 max {MAX_HASH_MB}")
        if switch := self._words.switch:
            self._say(f"option name {switch} type check default {str(self._words.is_switched(self._game)).lower()}")
        for name, most, _ in MOVE_TIMES.values():
            self._say(f"option name {name} type spin default 0 min 0 max {most}")
        self._say("uciok")

    def _set_option(self, line: str) -> None:
        name, _, value = line.partition("name ")[2].partition(" value ")
        name, value = name.strip(), value.strip()
        if name.lower() in MOVE_TIMES:
            title, most, unit_s = MOVE_TIMES[name.lower()]
            if not (value.isascii() and value.isdigit() and len(value) < 9 and int(value) <= most):
                self._tell(f"{title} is a whole number from 0 to {most}, not {value[:40]!r}")
                return
            self._move_s = int(value) * unit_s
        elif name.lower() == "hash":
            try:
                self._thinking.forget(self._game, table_mb=value)
            except AgentError as error:
                self._tell(str(error))
        elif self._words.switch and name.lower() == self._words.switch.lower():
            self._set_switch(value.lower())
        else:
            self._tell(f"there is no option {name[:40]!r}")

    def _set_switch(self, value: str) -> None:
        if value not in ("true", "false"):
            self._tell(f"{self._words.switch} is true or false, not {value[:40]!r}")
        elif (value == "true") != self._words.is_switched(self._game):
            self._game = self._words.switched(self._game, value == "true")
            self._thinking.forget(self._game)
            self._standing, self._planned = Standing(self._game.initial()), None

    def _set_position(self, words: Sequence[str]) -> None:
        self._thinking.stop()
        try:
            self._standing = self._words.read(self._game, words)
        except GameError as error:
            self._tell(f"position not changed: {error}")

    def _go(self, words: Sequence[str]) -> None:
        try:
            limits = self._limits(words)
        except ValueError as error:
            self._tell(f"go: {error}")
            return
        self._thinking.stop()
        asked = self._asked = self._standing
        self._endless = "infinite" in words
        if asked.journey is None and self._game.outcome(asked.position) is not None:
            self._say(f"bestmove {self._words.nothing}")
        elif asked.journey is None:
            self._thinking.begin(lambda stop: self._choose(asked.position, limits, stop))
        else:
            self._thinking.begin(lambda stop: self._choose_removal(asked, limits, stop))

    def _limits(self, words: Sequence[str]) -> Limits:
        """The limits given by the words of `go`. Raises ValueError."""
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
            self._say(f"bestmove {self._words.nothing}")
            return
        self._planned = (position, answer.move)
        mine = self._words.mover_scores or self._game.to_move(position) == 0
        self._say(self._info(position, answer, 1 if mine else -1))
        self._say(f"bestmove {self._words.tokens(self._game, position, answer.move)[0]}")

    def _choose_removal(self, standing: Standing, limits: Limits, stop: threading.Event) -> None:
        moves = standing.removals(self._game)
        move = next((one for one in moves if self._planned == (standing.position, one)), None)
        if move is None:
            share = Limits(
                None if limits.time_s is None else limits.time_s / len(moves),
                None if limits.depth is None else max(limits.depth - 1, 1),
                None if limits.nodes is None else max(limits.nodes // len(moves), 1),
            )
            move = max(moves, key=lambda one: self._value(standing.position, one, share, stop))
        self._say(f"bestmove {self._words.tokens(self._game, standing.position, move)[1]}")

    def _value(self, position: Any, move: Move, limits: Limits, stop: threading.Event) -> float:
        """The score of a move for the mover."""
        after = self._game.apply(position, move)
        if (outcome := self._game.outcome(after)) is not None:
            return 0.0 if outcome.winner is None else float(WIN if outcome.winner == position.side else -WIN)
        return -(self._thinking.agent.choose(after, limits, stop).score or 0.0)

    def _answer_anything(self, text: str) -> None:
        """Answers with any legal move after thinking has failed, so that the game can continue."""
        self._tell(text)
        game, asked = self._game, self._asked
        if asked.journey is not None:
            self._say(f"bestmove {self._words.tokens(game, asked.position, asked.removals(game)[0])[1]}")
        elif moves := game.legal_moves(asked.position):
            self._say(f"bestmove {self._words.tokens(game, asked.position, moves[0])[0]}")

    def _info(self, position: Any, answer: Answer, sign: int) -> str:
        """The report on a search; `sign` turns the mover's score into the one that is told."""
        tokens, game = list[str](), self._game
        for text in answer.pv:
            move = game.parse_move(position, text)
            tokens += self._words.tokens(game, position, move)
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


def _number(name: str, words: Sequence[str]) -> int | None:
    """The number after a word of `go`; None if the word is missing. Raises ValueError."""
    if name not in words:
        return None
    value = next(iter(words[words.index(name) + 1 :]), "")
    if not value.removeprefix("-").isdigit() or len(value) > 15:
        raise ValueError(f"{name} is followed by a whole number, not {value[:40]!r}")
    return max(int(value), 0)


SESSION = UciSession
MORE_GAMES = games_with_words
