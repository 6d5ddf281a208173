"""The best moves, drawn on the board for those who may see them; searched again and longer while the position stands.

Never against an agent in earnest: two people must both want to see them, agents may be watched by anybody, and a game
of a person against an agent becomes practice by it, which the record says and the ranking leaves out.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.bus.hints import CLEAR, EVEN, FAR, Coach
from daemon.commands.command import mark_of
from daemon.game.effects import Effect
from daemon.judging import phrases
from daemon.judging.referee import Referee
from rules import AnyGame, GameError, Side, Step
from wording import Sentence, Value, sentence, sentence_n

FIRST_S, LONGER = 0.3, 3.0
"""Seconds of the first search of a position, and how many times longer each further one is."""
MAX_MOVES = 8
TRIES = 3
"""How often a position is asked about again if the process ends without an answer."""
REASONS: dict[str, Sentence] = {
    "wins_at_once": sentence("wins at once"),
    "five": sentence("makes five"),
    "open_four": sentence("makes five in two ways"),
    "four": sentence("makes a four"),
    "open_three": sentence("makes an open three"),
    "blocks_five": sentence("blocks a four"),
    "blocks_four": sentence("blocks an open three"),
    "closes_mill": sentence("closes a mill"),
    "double_mill": sentence("makes a double mill"),
    "opens_mill": sentence("opens a mill to close it again"),
    "blocks_mill": sentence("blocks a mill"),
    "threatens_mills": sentence("threatens two mills"),
    "threatens_mill": sentence("threatens a mill"),
    "shuts_in": sentence("leaves the other side no move"),
    "takes_corner": sentence("takes a corner"),
    "gives_corner": sentence("gives a corner away"),
    "carries": sentence("takes two men or more"),
    "captures": sentence("takes a man"),
    "saves": sentence("saves men that could be taken"),
    "exposes": sentence("leaves men that can be taken"),
    "if_held": sentence("for whoever holds this tile"),
}
"""What the codes of `agents.merits` are called."""


@dataclasses.dataclass(frozen=True)
class BestMove:
    text: str
    steps: tuple[Step, ...]
    label: str
    """Its value in a few signs, to be drawn on the board: +4, ★3."""
    spoken: Value
    value: Sentence
    why: tuple[Sentence, ...] = ()


@dataclasses.dataclass
class BestMoves:
    """What a match shows of its best moves. Used by one thread; copied, its state may be put back."""

    count: int = 3
    seconds: float = 3.0
    wishes: frozenset[Side] = frozenset()
    practice: bool = False
    """Whether a game against an agent does not count."""
    forbidden: bool = False
    """Whether nobody may see them, as in a puzzle."""
    _mark: str = ""
    """The position of the moves found, or that are being looked for."""
    _found: tuple[BestMove, ...] | None = None
    """None before the first search has ended."""
    _failed: int = 0
    """How often in a row the process gave no answer."""
    _next_s: float = 0.0
    """Seconds of the next search of this position; 0 once there is nothing more to find."""

    def are_shown(self, referee: Referee) -> bool:
        people = {side for side in (0, 1) if referee.agents[side] is None}
        agreed = bool(self.wishes) and people <= self.wishes and (len(people) != 1 or self.practice)
        return agreed and not self.forbidden and referee.outcome is None

    def show(self, referee: Referee) -> list[Effect]:
        self.wishes = frozenset((0, 1))
        if self.practice or referee.agents.count(None) != 1:
            return [referee.announce("best", sentence("The best moves are shown."))]
        self.practice = True
        said = sentence("The best moves are shown. The game is practice now: it does not count in the ranking.")
        return [referee.announce("practice", said)]

    def moves(self, referee: Referee, mark: str) -> tuple[BestMove, ...]:
        if mark != self._mark or referee.paused or not self.are_shown(referee):
            return ()
        return self._found or ()

    def has_looked(self, mark: str) -> bool:
        return mark == self._mark and self._found is not None

    def turn(self, coach: Coach, referee: Referee, game_id: str) -> None:
        """Takes what was found, and asks on; to be called often. Costs nothing while nobody wants to see them."""
        mark = mark_of(game_id, referee.moves)
        if (answer := coach.take_best()) is not None and answer[0] == mark == self._mark:
            self._take(referee, answer[1])
            self._failed = 0 if answer[1] else self._failed + 1
            if 0 < self._failed < TRIES:
                self._found, self._next_s = None, min(FIRST_S, self.seconds)
        if not self.are_shown(referee) or referee.paused:
            if self._mark:
                coach.give_up_best()
                self._mark, self._found = "", None
            return
        if mark != self._mark:
            coach.give_up_best()
            self._mark, self._found, self._failed, self._next_s = mark, None, 0, min(FIRST_S, self.seconds)
        if self._next_s and coach.ask_best(referee, game_id, self.count, self._next_s):
            longer = self._next_s * LONGER
            self._next_s = 0.0 if self._next_s >= self.seconds else min(longer, self.seconds)

    def _take(self, referee: Referee, text: str) -> None:
        """Takes an answer; an invalid one stops the search of this position."""
        try:
            told = json.loads(text)
            lead = None if told.get("lead") is None else float(told["lead"])
            answers = list(told["best"])[:MAX_MOVES]
            found = tuple(best_move(referee.game, referee.position, one, lead) for one in answers)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, GameError):
            self._found, self._next_s = self._found or (), 0.0
            return
        self._found = found
        if all(one.get("proven") is True for one in answers):
            self._next_s = 0.0


def best_move(game: AnyGame, position: Any, told: Mapping[str, Any], lead: float | None) -> BestMove:
    """A move as `agents.best_moves` told it. Raises ValueError, KeyError, TypeError, GameError."""
    text = str(told["move"])[:64]
    move = game.parse_move(position, text)
    label, value = valued(told, lead)
    why = tuple(REASONS[code] for code in told.get("why", ()) if code in REASONS)
    return BestMove(text, game.steps(position, move), label, phrases.spoken_move(game, position, move), value, why)


def valued(told: Mapping[str, Any], lead: float | None) -> tuple[str, Sentence]:
    """A value in a few signs and in words. Raises TypeError, ValueError."""
    ends, men = (_whole(told.get(name)) for name in ("ends", "men"))
    proven, score = told.get("proven") is True, float(told["score"])
    unit, amount = told.get("unit"), told.get("amount")
    if ends:
        moves = max(1, (abs(ends) + 1) // 2)
        if ends > 0:
            return f"★{moves}", sentence_n("wins in {count} move", "wins in {count} moves", moves)
        return f"†{moves}", sentence_n("loses in {count} move", "loses in {count} moves", moves)
    if amount is not None and unit == "point":
        points = round(amount)
        return signed(points), sentence_n("{count} point", "{count} points", points)
    if amount is not None and unit == "disc":
        return signed(round(amount)), _discs(round(amount), proven)
    if proven and not score:
        return "=", sentence("draws")
    grade, words = _grade(score, lead)
    if not men:
        return grade, words
    count = abs(men)
    if men > 0:
        won = sentence_n("{grade}, wins {count} man", "{grade}, wins {count} men", count, grade=words)
    else:
        won = sentence_n("{grade}, loses {count} man", "{grade}, loses {count} men", count, grade=words)
    return signed(men), won


def _whole(value: object) -> int | None:
    if value is None:
        return None
    if type(value) is not int:
        raise TypeError(f"a whole number or null, not {value!r}")
    return value


def signed(number: int) -> str:
    return "=" if not number else f"+{number}" if number > 0 else f"−{-number}"


def _discs(discs: int, proven: bool) -> Sentence:
    count = abs(discs)
    if not discs:
        return sentence("draws") if proven else sentence("even")
    if proven and discs > 0:
        return sentence_n("wins by {count} disc", "wins by {count} discs", count)
    if proven:
        return sentence_n("loses by {count} disc", "loses by {count} discs", count)
    if discs > 0:
        return sentence_n("{count} disc ahead", "{count} discs ahead", count)
    return sentence_n("{count} disc behind", "{count} discs behind", count)


GRADES: tuple[tuple[float, str, Sentence, Sentence], ...] = (
    (FAR, "+++", sentence("winning advantage"), sentence("lost, as it looks")),
    (CLEAR, "++", sentence("clear advantage"), sentence("clear disadvantage")),
    (EVEN, "+", sentence("small advantage"), sentence("small disadvantage")),
)
"""From that share of a clear advantage on: signs and words for who is ahead and who is behind."""


def _grade(score: float, lead: float | None) -> tuple[str, Sentence]:
    share = score / (lead or abs(score) or 1.0)
    for least, signs, ahead, behind in GRADES:
        if abs(share) >= least:
            return (signs, ahead) if share > 0 else (signs.replace("+", "−"), behind)
    return "=", sentence("even")


def steps_and_labels(moves: Sequence[BestMove]) -> tuple[tuple[tuple[Step, ...], str], ...]:
    return tuple((one.steps, one.label) for one in moves)
