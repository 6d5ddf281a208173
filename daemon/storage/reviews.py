"""Reviews of recorded games: what each move was worth. Small files beside the journal, one per game.

They are made of the record and can be made again. A review counts only for the moves that it was made of.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import games
from agents.values import Value, accuracy
from calibration.atomic_file import write_atomically
from daemon.storage.stored_game import StoredGame
from daemon.storage.stored_line import history_of
from rules import GameError, HiddenHands

SUFFIX = ".reviews"
FORMAT = 1
"""Version of the files; others are made anew."""
MAX_BYTES = 16 << 20
_GAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")


@dataclasses.dataclass(frozen=True)
class Best:
    """The best move that was found in a position."""

    move: str
    value: Value
    line: tuple[str, ...]
    """Expected moves, `move` first."""


@dataclasses.dataclass(frozen=True)
class Opinion:
    """The move that another engine would have made."""

    move: str
    score: float | None
    """In the engine's own unit."""


@dataclasses.dataclass(frozen=True)
class JudgedPly:
    """One move of a game, judged. The position after the last move has one, too, with neither move nor loss."""

    ply: int
    """Counts from 1."""
    side: int
    value: Value
    """What the move is worth to its side."""
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

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> JudgedPly:
        """From an object of `kibitzer analyse`, or of a file. Raises ValueError, TypeError, KeyError."""
        best, engine = told.get("best"), told.get("engine")
        return cls(
            int(told["ply"]),
            int(told["side"]),
            Value(**told["value"]),
            None if best is None else Best(str(best["move"]), Value(**best["value"]), tuple(map(str, best["line"]))),
            str(told.get("move", "")),
            float(told.get("lost", 0.0)),
            told.get("lost_amount"),
            str(told.get("mark", "")),
            bool(told.get("fair", True)),
            None if engine is None else Opinion(str(engine["move"]), engine["score"]),
        )


@dataclasses.dataclass
class Review:
    """The judged moves of one game; those found so far while it is being made."""

    game_id: str
    played: str
    """Fingerprint of the moves that it is about."""
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
        """Whether every move is judged."""
        return len(self.judged) == self.plies + 1

    def add(self, told: Mapping[str, Any]) -> None:
        """Takes up an object of `kibitzer analyse`. Raises ValueError, TypeError, KeyError."""
        if "plies" in told:
            self.plies, self.unit, self.fault = int(told["plies"]), str(told["unit"]), str(told["fault"])
            return
        one = JudgedPly.of(told)
        self.engine_fault = str(told.get("engine_fault", self.engine_fault))
        self.judged[one.ply] = one

    def copy(self) -> Review:
        """The review as it is now."""
        return dataclasses.replace(self, judged=dict(self.judged))

    def moves(self) -> list[JudgedPly]:
        """The judged moves, in order."""
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
        if told["format"] != FORMAT:
            raise ValueError(f"format {told['format']!r} is not {FORMAT}")
        told = {"engine_fault": "", **told}  # files of earlier versions are without
        fields = {field.name: told[field.name] for field in dataclasses.fields(cls) if field.name != "judged"}
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
        path = self._path(review.game_id)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        write_atomically(path, json.dumps(review.as_object()).encode(), private=True)

    def forget(self, game_id: str) -> bool:
        """Removes the review of a game; returns whether none is left."""
        try:
            self._path(game_id).unlink(missing_ok=True)
        except (OSError, ValueError):
            return False
        return True

    def _path(self, game_id: str) -> Path:
        if _GAME.fullmatch(game_id) is None:
            raise ValueError(f"{game_id[:80]!r} is no id of a game")
        return self.folder / f"{game_id}.json"
