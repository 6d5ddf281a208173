"""Reads any game from the JSON document that export writes, including undone plies and notes."""

from __future__ import annotations

import datetime
import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

import games
from daemon.config.player_names import recorded_name
from daemon.game.effects import Known
from daemon.storage.exporting.document import FORMAT
from daemon.storage.importing.imported import MAX_PLIES, Imported, ImportedPly, ImportFault
from daemon.storage.importing.judge import MAX_SOURCE_LENGTH, judged
from daemon.storage.stored_game import StoredGame, StoredNote, StoredPly
from rules import GameError, Outcome
from wording.outside import clean, visible_in

MAX_NOTES = 20_000
ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")
"""Format of the journal's game ids."""

Line = Annotated[str, Field(max_length=512)]
Figure = Annotated[float, Field(ge=-1e9, le=1e9)]
Count = Annotated[int, Field(ge=0, le=2**62)]


class _Part(BaseModel):
    """A part of the document; fields added by a newer Kibitzer are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


def _moment(text: str) -> str:
    """Checks that a time is ISO 8601 with a zone, as the journal writes it. Raises ValueError."""
    if datetime.datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time is ISO 8601 with its zone, such as 2026-07-28T12:00:00.000+00:00")
    return text


class PlyPart(_Part):
    """One ply."""

    ply: int = Field(ge=1, le=MAX_PLIES)
    side: Literal[0, 1]
    move: str = Field(min_length=1, max_length=64, pattern=r"^[ -~]+$")
    position: str = Field(max_length=4096)
    board: str = Field(max_length=1024)
    verdict: str = Field(default="legal", pattern=r"^[a-z_]{1,32}$")
    known: Known = ""
    frame: Line = ""
    time: str
    spent_s: Figure | None = None
    left_s: tuple[Figure, Figure] | None = None
    score: Figure | None = None
    depth: Count | None = None
    nodes: Count | None = None
    thought_s: Figure | None = None

    _checked = field_validator("time")(_moment)

    def stored(self) -> StoredPly:
        """The ply as the journal stores it."""
        values = self.model_dump(exclude={"left_s"})
        first, second = self.left_s or (None, None)
        return StoredPly(**values, left_first_s=first, left_second_s=second)


class NotePart(_Part):
    """An event between plies."""

    ply: int = Field(ge=0, le=MAX_PLIES)
    kind: str = Field(pattern=r"^[a-z_]{1,32}$")
    text: Line
    time: str
    data: dict[str, Any] = Field(default_factory=dict)

    _checked = field_validator("time")(_moment)


class OutcomePart(_Part):
    """How the game ended."""

    winner: Literal[0, 1] | None
    reason: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    scores: tuple[int, int] | None = None


class ClockPart(_Part):
    """The time control."""

    kind: Literal["move", "game"]
    time_s: float = Field(ge=0, le=1e6)
    increment_s: float = Field(ge=0, le=1e6)
    lose: bool = False


class DocumentPart(_Part):
    """The whole document."""

    format: int
    id: str = ""
    game: str = Field(max_length=64)
    rules: dict[str, str]
    players: tuple[Line, Line]
    started: str
    finished: str | None
    outcome: OutcomePart | None
    clock: ClockPart | None = None
    start: str = Field(default="", max_length=4096)
    plies: list[PlyPart] = Field(max_length=MAX_PLIES)
    undone: list[PlyPart] = Field(default_factory=list, max_length=4 * MAX_PLIES)
    notes: list[NotePart] = Field(default_factory=list, max_length=MAX_NOTES)

    @field_validator("started", "finished")
    @classmethod
    def _is_moment(cls, text: str | None) -> str | None:
        return None if text is None else _moment(text)


def read_json(text: str, source: str) -> StoredGame:
    """The game, with every standing ply checked by the rules. Raises ImportFault."""
    document = _document(text)
    side = document.plies[0].side if document.plies else None
    first = None if document.start or not _is_open(document) else side
    plies = tuple(ImportedPly(one.move, one.side) for one in document.plies)
    imported = Imported(document.game, document.rules, plies, start=document.start, first=first)
    played = judged(imported, source)
    for told, true in zip(document.plies, played.plies, strict=True):
        if (told.ply, told.position, told.board) != (true.ply, true.position, true.board):
            raise ImportFault(f"move {true.ply}, {true.move}: by the rules another position follows than the file has")
    shown, claim = played.outcome, document.outcome
    if (claim is None) != (document.finished is None):
        raise ImportFault("a game has both, finished and outcome, or neither")
    if claim is not None and shown is not None and claim.winner != shown.winner:
        raise ImportFault(f"the file and the rules differ in who has won ({claim.reason}, {shown.reason})")
    return StoredGame(
        game_id=document.id if ID.fullmatch(document.id) else played.game_id,
        game=played.game,
        rules=played.rules,
        players=tuple(map(recorded_name, document.players)),
        started=document.started,
        finished=document.finished,
        outcome=None if claim is None else Outcome(claim.winner, claim.reason, claim.scores),
        plies=tuple(one.stored() for one in document.plies),
        undone=tuple(one.stored() for one in document.undone),
        notes=tuple(StoredNote(one.kind, one.text, one.data, one.ply, one.time) for one in document.notes),
        clock={} if document.clock is None else document.clock.model_dump(),
        start=document.start,
        source=clean(source, MAX_SOURCE_LENGTH) or "file",
    )


def _is_open(document: DocumentPart) -> bool:
    """Whether the rules leave open who begins. Raises ImportFault."""
    try:
        return len(games.load(document.game, document.rules).starts) > 1
    except GameError as error:
        raise ImportFault(str(error)) from None


def _document(text: str) -> DocumentPart:
    """Parses and validates the document. Raises ImportFault with the first invalid field."""
    try:
        words = visible_in(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ImportFault(f"it is no JSON: {error}") from None
    if not isinstance(words, dict) or words.get("format") != FORMAT:
        found = words.get("format") if isinstance(words, dict) else None
        raise ImportFault(f"it is no game that Kibitzer wrote: format is {FORMAT}, not {found!r:.40}")
    try:
        return DocumentPart.model_validate(words)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise ImportFault(f"{where} = {fault['input']!r:.60}: {fault['msg']}") from None
