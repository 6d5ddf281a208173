"""Replays an imported game by the rules and turns it into a recorded game."""

from __future__ import annotations

import dataclasses
import datetime
import secrets
from collections.abc import Iterator
from typing import Any

import games
from daemon.config.player_names import recorded_name
from daemon.storage.exporting.played import SITE
from daemon.storage.importing.imported import (
    AS_RECORDED,
    MAX_COMMENT_LENGTH,
    MAX_PLIES,
    Imported,
    ImportedPly,
    ImportFault,
)
from daemon.storage.stored_game import COMMENT, EVENT, StoredGame, StoredNote, StoredPly
from rules import AnyGame, DeadPieces, GameError, MoveError, Outcome
from wording.outside import clean

BEYOND_RULES = ("resigned", "time")
"""Reasons for an end that the board need not show."""
MAX_EVENT_LENGTH = 64
UNSAID = ("", "?", "-", SITE)
"""What files write for an event, a site or a round that nobody knows."""
MAX_SOURCE_LENGTH = 120


def judged(imported: Imported, source: str) -> StoredGame:
    """The game with every move checked; `source` names the file. Raises ImportFault with move number and rule."""
    if len(imported.plies) > MAX_PLIES:
        raise ImportFault(f"{len(imported.plies)} moves; a game has at most {MAX_PLIES}")
    try:
        game = games.load(imported.game, imported.rules)
        start = _start(game, imported)
    except GameError as error:
        raise ImportFault(str(error)) from None
    positions = positions_of(game, start, imported.plies)
    started = imported.started or _now()
    plies = tuple(_plies(game, imported, positions, started))
    outcome = _outcome(game, positions, imported)
    ended = plies[-1].time if plies else started
    return StoredGame(
        game_id=new_id(started),
        game=game.name,
        rules={name: str(value).lower() for name, value in vars(game.rules).items()},
        players=tuple(map(recorded_name, imported.players)),
        started=started,
        finished=None if outcome is None else ended,
        outcome=outcome,
        plies=plies,
        notes=tuple(_notes(imported, plies, started)),
        clock=dict(imported.clock),
        start=game.format_position(start) if imported.start else "",
        source=clean(source, MAX_SOURCE_LENGTH) or "file",
    )


def positions_of(game: AnyGame, start: Any, plies: tuple[ImportedPly, ...]) -> list[Any]:
    """All positions from the start on. Raises ImportFault naming the first illegal move and its rule."""
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
            raise ImportFault(f"{where}: {error.rule}: {error}") from None
    return positions


def new_id(started: str) -> str:
    """An id that sorts by the game's start time."""
    return f"{started[:19].replace('-', '').replace(':', '')}-{secrets.token_hex(4)}"


def _start(game: AnyGame, imported: Imported) -> Any:
    """The starting position. Raises PositionError, ImportFault."""
    if imported.start:
        return game.parse_position(imported.start)
    if imported.first is None:
        return game.initial()
    fits = [one for one in game.starts if game.to_move(one) == imported.first]
    if not fits:
        raise ImportFault(f"by its rules {game.sides[imported.first]} does not begin")
    return fits[0]


def _plies(game: AnyGame, imported: Imported, positions: list[Any], started: str) -> Iterator[StoredPly]:
    """The plies with both sides' times, as far as the file gives them."""
    left: list[float | None] = [imported.clock.get("time_s")] * 2
    moment = datetime.datetime.fromisoformat(started)
    for number, ply in enumerate(imported.plies, 1):
        before, after = positions[number - 1], positions[number]
        side = game.to_move(before)
        moment += datetime.timedelta(seconds=max(0.0, ply.spent_s or 0.0))
        if ply.left_s is not None:
            left[side] = ply.left_s
        has_clock = ply.left_s is not None and None not in left
        yield StoredPly(
            number,
            game.format_move(before, game.parse_move(before, ply.text)),
            side,
            game.format_position(after),
            game.board(after),
            "legal",
            ply.score,
            "",
            moment.isoformat(timespec="milliseconds"),
            spent_s=ply.spent_s,
            left_first_s=left[0] if has_clock else None,
            left_second_s=left[1] if has_clock else None,
        )


def _notes(imported: Imported, plies: tuple[StoredPly, ...], started: str) -> Iterator[StoredNote]:
    """What the game was played for, and what the file says in words, before the first move and after each."""
    event = {name: clean(value, MAX_EVENT_LENGTH) for name, value in imported.event.items()}
    if said := {name: value for name, value in event.items() if value not in UNSAID}:
        yield StoredNote(EVENT, "", said, 0, started)
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
    if shown is None:
        return Outcome(claim.winner, claim.reason or AS_RECORDED)
    if shown.winner != claim.winner and _is_counted(game, positions, imported.plies):
        return Outcome(claim.winner, claim.reason or AS_RECORDED)
    if shown.winner != claim.winner:
        claimed, true = (_won(game, one) for one in (claim.winner, shown.winner))
        raise ImportFault(f"the file says {claimed}; by the rules of {imported.game} it is {true} ({shown.reason})")
    return dataclasses.replace(shown, reason=claim.reason) if claim.reason in BEYOND_RULES else shown


def _is_counted(game: AnyGame, positions: list[Any], plies: tuple[ImportedPly, ...]) -> bool:
    """Whether players say at the end which pieces count as captured as they stand."""
    move = game.parse_move(positions[-2], plies[-1].text) if plies else None
    return move is not None and any(
        DeadPieces.of(game).counted(positions[-2], move, cell) for cell in range(len(game.cells))
    )


def _won(game: AnyGame, winner: int | None) -> str:
    return "a draw" if winner is None else f"{game.sides[winner]}'s win"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
