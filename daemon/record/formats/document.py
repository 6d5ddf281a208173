"""Any game as a JSON document with everything that is recorded of it, including undone plies and notes."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from daemon.config.player_names import recorded_name
from daemon.game.effects import Known
from daemon.record.formats.imported import (
    MAX_CLOCK_S,
    MAX_EVENT_LENGTH,
    MAX_PLIES,
    Claim,
    Imported,
    ImportedPly,
    ImportFault,
    judged,
    loaded,
)
from daemon.record.reviews import Review
from daemon.record.stored_game import EVENT, GameSummary, StoredGame, StoredNote, StoredPly
from daemon.record.stored_line import score_sheet
from rules import Outcome
from system.numbers import WHOLE
from wording.outside import clean, visible_in

FORMAT = 1
"""Version of the document; adding a field does not need a new one."""
MAX_NOTES = 20_000
ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")
"""Format of the journal's game ids."""
WRITTEN = "ply side move position board verdict known frame time spent_s left_s score depth nodes thought_s".split()


def as_object(stored: StoredGame) -> dict[str, object]:
    """The game: its moves as texts, every ply with board, times and points, the undone plies, and the notes."""
    counted = score_sheet(stored)
    plies = [_written(one) for one in stored.plies]
    for ply, row in zip(plies, counted, strict=False):
        ply |= {"gains": [dataclasses.asdict(gain) for gain in row.gains], "scores": row.scores}
    return {
        "format": FORMAT,
        "id": stored.game_id,
        "game": stored.game,
        "rules": dict(stored.rules),
        "players": list(stored.players),
        "started": stored.started,
        "finished": stored.finished,
        "outcome": outcome_object(stored.outcome),
        "scores": counted[-1].scores if counted else None,
        "clock": dict(stored.clock) or None,
        "start": stored.start,
        "moves": list(stored.moves),
        "plies": plies,
        "undone": [_written(one) for one in stored.undone],
        "notes": [dataclasses.asdict(note) for note in stored.notes],
    }


def _written(ply: StoredPly) -> dict[str, object]:
    return {name: getattr(ply, name) for name in WRITTEN}


def to_json(stored: StoredGame, review: Review | None = None) -> str:
    told = as_object(stored) | ({} if review is None else {"review": review.as_object()})
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def summary_object(summary: GameSummary) -> dict[str, object]:
    return {
        "id": summary.game_id,
        "game": summary.game,
        "players": list(summary.players),
        "started": summary.started,
        "finished": summary.finished,
        "plies": summary.plies,
        "outcome": outcome_object(summary.outcome),
    }


def outcome_object(outcome: Outcome | None) -> dict[str, object] | None:
    """How a game ended; None if it is unfinished."""
    return None if outcome is None else {name: getattr(outcome, name) for name in ("winner", "reason", "scores")}


def _moment(text: str) -> str:
    """Checks that a time is ISO 8601 with a zone, as the journal writes it. Raises ValueError."""
    if datetime.datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time is ISO 8601 with its zone, such as 2026-07-28T12:00:00.000+00:00")
    return text


Line = Annotated[str, Field(max_length=512)]
Code = Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]
Figure = Annotated[float, Field(ge=-1e9, le=1e9)]
Count = Annotated[int, Field(ge=0, le=2**62)]
Moment = Annotated[str, AfterValidator(_moment)]


class _Part(BaseModel):
    """A part of the document; fields added by a newer Kibitzer are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class PlyPart(_Part):
    ply: int = Field(ge=1, le=MAX_PLIES)
    side: Annotated[Literal[0, 1], WHOLE]
    move: str = Field(min_length=1, max_length=64, pattern=r"^[ -~]+$")
    position: str = Field(max_length=4096)
    board: str = Field(max_length=1024)
    verdict: Code = "legal"
    known: Known = ""
    frame: Line = ""
    time: Moment
    spent_s: Figure | None = None
    left_s: tuple[Figure, Figure] | None = None
    score: Figure | None = None
    depth: Count | None = None
    nodes: Count | None = None
    thought_s: Figure | None = None

    def stored(self) -> StoredPly:
        values = self.model_dump(exclude={"left_s"})
        first, second = self.left_s or (None, None)
        return StoredPly(**values, left_first_s=first, left_second_s=second)


class NotePart(_Part):
    ply: int = Field(ge=0, le=MAX_PLIES)
    kind: Code
    text: Line
    time: Moment
    data: dict[str, Any] = Field(default_factory=dict)

    def stored(self) -> StoredNote:
        data = self.data
        if self.kind == EVENT:
            data = {name: clean(str(value), MAX_EVENT_LENGTH) for name, value in data.items()}
        return StoredNote(self.kind, self.text, data, self.ply, self.time)


class OutcomePart(_Part):
    winner: Annotated[Literal[0, 1], WHOLE] | None
    reason: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    scores: tuple[int | float, int | float] | None = None


class ClockPart(_Part):
    kind: Literal["move", "game"]
    time_s: float = Field(ge=0, le=MAX_CLOCK_S)
    increment_s: float = Field(ge=0, le=MAX_CLOCK_S)
    lose: bool = False


class DocumentPart(_Part):
    format: int
    id: str = ""
    game: str = Field(max_length=64)
    rules: dict[str, str]
    players: tuple[Line, Line]
    started: Moment
    finished: Moment | None
    outcome: OutcomePart | None
    clock: ClockPart | None = None
    start: str = Field(default="", max_length=4096)
    plies: list[PlyPart] = Field(max_length=MAX_PLIES)
    undone: list[PlyPart] = Field(default_factory=list, max_length=4 * MAX_PLIES)
    notes: list[NotePart] = Field(default_factory=list, max_length=MAX_NOTES)


def read_json(text: str, source: str) -> StoredGame:
    """The game, with every standing ply checked by the rules. Raises ImportFault."""
    document = _document(text)
    plies = tuple(ImportedPly(one.move, one.side) for one in document.plies)
    is_open = not document.start and len(loaded(document.game, document.rules).starts) > 1
    first = plies[0].side if plies and is_open else None
    end = document.outcome
    claim = None if end is None else Claim(end.winner, end.reason)
    read = Imported(document.game, document.rules, plies, start=document.start, first=first, claim=claim)
    played = judged(read, source)
    if len(played.plies) < len(plies):
        raise ImportFault("; ".join(played.departures))
    for told, true in zip(document.plies, played.plies, strict=True):
        if (told.ply, told.position, told.board) != (true.ply, true.position, true.board):
            raise ImportFault(f"move {true.ply}, {true.move}: by the rules another position follows than the file has")
    if (end is None) != (document.finished is None):
        raise ImportFault("a game has both, finished and outcome, or neither")
    return StoredGame(
        game_id=document.id if ID.fullmatch(document.id) else played.game_id,
        game=played.game,
        rules=played.rules,
        players=tuple(map(recorded_name, document.players)),
        started=document.started,
        finished=document.finished,
        outcome=None if end is None else Outcome(end.winner, end.reason, end.scores),
        plies=tuple(one.stored() for one in document.plies),
        undone=tuple(one.stored() for one in document.undone),
        notes=tuple(one.stored() for one in document.notes),
        clock={} if document.clock is None else document.clock.model_dump(),
        start=document.start,
        source=played.source,
    )


def _document(text: str) -> DocumentPart:
    try:
        words = visible_in(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ImportFault(f"it is no JSON: {error}") from None
    if not isinstance(words, dict) or words.get("format") != FORMAT:
        found = words.get("format") if isinstance(words, dict) else None
        raise ImportFault(f"it is no game that Kibitzer wrote: format is {FORMAT}, not {found!r:.40}")
    try:
        return DocumentPart.model_validate_json(json.dumps(words), strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise ImportFault(f"{where} = {fault['input']!r:.60}: {fault['msg']}") from None
