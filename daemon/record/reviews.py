"""Reviews of recorded games: what each move was worth, and that in words. Small files beside the journal, one per game.

They are made of the record and can be made again. A review counts only for the moves that it was made of.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

import games
from agents.values import SCORE, Value, accuracy
from calibration.atomic_file import write_private
from daemon.record.stored_game import StoredGame
from daemon.record.stored_line import history_of, score_sheet
from rules import GameError, HiddenHands
from system.numbers import number, whole
from wording import Decimal, Sentence, sentence, sentence_n

SUFFIX = ".reviews"
FORMAT = 1
"""Version of the files; others are made anew."""
MAX_BYTES = 16 << 20
SURE = 0.5
"""A share of the point beyond which a proven value is a win, below which it is a loss."""
LINE = 6
_GAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")


@dataclasses.dataclass(frozen=True)
class Best:
    move: str
    value: Value
    line: tuple[str, ...]
    """Expected moves, `move` first."""


@dataclasses.dataclass(frozen=True)
class Opinion:
    move: str
    score: float | None
    """In the engine's own unit."""


@dataclasses.dataclass(frozen=True)
class JudgedPly:
    """One move of a game, judged. The position after the last move has one, too, with neither move nor loss."""

    ply: int
    side: int
    value: Value
    best: Best | None
    """None where the game is over."""
    move: str = ""
    lost: float = 0.0
    """Share of the point that the move gave away, 0 to 1."""
    lost_amount: float | None = None
    """What it gave away in the review's unit."""
    mark: str = ""
    """slip, mistake, blunder, or empty."""
    fair: bool = True
    """False where nothing can be said: the move came from a hidden hand."""
    engine: Opinion | None = None

    @property
    def before(self) -> Value:
        """What the position before the move was worth to its side."""
        return self.value if self.best is None else self.best.value

    @staticmethod
    def of(told: Mapping[str, Any]) -> JudgedPly:
        """From an object of `kibitzer analyse`, or of a file. Raises ValueError."""
        return _reader().validate_json(json.dumps({"best": None, **told}), strict=True)


@functools.cache
def _reader() -> TypeAdapter[JudgedPly]:
    return TypeAdapter(JudgedPly)


@dataclasses.dataclass
class Review:
    """The judged moves of one game; those found so far while it is being made."""

    game_id: str
    played: str
    time_s: float
    engine: str = ""
    """Whose opinion was asked as well; empty for nobody's."""
    unit: str = ""
    """What `Value.amount` counts: disc, man, point, or nothing."""
    plies: int = 0
    """How many moves can be read."""
    fault: str = ""
    """Why the game can be read no further; empty if it can be read to its end."""
    engine_fault: str = ""
    """Why the engine's opinion is missing from some move back; empty where it has one about all."""
    judged: dict[int, JudgedPly] = dataclasses.field(default_factory=dict)
    """By ply. The one after the last stands for the last position."""

    @property
    def is_whole(self) -> bool:
        return len(self.judged) == self.plies + 1

    def add(self, told: Mapping[str, Any]) -> None:
        """Takes up an object of `kibitzer analyse`. Raises ValueError, TypeError, KeyError."""
        if "plies" in told:
            self.plies, self.unit, self.fault = whole(told["plies"]), str(told["unit"]), str(told["fault"])
            return
        one = JudgedPly.of(told)
        self.engine_fault = str(told.get("engine_fault", self.engine_fault))
        self.judged[one.ply] = one

    def copy(self) -> Review:
        return dataclasses.replace(self, judged=dict(self.judged))

    def moves(self) -> list[JudgedPly]:
        return [self.judged[ply] for ply in sorted(self.judged) if ply <= self.plies]

    def accuracy(self, side: int) -> float | None:
        """How accurate a side played, 0 to 100; None where nothing can be said."""
        return accuracy([one.lost for one in self.moves() if one.side == side and one.fair])

    def as_object(self) -> dict[str, Any]:
        """The review as a JSON-ready object; `of` reads it."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "judged"}
        judged = [dataclasses.asdict(self.judged[ply]) for ply in sorted(self.judged)]
        return {"format": FORMAT, **fields, "judged": judged}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Review:
        """From an object that `as_object` made. Raises ValueError, TypeError, KeyError."""
        if whole(told["format"]) != FORMAT:
            raise ValueError(f"format {told['format']!r} is not {FORMAT}")
        told = {"engine_fault": "", **told}  # files of earlier versions are without
        fields = {field.name: told[field.name] for field in dataclasses.fields(cls) if field.name != "judged"}
        fields |= {"plies": whole(fields["plies"]), "time_s": number(fields["time_s"])}
        return cls(**fields, judged={one.ply: one for one in map(JudgedPly.of, told["judged"])})


def fingerprint(stored: StoredGame) -> str:
    """Of what a review is about: the rules, the start and the moves."""
    words = [stored.game, json.dumps(dict(stored.rules), sort_keys=True), stored.start, *stored.moves]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def question(stored: StoredGame) -> dict[str, object]:
    """What `kibitzer analyse --moves -` must know of a game. Raises GameError if its rules are no longer there."""
    game = games.load(stored.game, stored.rules)
    asked: dict[str, object] = {"moves": list(stored.moves), "start": stored.start}
    if isinstance(game, HiddenHands) and stored.plies:
        with contextlib.suppress(GameError):  # then it is analysed as far as the moves can be read
            first = game.format_position(history_of(game, stored)[0])
            asked["positions"] = [first, *(ply.position for ply in stored.plies[:-1])]
    return asked


class Point(NamedTuple):
    ply: int
    height: float | None
    """0 to 1: the share of the point that the first side can expect; None where it is not known yet."""


def curve(stored: StoredGame, review: Review) -> list[Point]:
    """A point for every position, the start first.

    In games with hidden hands nobody can say who will win: there it is the lead in points, of the largest lead so far.
    """
    with contextlib.suppress(GameError):
        if isinstance(games.load(stored.game, stored.rules), HiddenHands):
            leads = [0, *(row.scores[0] - row.scores[1] for row in score_sheet(stored))]
            most = max(map(abs, leads)) or 1
            return [Point(ply, 0.5 + lead / most / 2) for ply, lead in enumerate(leads)]
    points = []
    for ply in range(review.plies + 1):
        one = review.judged.get(ply + 1)
        height = None if one is None else one.before.chance if one.side == 0 else 1 - one.before.chance
        points.append(Point(ply, height))
    return points


class Reviews:
    """The reviews kept beside one journal. Several threads and processes may use it at once."""

    def __init__(self, journal: Path) -> None:
        self.folder = journal.with_name(journal.name + SUFFIX)

    def read(self, stored: StoredGame) -> Review | None:
        """The review of a game as it stands now; None if there is none, or if its moves have changed since."""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            path = self._path(stored.game_id)
            if path.is_file() and path.stat().st_size <= MAX_BYTES:
                review = Review.of(json.loads(path.read_bytes()))
                if review.played == fingerprint(stored):
                    return review
        return None

    def keep(self, review: Review) -> None:
        """Writes a review in place of an earlier one. Raises OSError, ValueError for an invalid id."""
        write_private(self._path(review.game_id), json.dumps(review.as_object()).encode())

    def forget(self, game_id: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._path(game_id).unlink(missing_ok=True)

    def _path(self, game_id: str) -> Path:
        if _GAME.fullmatch(game_id) is None:
            raise ValueError(f"{game_id[:80]!r} is no id of a game")
        return self.folder / f"{game_id}.json"


def worth(value: Value, unit: str) -> Sentence:
    """What a position or a move is worth to its side, in a few words; `unit` is that of `agents.values.Scale`."""
    if value.plies is not None:
        moves = (value.plies + 1) // 2
        if value.chance > SURE:
            return sentence_n("wins in {count} move", "wins in {count} moves", moves)
        if not moves:
            return sentence("lost")
        return sentence_n("loses in {count} move", "loses in {count} moves", moves)
    if value.exact and value.chance == SURE:
        return sentence("draw")
    if value.amount is None or not unit:
        return sentence("{percent} %", percent=round(100 * value.chance))
    exact = value.exact and unit == "disc"
    amount = Decimal(f"{value.amount + 0.0:+.0f}" if exact else f"{value.amount + 0.0:+.1f}")
    if unit == "disc":
        return sentence("{amount} discs", amount=amount)
    if unit == "point":
        return sentence("{amount} points", amount=amount)
    if unit == SCORE:
        return sentence("score {amount}", amount=amount)
    return sentence("{amount} men", amount=amount)


def loss(lost: float, amount: float | None, unit: str) -> Sentence:
    """What a move gave away: units where there are some, else the share of the point; empty units count as none."""
    percent = round(100 * lost)
    if amount is None or not unit:
        return sentence("gives away {percent} %", percent=percent)
    given = Decimal(f"{amount:.1f}")
    if unit == "disc":
        return sentence("gives away {amount} discs, {percent} %", amount=given, percent=percent)
    if unit == "point":
        return sentence("gives away {amount} points", amount=given)
    if unit == SCORE:
        return sentence("gives away {amount}", amount=given)
    return sentence("gives away {amount} men, {percent} %", amount=given, percent=percent)


def comment(one: JudgedPly, unit: str) -> str:
    """What the move is worth, what it gave away, and what was better, as a comment in a file."""
    text = f"{worth(one.value, unit)}{', proven' if one.value.exact else ''}"
    if not one.fair:
        return f"{text}; from a hand that nobody saw"
    if has_better(one) and one.best is not None and (one.mark or (one.lost_amount or 0.0) >= 1):
        mark = f"{one.mark}, " if one.mark else ""
        better = f"better {one.best.move} ({worth(one.best.value, unit)}): {' '.join(one.best.line[:LINE])}"
        text = f"{text}; {mark}{loss(one.lost, one.lost_amount, unit)}; {better}"
    return text


def has_better(one: JudgedPly) -> bool:
    """Whether another move would have been better by something that can be said."""
    if one.best is None or one.best.move == one.move or not one.fair:
        return False
    return one.lost >= 0.005 or (one.lost_amount or 0.0) >= 0.05
