"""Games as rows of the journal and back; refuses invalid data, from another writer or a faulty disk."""

from __future__ import annotations

import dataclasses
import json
import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, get_args

from daemon.config.player_names import recorded_name
from daemon.game.effects import Known, Thought
from daemon.record.stored_game import AGENT_MOVE, REWRITTEN, THOUGHT, GameSummary, StoredGame, StoredNote, StoredPly
from rules import Outcome
from wording.outside import visible, visible_in

Row = sqlite3.Row | dict[str, Any]
DEFAULTS: tuple[dict[str, Any], ...] = (
    {},
    {"clock": "{}"},
    {"players": '["person", "person"]'},
    {"finished": None, "winner": None, "reason": None, "scores": None},
    {"rules": "{}"},
)
"""What stands in for columns of a damaged row, one after the other, until it can be read. A game of which the rules are
lost is kept and not resumed."""
NEWEST = {"clock": "{}", "start": "", "source": ""}
"""Columns of `games` that earlier versions did not have."""
TEXTS = ("move", "position", "board", "verdict", "frame", "time")
FIGURES = ("score", "spent_s", "left_first_s", "left_second_s", "thought_s")
COUNTS = ("depth", "nodes")

EMPTY_PLY: dict[str, Any] = dict.fromkeys(TEXTS, "") | {"ply": 1, "side": 0, "undone": 0, "score": None}


class RowError(ValueError):
    """An invalid row; the message names its column."""


def game_row(game: StoredGame) -> dict[str, object]:
    return {
        "game_id": game.game_id,
        "game": game.game,
        "rules": json.dumps(dict(game.rules)),
        "players": json.dumps(list(game.players)),
        "started": game.started,
        "finished": game.finished,
        **outcome_columns(game.outcome),
        "clock": json.dumps(dict(game.clock)),
        "start": game.start,
        "source": game.source,
    }


def outcome_columns(outcome: Outcome | None) -> dict[str, object]:
    if outcome is None:
        return {"winner": None, "reason": None, "scores": None}
    scores = None if outcome.scores is None else json.dumps(outcome.scores)
    return {"winner": outcome.winner, "reason": outcome.reason, "scores": scores}


def ply_row(game_id: str, ply: StoredPly, *, undone: bool) -> dict[str, object]:
    # `undone` is always written: a single flipped bit in the file could change the column's default.
    return {"game_id": game_id, **vars(ply), "undone": int(undone)}


def note_row(game_id: str, note: StoredNote) -> dict[str, object]:
    return {"game_id": game_id, **vars(note), "data": json.dumps(dict(note.data))}


def summary_of(row: Row) -> GameSummary:
    """The summary in a row of `games` that has the number of its `plies`. Raises RowError."""
    game_id, game, started = (_text(row, name) for name in ("game_id", "game", "started"))
    return GameSummary(game_id, game, _players(row), started, _finished(row), int(row["plies"]), _outcome(row))


def game_of(row: Row, plies: Sequence[Row], notes: Sequence[Row]) -> StoredGame:
    """The game in a row of `games`, with its rows of plies and notes. Raises RowError."""
    row = _with_newest(row)
    rules = _json(row, "rules")
    _require(isinstance(rules, dict), row, "rules")
    standing = tuple(_ply(one) for one in plies if not one["undone"])
    if [one.ply for one in standing] != list(range(1, len(standing) + 1)):
        raise RowError("plies are missing")
    return StoredGame(
        game_id=_text(row, "game_id"),
        game=_text(row, "game"),
        rules={str(name): str(value) for name, value in rules.items()},
        players=_players(row),
        started=_text(row, "started"),
        finished=_finished(row),
        outcome=_outcome(row),
        plies=standing,
        undone=tuple(_ply(one) for one in plies if one["undone"]),
        notes=tuple(_note(one) for one in notes),
        clock=_clock(row),
        start=_text(row, "start"),
        source=_text(row, "source"),
    )


def is_imported(row: Row) -> bool:
    return bool(_with_newest(row)["source"] != "")


def _with_newest(row: Row) -> dict[str, Any]:
    """A row of `games` with the columns that an older file, opened read-only, lacks."""
    return NEWEST | {name: row[name] for name in row.keys()}  # noqa: SIM118


def readable_part(row: Row, plies: Sequence[Row], notes: Sequence[Row]) -> StoredGame | None:
    """What can be read of a damaged game, which its rules must still confirm; None if it is not known what it was.

    What is unreadable in a ply is left empty, and the plies that stand are numbered in their order.
    """
    read = [_ply_of_damaged(one) for one in plies]
    undone = tuple(ply for one, ply in zip(plies, read, strict=True) if one["undone"] == 1)
    standing = [ply for one, ply in zip(plies, read, strict=True) if one["undone"] != 1]
    kept = [one for one in notes if _is_readable(_note, one)]
    fields = _with_newest(row)
    for default in DEFAULTS:
        fields |= default
        try:
            game = game_of(fields, [], kept)
        except (RowError, LookupError):
            continue
        numbered = tuple(dataclasses.replace(ply, ply=number) for number, ply in enumerate(standing, 1))
        return dataclasses.replace(game, plies=numbered, undone=undone)
    return None


def _ply_of_damaged(row: Row) -> StoredPly:
    """A ply with its unreadable columns left empty."""
    if _is_readable(_ply, row):
        return _ply(row)
    kept = dict(EMPTY_PLY)
    for name in EMPTY_PLY.keys() & set(row.keys()):
        if _is_readable(_ply, kept | {name: row[name]}):
            kept[name] = row[name]
    return _ply(kept)


def _is_readable(read: Callable[[Row], object], row: Row) -> bool:
    try:
        read(row)
    except (RowError, LookupError):
        return False
    return True


def _ply(row: Row) -> StoredPly:
    names = [field.name for field in dataclasses.fields(StoredPly) if field.name in row.keys()]  # noqa: SIM118
    values: dict[str, Any] = {name: row[name] for name in names}
    for name in TEXTS:
        _text(row, name)
    for name in (*FIGURES, *COUNTS):
        if (value := values.get(name)) is not None:
            kind = int if name in COUNTS else int | float
            _require(isinstance(value, kind) and math.isfinite(value), row, name)
    _require(_whole(row, "undone") in (0, 1), row, "undone")
    if _whole(row, "side") not in (0, 1) or _whole(row, "ply") < 1 or values.get("known", "") not in get_args(Known):
        raise RowError(f"ply {_whole(row, 'ply')} is of side {row['side']}, known {values.get('known')!r:.20}")
    return StoredPly(**values)


def _note(row: Row) -> StoredNote:
    data = _json(row, "data")
    fits = isinstance(data, dict)
    fits = fits and (row["kind"] != REWRITTEN or _is_beyond(data.get("beyond")))
    fits = fits and (row["kind"] != AGENT_MOVE or _is_answer(data))
    if not fits:
        raise RowError(f"data of a note is {row['data']!r:.60}")
    return StoredNote(_text(row, "kind"), visible(_text(row, "text")), data, _whole(row, "ply"), _text(row, "time"))


def _is_beyond(entries: object) -> bool:
    """Whether these are moves after an end: text, side, and how the mover is known."""
    return isinstance(entries, list) and all(
        isinstance(one, list)
        and len(one) == 3
        and isinstance(one[0], str)
        and type(one[1]) is int
        and one[1] in (0, 1)
        and one[2] in get_args(Known)
        for one in entries
    )


def _is_answer(data: Mapping[str, Any]) -> bool:
    """Whether these are an agent's move and, optionally, its report on it."""
    said = data.get(THOUGHT, {})
    return (
        isinstance(data.get("move"), str)
        and isinstance(said, dict)
        and said.keys() <= {field.name for field in dataclasses.fields(Thought)}
        and type(said.get("score", None)) in (int, float, NoneType)
        and all(type(said.get(name, 0)) is int for name in COUNTS)
        and type(said.get("seconds", 0.0)) in (int, float)
    )


def _players(row: Row) -> tuple[str, ...]:
    players = _json(row, "players")
    _require(isinstance(players, list) and len(players) == 2, row, "players")
    return tuple(recorded_name(str(one)) for one in players)


def _clock(row: Row) -> dict[str, Any]:
    clock = _json(row, "clock")
    _require(isinstance(clock, dict), row, "clock")
    numbers = [clock.get(name) for name in ("time_s", "increment_s")]
    are_numbers = all(type(one) in (int, float) and math.isfinite(one) for one in numbers)
    _require(clock == {} or (are_numbers and clock.get("kind") in ("move", "game")), row, "clock")
    return dict(clock)


def _outcome(row: Row) -> Outcome | None:
    """Points are whole numbers, or halves in some games."""
    if row["finished"] is None:
        return None
    scores = None if row["scores"] is None else _json(row, "scores")
    if scores is not None:
        are_pair = isinstance(scores, list) and len(scores) == 2
        _require(are_pair and all(type(one) in (int, float) for one in scores), row, "scores")
    _require(row["winner"] in (None, 0, 1), row, "winner")
    return Outcome(row["winner"], _text(row, "reason"), None if scores is None else (scores[0], scores[1]))


def _finished(row: Row) -> str | None:
    return None if row["finished"] is None else _text(row, "finished")


def _text(row: Row, name: str) -> str:
    _require(isinstance(row[name], str), row, name)
    return str(row[name])


def _whole(row: Row, name: str) -> int:
    _require(isinstance(row[name], int), row, name)
    return int(row[name])


def _json(row: Row, name: str) -> Any:
    try:
        return visible_in(json.loads(row[name]))
    except (ValueError, TypeError, RecursionError):
        raise RowError(f"{name} is {row[name]!r:.60}") from None


def _require(fits: bool, row: Row, name: str) -> None:
    if not fits:
        raise RowError(f"{name} is {row[name]!r:.60}")
