"""The protocol of Gomocup and its managers, for gomoku: START, BEGIN, TURN, BOARD, INFO, TAKEBACK, RESTART, END.

Points are `x,y` from the top left, counted from 0. Boards of 15 and 19 lines are played. `INFO rule` chooses free
style (0), exact five (1), renju (4), caro (8), or caro with exact five (9). Commands that cannot be carried out get
ERROR, unknown ones UNKNOWN.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import games
from agents.agent import Limits
from agents.players import PlayerSpec
from agents.protocols import ENGINE_NAME, VERSION
from agents.protocols.session import MIN_S, MOVES_LEFT, Say, Session, usable, whole
from games.gomoku import Gomoku, Move, Position
from wording.outside import clean

GAME = "gomoku"
GAMES = (GAME,)
SIZES = (15, 19)
ROW_RULES = ("exact_five", "renju", "caro")
RULES: dict[int, tuple[str, ...]] = {0: (), 1: ("exact_five",), 4: ("renju",), 8: ("caro",), 9: ("exact_five", "caro")}
"""Those of ROW_RULES that are on, by the number that INFO rule gives."""
MINE, THEIRS, WINNING = 1, 2, 3


class GomocupSession(Session):
    protocol = "gomocup"
    _game: Gomoku
    ends = ("end",)

    def __init__(self, game: Gomoku, player: PlayerSpec, say: Say) -> None:
        super().__init__(game, player, say)
        self._stones: list[tuple[int, int]] = []
        """Cell and owner, MINE or THEIRS, in the order laid."""
        self._started = False
        self._skipping = False
        """Whether the lines of a board follow that an unknown command tells."""
        self._listed: list[str] | None = None
        """Lines of a BOARD command collected until its DONE."""
        self._turn_s: float | None = None
        self._left_s: float | None = None

    def _obey(self, name: str, rest: str, line: str) -> None:
        self._thinking.finish()
        if self._skipping and line:
            self._skipping = line.upper() != "DONE"
        elif self._listed is not None and line:
            self._list(line)
        else:
            super()._obey(name, rest, line)

    def _refuse(self, text: str) -> None:
        self._listed = None
        self._say(f"ERROR {text}")

    def _unknown(self, word: str) -> None:
        self._skipping = word.upper().endswith("BOARD")
        self._say(f"UNKNOWN {clean(word.upper(), 40)}")

    def do_start(self, rest: str) -> None:
        self._start(whole(rest, "START"))

    def do_rectstart(self, rest: str) -> None:
        width, height = _pair(rest)
        if width != height:
            raise ValueError(f"boards are square, not {width} by {height}")
        self._start(width)

    def do_restart(self, _rest: str) -> None:
        self._begun()
        self._start(self._game.size)

    def do_begin(self, _rest: str) -> None:
        self._begun()
        if self._stones:
            raise ValueError(f"BEGIN opens an empty board, but {len(self._stones)} stones are on it")
        self._answer()

    def do_turn(self, rest: str) -> None:
        self._begun()
        self._lay(rest, THEIRS)
        self._answer()

    def do_board(self, _rest: str) -> None:
        self._begun()
        self._listed = []

    def do_about(self, _rest: str) -> None:
        self._say(f'name="{ENGINE_NAME}", version="{VERSION}", author="the Kibitzer developers", country="-"')

    def _begun(self) -> None:
        if not self._started:
            raise ValueError("START comes first")

    def _start(self, size: int) -> None:
        if size not in SIZES:
            raise ValueError(f"boards have {' or '.join(map(str, SIZES))} lines, not {size}")
        self._set_rules(size=str(size))
        self._thinking.wait_for_code()
        self._stones, self._started = [], True
        self._say("OK")

    def _set_rules(self, **changed: object) -> None:
        game = games.load(GAME, vars(self._game.rules) | changed)
        assert isinstance(game, Gomoku)
        self._thinking.forget(game)
        self._game = game

    def _cell(self, text: str) -> int:
        x, y = _pair(text)
        if not (0 <= x < self._game.size and 0 <= y < self._game.size):
            raise ValueError(f"{x},{y} is no point: both are 0 to {self._game.size - 1}")
        return y * self._game.size + x

    def _lay(self, text: str, owner: int) -> None:
        cell = self._cell(text)
        if any(cell == taken for taken, _ in self._stones):
            raise ValueError(f"{text} is occupied")
        if owner == THEIRS:
            position = self._position(to_move=THEIRS)
            if (outcome := self._game.outcome(position)) is not None:
                raise ValueError(f"the game is over: {outcome.reason}")
            self._game.apply(position, Move(cell))
        self._stones.append((cell, owner))

    def do_takeback(self, text: str) -> None:
        self._begun()
        cell = self._cell(text)
        if not self._stones or self._stones[-1][0] != cell:
            raise ValueError(f"{text} is not the last stone laid")
        self._stones.pop()
        self._say("OK")

    def _list(self, line: str) -> None:
        assert self._listed is not None
        if line.upper() != "DONE":
            self._listed.append(line)
            if len(self._listed) > self._game.size**2:
                raise ValueError("BOARD lists more stones than there are points")
            return
        lines, self._listed = self._listed, None
        stones = []
        for text in lines:
            x, y, owner = _numbers(text, 3)
            if owner not in (MINE, THEIRS, WINNING):
                raise ValueError(f"{text!r}: a stone is {MINE} (mine) or {THEIRS} (the enemy's), not {owner}")
            stones.append((self._cell(f"{x},{y}"), MINE if owner == WINNING else owner))
        if len({cell for cell, _ in stones}) != len(stones):
            raise ValueError("BOARD lists a point twice")
        self._stones = stones
        self._answer()

    def _position(self, to_move: int = MINE) -> Position:
        """Position of the stones; the side to move is black if it laid as many as the enemy. Raises ValueError."""
        owned = {owner: sum(1 << cell for cell, one in self._stones if one == owner) for owner in (MINE, THEIRS)}
        mover, other = owned[to_move], owned[MINE + THEIRS - to_move]
        ahead = other.bit_count() - mover.bit_count()
        if ahead not in (0, 1):
            raise ValueError(f"{mover.bit_count()} stones against {other.bit_count()}: it is not the mover's turn")
        position = Position((mover, other), 0) if ahead == 0 else Position((other, mover), 1)
        return position if self._game.rules.first == "black" else Position(position.stones[::-1], 1 - position.side)

    def _answer(self) -> None:
        position = self._position()
        if (outcome := self._game.outcome(position)) is not None:
            raise ValueError(f"the game is over: {outcome.reason}")
        limits = self._limits()
        self._thinking.begin(lambda stop: self._choose(position, limits, stop))

    def _choose(self, position: Position, limits: Limits, stop: threading.Event) -> None:
        move = self._thinking.agent.choose(position, limits, stop).move
        self._stones.append((move.cell, MINE))
        self._say(f"{move.cell % self._game.size},{move.cell // self._game.size}")

    def _limits(self) -> Limits:
        turn_s = None if self._turn_s is None else usable(self._turn_s)
        return self._within(turn_s, None if self._left_s is None else max(self._left_s / MOVES_LEFT, MIN_S))

    def do_info(self, rest: str) -> None:
        """Handles INFO, which is answered only in case of an error."""
        key, _, value = rest.partition(" ")
        match key.lower():
            case "timeout_turn":
                self._turn_s = whole(value, key) / 1000
            case "timeout_match":
                number = whole(value, key)
                self._left_s = number / 1000 if number else None
            case "time_left":
                number = whole(value, key)
                self._left_s = None if number >= 2**31 - 1 else number / 1000
            case "rule":
                number = whole(value, key)
                if number not in RULES:
                    raise ValueError(f"INFO rule is one of {', '.join(map(str, RULES))}, not {number}")
                if not self._stones:
                    self._set_rules(**{name: name in RULES[number] for name in ROW_RULES})
            case "max_memory":
                self._limit_memory(whole(value, key))

    def _limit_memory(self, limit: int) -> None:
        """Shrinks the agent's table, if it has one, to a quarter of the allowed memory."""
        if limit and self._spec.agent == "alphabeta" and limit // 4 < 32 << 20 and not self._stones:
            self._thinking.forget(self._game, table_mb=str(max(1, limit // 4 >> 20)))


def rule_number(rules: Any) -> int | None:
    """The number of the rules for rows; None if the protocol has none for them."""
    on = tuple(name for name in ROW_RULES if getattr(rules, name))
    return next((number for number, names in RULES.items() if names == on), None)


def _numbers(text: str, count: int) -> Sequence[int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != count or not all(part.isdigit() and len(part) < 6 for part in parts):
        raise ValueError(f"{text[:40]!r} is not {count} whole numbers joined by commas")
    return [int(part) for part in parts]


def _pair(text: str) -> tuple[int, int]:
    x, y = _numbers(text, 2)
    return x, y
