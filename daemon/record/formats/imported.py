"""A game as read from a file, and what the rules make of it."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Iterator, Mapping
from typing import Any

import games
from daemon.config.player_names import recorded_name
from daemon.record.formats.played import SITE
from daemon.record.stored_game import (
    COMMENT,
    DEPARTURE,
    EVENT,
    StoredGame,
    StoredNote,
    StoredPly,
    new_id,
    now,
    rule_texts,
)
from rules import AnyGame, DeadPieces, GameError, MoveError, Outcome, Side
from wording.outside import clean, visible

MAX_PLIES = 4096
MAX_COMMENT_LENGTH = 512
"""Characters kept of what a file says about one move, as many as a note of a document may have."""
MAX_EVENT_LENGTH = 64
MAX_SOURCE_LENGTH = 120
MAX_CLOCK_S = 1e6
"""Seconds of a time control, as many as a document may have."""
AS_RECORDED = "as_recorded"
"""Reason for an end that a file states and the board does not show."""
BEYOND_RULES = ("resigned", "time")
"""Reasons for an end that the board need not show."""
UNSAID = ("", "?", "-", "????.??.??", SITE)
"""What files write for an event, a site, a round, a date or a time control that nobody knows."""
NO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
"""Blanks without width, and the mark that begins a file; joined files have it in the middle.

Some scripts need the other characters without width."""
END_OF_FILE = "\x1a"
"""What ends a file of DOS; another may follow."""
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
"""Dashes of all widths, written for hyphens."""


class ImportFault(ValueError):
    """A file is not a game or contains an impossible move; the message tells a person which and why."""

    def __init__(self, text: str) -> None:
        super().__init__(visible(text))  # it may quote the file


@dataclasses.dataclass(frozen=True)
class Claim:
    winner: Side | None
    reason: str = ""
    """Code of the reason; empty if the file gives none."""


@dataclasses.dataclass(frozen=True)
class ImportedPly:
    text: str
    """In the form `Game.parse_move` reads."""
    side: Side | None = None
    spent_s: float | None = None
    left_s: float | None = None
    """Seconds that its side had left after it."""
    score: float | None = None
    comment: str = ""
    number: str = ""
    """How the file numbers it, `2` or `2...` as in PGN; empty where each ply counts."""


@dataclasses.dataclass(frozen=True)
class Imported:
    game: str
    rules: Mapping[str, object]
    plies: tuple[ImportedPly, ...]
    players: tuple[str, str] = ("", "")
    """Names by side; empty if the file gives none."""
    started: str = ""
    """ISO 8601, UTC; empty if the file does not say."""
    start: str = ""
    first: Side | None = None
    """Who begins, if the file says so and the rules leave it open."""
    clock: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    claim: Claim | None = None
    event: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What it was played for, as `StoredGame.event` has it."""
    comment: str = ""
    """What the file says in words before the first move."""
    departures: tuple[str, ...] = ()
    """What departs from the format, and how it was taken; each is kept once."""


def loaded(name: str, rules: Mapping[str, object]) -> AnyGame:
    """The game by those rules. Raises ImportFault."""
    try:
        return games.load(name, rules)
    except GameError as error:
        raise ImportFault(str(error)) from None


def tidied(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without characters that are not seen, and what departs by them."""
    kept = text.replace(END_OF_FILE, "")
    seen = NO_WIDTH.sub("", kept)
    told = ["characters without width are passed over"] * (seen != kept)
    return seen, (*told, *["Ctrl-Z is passed over"] * (kept != text))


def moment(day: str, time: str = "") -> str:
    """ISO 8601 of a day such as `2026-07-28` or `2026.07.28` and a time such as `12:00:00`; empty if invalid."""
    date = re.match(r"(\d{4})[-./](\d\d)[-./](\d\d)", visible(day).strip())
    clock = re.match(r"\d\d:\d\d:\d\d", visible(time).strip())
    if date is None:
        return ""
    try:
        text = f"{date[1]}-{date[2]}-{date[3]}T{clock[0] if clock else '00:00:00'}.000+00:00"
        return datetime.datetime.fromisoformat(text).isoformat(timespec="milliseconds")
    except ValueError:
        return moment(day) if clock else ""  # a day counts without its time


def control(kind: str, time_s: float | None, increment_s: float | None = None) -> dict[str, Any]:
    """A time control as the journal stores it; empty without a time, or with one that cannot be."""
    if not time_s or not (0 < time_s <= MAX_CLOCK_S and 0 <= (increment_s or 0) <= MAX_CLOCK_S):
        return {}
    return {"kind": kind, "time_s": time_s, "increment_s": increment_s or 0.0, "lose": False}


def seconds(text: str, most: float = 1e7) -> float | None:
    """Parses a number of seconds; None if it is invalid or its magnitude exceeds `most`."""
    if re.fullmatch(r"-?\d{1,8}(\.\d{1,6})?", text.strip()) is None:
        return None
    value = float(text.strip())
    return value if abs(value) <= most else None


def clock_seconds(text: str) -> float | None:
    """Seconds of `1:02:03`, `02:03` or `0:00:02.3`; None if invalid."""
    match = re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,3})?)", text.strip())
    if match is None:
        return None
    return round(int(match[1] or 0) * 3600 + int(match[2]) * 60 + float(match[3]), 3)


def judged(imported: Imported, source: str) -> StoredGame:
    """The game with every move checked; `source` names the file. Raises ImportFault with move number and rule.

    Where the rules end a game that goes on, the moves are kept: a record is what was played.
    """
    if len(imported.plies) > MAX_PLIES:
        raise ImportFault(f"{len(imported.plies)} moves; a game has at most {MAX_PLIES}")
    game = loaded(imported.game, imported.rules)
    try:
        start = _start(game, imported)
    except GameError as error:
        raise ImportFault(str(error)) from None
    positions = _positions(game, start, imported.plies)
    if (made := len(positions) - 1) < len(imported.plies):
        over, rules = game.outcome(positions[-1]), {**imported.rules, **game.about.going_on}
        assert over is not None
        open_ended = loaded(imported.game, rules)
        further = _positions(open_ended, start, imported.plies) if game.about.going_on else positions
        if len(further) > len(positions):
            game, positions, imported = open_ended, further, dataclasses.replace(imported, rules=rules)
        last = imported.plies[made - 1].number if made else ""
        kept = "kept" if len(positions) > len(imported.plies) else "left out"
        told = f"after move {last or made} the game had ended ({over.reason}): the moves after it are {kept}"
        plies, departures = imported.plies[: len(positions) - 1], (*imported.departures, told)
        imported = dataclasses.replace(imported, plies=plies, departures=departures)
    started = imported.started or now()
    stored = tuple(_plies(game, imported, positions, started))
    outcome = _outcome(game, positions, imported)
    ended = stored[-1].time if stored else started
    return StoredGame(
        game_id=new_id(started),
        game=game.name,
        rules=rule_texts(game),
        players=tuple(map(recorded_name, imported.players)),
        started=started,
        finished=None if outcome is None else ended,
        outcome=outcome,
        plies=stored,
        notes=tuple(_notes(imported, stored, started)),
        clock=dict(imported.clock),
        start=game.format_position(start) if imported.start else "",
        source=clean(source, MAX_SOURCE_LENGTH) or "file",
    )


def _start(game: AnyGame, imported: Imported) -> Any:
    if imported.start:
        return game.parse_position(imported.start)
    if imported.first is None:
        return game.initial()
    fits = [one for one in game.starts if game.to_move(one) == imported.first]
    if not fits:
        raise ImportFault(f"by its rules {game.sides[imported.first]} does not begin")
    return fits[0]


def _positions(game: AnyGame, start: Any, plies: tuple[ImportedPly, ...]) -> list[Any]:
    """All positions from the start on, up to the end by the rules.

    Raises ImportFault naming the first illegal move and its rule.
    """
    positions = [start]
    for number, ply in enumerate(plies, 1):
        position = positions[-1]
        where = f"move {ply.number or number}, {ply.text[:40]}"
        side = game.to_move(position)
        if ply.side is not None and ply.side != side and game.outcome(position) is None:
            raise ImportFault(f"{where}: not_your_turn: it is {game.sides[side]}'s turn, not {game.sides[ply.side]}'s")
        try:
            positions.append(game.apply(position, game.parse_move(position, ply.text)))
        except MoveError as error:
            if game.outcome(position) is not None:
                break
            raise ImportFault(f"{where}: {error.rule}: {error}") from None
    return positions


def _plies(game: AnyGame, imported: Imported, positions: list[Any], started: str) -> Iterator[StoredPly]:
    """The plies with both sides' times, as far as the file gives them."""
    left: list[float | None] = [imported.clock.get("time_s")] * 2
    time = datetime.datetime.fromisoformat(started)
    for number, ply in enumerate(imported.plies, 1):
        before, after = positions[number - 1], positions[number]
        side = game.to_move(before)
        time += datetime.timedelta(seconds=max(0.0, ply.spent_s or 0.0))
        if ply.left_s is not None:
            left[side] = ply.left_s
        yield StoredPly(
            number,
            game.format_move(before, game.parse_move(before, ply.text)),
            side,
            game.format_position(after),
            game.board(after),
            "legal",
            ply.score,
            "",
            time.isoformat(timespec="milliseconds"),
            spent_s=ply.spent_s,
            left_first_s=left[0] if ply.left_s is not None else None,
            left_second_s=left[1] if ply.left_s is not None else None,
        )


def _notes(imported: Imported, plies: tuple[StoredPly, ...], started: str) -> Iterator[StoredNote]:
    """What the game was played for, and what the file says in words, before the first move and after each."""
    event = {name: clean(value, MAX_EVENT_LENGTH) for name, value in imported.event.items()}
    if said := {name: value for name, value in event.items() if value not in UNSAID}:
        yield StoredNote(EVENT, "", said, 0, started)
    for departure in dict.fromkeys(imported.departures):
        yield StoredNote(DEPARTURE, clean(departure, MAX_COMMENT_LENGTH), {}, 0, started)
    told = [imported.comment, *(ply.comment for ply in imported.plies)]
    times = [started, *(ply.time for ply in plies)]
    for number, (text, time) in enumerate(zip(told, times, strict=True)):
        if kept := clean(text, MAX_COMMENT_LENGTH):
            yield StoredNote(COMMENT, kept, {}, number, time)


def _outcome(game: AnyGame, positions: list[Any], imported: Imported) -> Outcome | None:
    """How the game ended, by the rules if the board shows it. Raises ImportFault if the file disagrees.

    Where players may count otherwise than the rules propose, the file is right.
    """
    claim, shown = imported.claim, game.outcome(positions[-1])
    if claim is None:
        return shown
    differs = shown is not None and shown.winner != claim.winner
    if shown is None or (differs and _is_counted(game, positions, imported.plies)):
        return Outcome(claim.winner, claim.reason or AS_RECORDED)
    if differs:
        claimed, true = (
            "a draw" if winner is None else f"{game.sides[winner]}'s win" for winner in (claim.winner, shown.winner)
        )
        raise ImportFault(f"the file says {claimed}; by the rules of {imported.game} it is {true} ({shown.reason})")
    return dataclasses.replace(shown, reason=claim.reason) if claim.reason in BEYOND_RULES else shown


def _is_counted(game: AnyGame, positions: list[Any], plies: tuple[ImportedPly, ...]) -> bool:
    """Whether players say at the end which pieces count as captured as they stand."""
    move = game.parse_move(positions[-2], plies[-1].text) if plies else None
    if move is None:
        return False
    return any(DeadPieces.of(game).counted(positions[-2], move, cell) for cell in range(len(game.cells)))
