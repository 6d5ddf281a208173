"""Games as PGN-style move text: numbered moves under tags.

Morris has no written standard; programs and players commonly write the board's points by letter and number: `d2` for a
man laid, `a1-a4` for a man moved, and `x` with the man taken: `d2xf4`, `a1-a4xg7`. Cờ gánh is written the same way:
`a1-b2`, a jump `a1xc3`; captures by gánh follow from the rules and are given in a comment.
White is the side with the light men: light in morris, Up in cờ gánh; if men have no colours, the first side.

Any game may be read so, also without tags where it is named: `1. f5 d6 2. c3`, `h8 i9 h9`, `h8i9h9`. In morris a man
taken may stand alone, as Sanmill writes it: `a1-a4 xg7`. Results may count two points, as in draughts: `2-0`, `1-1`.
Comments are kept, with their times and evaluations as figures; variations, also nested ones, are skipped.

A game with a standard of its own, such as PGN, has a module `tags` in its package (`Dialect`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

import games
from daemon.record.formats.played import SITE, Played, PlayedPly
from rules import AnyGame, Side

WIDTH = 80
TAGS = {"name": "Event", "site": "Site", "round": "Round", "table": "Board"}
SIGNS = {"slip": "$6", "mistake": "$2", "blunder": "$4"}
TIME = "time forfeit"
"""Termination of games of a standard that were lost on time."""
BRACES = str.maketrans("{}", "()")


def unbraced(comment: str) -> str:
    """The comment as it may stand in braces: it ends at the first closing one, and nothing escapes that."""
    return comment.translate(BRACES) if "}" in comment else comment


class Dialect(Protocol):
    """How a game's own standard tells its rules: a module `tags` of its package.

    It may also have `written(game, text)`, a move or a start position in the names that the standard wants for those
    rules, and `evaluation_of(score, side)` and `score_of(text, side)` for the standard's own way to write
    `[%eval]`; without, that is the mover's score.
    """

    UNWRITTEN: Collection[str]
    """Texts of moves that the standard has no word for; the result tells them."""

    def tags_of(self, game: Any, start: Any) -> Mapping[str, str]:
        """The tags that name the game and its rules."""

    def rules_of(self, tags: Mapping[str, str]) -> Mapping[str, object] | None:
        """The rule options that the tags of a file name; None if it is another game's. Raises GameError."""

    def departing(self, tags: Mapping[str, str], end: str) -> list[str]:
        """What of the tags departs from the standard; `end` is the result that ends the moves, empty without one."""

    def mended(self, word: str, before: str) -> tuple[str, bool, str]:
        """A word in the standard's form, whether it goes on with the move before it, and what of it departed."""


def dialect_of(name: str) -> Dialect | None:
    """None where the game is written with our own tags."""
    found: Any = games.part_of(name, "tags")
    dialect: Dialect | None = found
    return dialect


def late_half(game: AnyGame, start: Any) -> int | None:
    """Half of its number that the first move has, 0 or 1; None where games are not written with two plies a number.

    The side that begins by the rules, dark in English draughts, has the first half of each number.
    """
    return None if dialect_of(game.name) is None else int(game.to_move(start) != game.to_move(game.starts[0]))


def white_of(game: AnyGame) -> Side:
    return game.pieces.index("W") if "W" in game.pieces else 0


def to_movetext(played: Played) -> str:
    dialect, result = dialect_of(played.game.name), _result(played)
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"'})
    tags = "".join(f'[{name} "{value.translate(escapes)}"]\n' for name, value in _tags(played, dialect, result))
    words = " ".join([*_moves(played, dialect), result])
    moves = textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{tags}\n{moves}\n"


def _result(played: Played) -> str:
    """`1-0`, `0-1`, `1/2-1/2`, or `*` if the game was not finished."""
    if (outcome := played.stored.outcome) is None:
        return "*"
    if outcome.winner is None:
        return "1/2-1/2"
    return "1-0" if outcome.winner == white_of(played.game) else "0-1"


def _tags(played: Played, dialect: Dialect | None, result: str) -> Iterator[tuple[str, str]]:
    stored, game = played.stored, played.game
    light = white_of(game)
    event = {"name": game.title, "site": SITE, "round": "-"} | stored.event
    yield TAGS["name"], event["name"]
    yield TAGS["site"], event["site"]
    yield "Date", event.get("date", stored.started[:10].replace("-", "."))
    yield TAGS["round"], event["round"]
    yield "White", played.players[light]
    yield "Black", played.players[1 - light]
    yield "Result", result
    if "date" not in event:
        yield "UTCTime", stored.started[11:19]
    if "table" in event:
        yield TAGS["table"], event["table"]
    if dialect is not None:
        yield from dialect.tags_of(game, played.positions[0]).items()
    else:
        yield "Variant", game.name
        yield "Rules", " ".join(f"{name}={value}" for name, value in stored.rules.items())
        yield "First", game.sides[game.to_move(played.positions[0])]
    if stored.start:
        yield "SetUp", "1"
        yield "FEN", _written(dialect, game, stored.start)
    match stored.clock.get("kind"):  # `_clock` reads it
        case "game":
            yield "TimeControl", f"{stored.clock['time_s']:g}+{stored.clock['increment_s']:g}"
        case "move":
            yield "TimeControl", f"1/{stored.clock['time_s']:g}"
        case _ if "control" in event:
            yield "TimeControl", event["control"]
    if stored.outcome is not None:
        timed = dialect is not None and stored.outcome.reason == "time"
        yield "Termination", TIME if timed else stored.outcome.reason


def _written(dialect: Dialect | None, game: AnyGame, text: str) -> str:
    told: str = getattr(dialect, "written", lambda _game, text: text)(game, text)
    return told


def _moves(played: Played, dialect: Dialect | None) -> Iterator[str]:
    game = played.game
    if begun := played.stored.comments.get(0):
        yield f"{{{unbraced(begun)}}}"
    late = late_half(game, played.positions[0]) or 0
    for index, ply in enumerate(played.plies(), late):
        if dialect is not None and ply.made.text in dialect.UNWRITTEN:
            continue
        if index % 2 == 0 or index == late == 1:
            yield f"{index // 2 + 1}." + index % 2 * ".."
        yield _written(dialect, game, ply.made.text)
        if ply.judged is not None and ply.judged.mark:
            yield SIGNS[ply.judged.mark]
        if words := " ".join(_comment(game, ply, dialect)):
            yield f"{{{words}}}"


def _comment(game: AnyGame, ply: PlayedPly, dialect: Dialect | None) -> Iterator[str]:
    """What the move's text lacks: pieces taken or turned over, times, evaluations, and what was said of it."""
    stored, side = ply.stored, ply.made.side
    late = game.steps(ply.before, ply.made.move)[1:]
    captured = [one for one in late if one.kind in ("remove", "flip") and game.cells[one.cell] not in ply.made.text]
    if captured and dialect is None:
        yield "turns" if captured[0].kind == "flip" else "takes"
        yield from (game.cells[step.cell] for step in captured)
    if (left_s := (stored.left_first_s, stored.left_second_s)[side]) is not None:
        yield f"[%clk {_time(left_s)}]"
    if stored.spent_s is not None:
        yield f"[%emt {_time(stored.spent_s, tenths=True)}]"
    score = stored.score if ply.judged is None else ply.judged.value.score
    if score is not None:
        told = getattr(dialect, "evaluation_of", lambda score, _side: f"{score:g}")
        yield f"[%eval {told(score, side)}]"
    if said := [one for one in (unbraced(ply.comment), ply.review) if one]:
        yield " | ".join(said)


def _time(seconds: float, tenths: bool = False) -> str:
    """`0:09:58` or `0:00:02.3`, as PGN writes times, with `tenths` also of whole seconds; negative times are zero."""
    minutes, rest = divmod(round(max(0.0, seconds) * 10), 600)
    hours, minutes = divmod(minutes, 60)
    whole = f"{hours}:{minutes:02d}:{rest // 10:02d}"
    return f"{whole}.{rest % 10}" if tenths or rest % 10 else whole
