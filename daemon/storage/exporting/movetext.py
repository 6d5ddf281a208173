"""Games as PGN-style move text: morris, cờ gánh, and every game that has no format of its own.

Morris has no written standard; programs and players commonly write the board's points by letter and number: `d2` for a
man laid, `a1-a4` for a man moved, and `x` with the man taken: `d2xf4`, `a1-a4xg7`. Cờ gánh is written the same way:
`a1-b2`, a jump `a1xc3`; captures by gánh follow from the rules and are given in a comment.
White is the side with the light men: light in morris, Up in cờ gánh; if men have no colours, the first side.

A game with a standard of its own, such as PGN, has a module `tags` in its package (`Dialect`).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

import games
from daemon.storage.exporting.comments import comment
from daemon.storage.exporting.played import SITE, Played, PlayedPly
from rules import AnyGame, Side

WIDTH = 80
TAGS = {"name": "Event", "site": "Site", "round": "Round", "table": "Board"}
"""PGN's tags for what a game is played for."""
SIGNS = {"slip": "$6", "mistake": "$2", "blunder": "$4"}
"""PGN's numbers for ?!, ? and ??."""

BRACES = str.maketrans("{}", "()")
"""A comment ends at the first brace, and nothing escapes one."""


class Dialect(Protocol):
    """How a game's own standard tells its rules: a module `tags` of its package.

    It may also have `evaluation_of(score, side)` and `score_of(text, side)` for the standard's own way to write
    `[%eval]`; without, that is the mover's score.
    """

    UNWRITTEN: Collection[str]
    """Texts of moves that the standard has no word for; the result tells them."""

    def tags_of(self, game: Any, start: Any) -> Mapping[str, str]:
        """The tags that name the game and its rules."""

    def rules_of(self, tags: Mapping[str, str]) -> Mapping[str, object] | None:
        """The rule options that the tags of a file name; None if it is another game's. Raises GameError."""


def dialect_of(name: str) -> Dialect | None:
    """The dialect of the game of that name; None where it is written with our own tags."""
    found: Any = games.part_of(name, "tags")
    dialect: Dialect | None = found
    return dialect


def to_movetext(played: Played) -> str:
    """Tags, an empty line, and the numbered moves with their result."""
    tags = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in _tags(played))
    moves = textwrap.fill(
        " ".join([*_moves(played), result(played)]), WIDTH, break_long_words=False, break_on_hyphens=False
    )
    return f"{tags}\n{moves}\n"


def result(played: Played) -> str:
    """`1-0`, `0-1`, `1/2-1/2`, or `*` if the game was not finished."""
    if (outcome := played.outcome) is None:
        return "*"
    if outcome.winner is None:
        return "1/2-1/2"
    return "1-0" if outcome.winner == white_of(played.game) else "0-1"


def white_of(game: AnyGame) -> Side:
    """The side written as White."""
    return game.pieces.index("W") if "W" in game.pieces else 0


def _beginner(game: AnyGame) -> Side:
    """The side that has the first move by the rules: dark in English draughts."""
    return game.to_move(game.starts[0])


def _tags(played: Played) -> Iterator[tuple[str, str]]:
    stored, game = played.stored, played.game
    light = white_of(game)
    event = {"name": game.title, "site": SITE, "round": "-"} | stored.event
    yield TAGS["name"], event["name"]
    yield TAGS["site"], event["site"]
    yield "Date", stored.started[:10].replace("-", ".")
    yield TAGS["round"], event["round"]
    yield "White", played.players[light]
    yield "Black", played.players[1 - light]
    yield "Result", result(played)
    yield "UTCTime", stored.started[11:19]
    if "table" in event:
        yield TAGS["table"], event["table"]
    dialect = dialect_of(game.name)
    if dialect is not None:
        yield from dialect.tags_of(game, played.positions[0]).items()
    else:
        yield "Variant", game.name
        yield "Rules", " ".join(f"{name}={value}" for name, value in stored.rules.items())
        yield "First", game.sides[game.to_move(played.positions[0])]
    if stored.start:
        yield "SetUp", "1"
        yield "FEN", stored.start
    if control := _time_control(played):
        yield "TimeControl", control
    if played.outcome is not None:
        yield "Termination", played.outcome.reason


def _time_control(played: Played) -> str:
    """`600+2`: seconds for the game and seconds added per move; `1/600`: seconds for each move."""
    clock = played.stored.clock
    match clock.get("kind"):
        case "game":
            return f"{clock['time_s']:g}+{clock['increment_s']:g}"
        case "move":
            return f"1/{clock['time_s']:g}"
    return ""


def _moves(played: Played) -> Iterator[str]:
    dialect = dialect_of(played.game.name)
    if begun := played.stored.comments.get(0):
        yield f"{{{begun.translate(BRACES)}}}"
    late = dialect is not None and played.game.to_move(played.positions[0]) != _beginner(played.game)
    for index, ply in enumerate(played.plies(), int(late)):
        if dialect is not None and ply.made.text in dialect.UNWRITTEN:
            continue
        if index % 2 == 0 or index == late == 1:
            yield f"{index // 2 + 1}." + index % 2 * ".."
        yield ply.made.text
        if ply.judged is not None and ply.judged.mark:
            yield SIGNS[ply.judged.mark]
        if words := _comment(played, ply):
            yield f"{{{words}}}"


def _comment(played: Played, ply: PlayedPly) -> str:
    """What the move's text lacks: pieces taken or turned over, times, evaluations, and what was said of it."""
    game, stored = played.game, ply.stored
    words = []
    late = game.steps(ply.before, ply.made.move)[1:]
    captured = [one for one in late if one.kind in ("remove", "flip") and game.cells[one.cell] not in ply.made.text]
    if captured and dialect_of(game.name) is None:
        verb = "turns" if captured[0].kind == "flip" else "takes"
        words.append(f"{verb} {' '.join(game.cells[step.cell] for step in captured)}")
    if stored.left_s is not None:
        words.append(f"[%clk {_clock(stored.left_s[ply.made.side])}]")
    if stored.spent_s is not None:
        words.append(f"[%emt {_clock(stored.spent_s, tenths=True)}]")
    if ply.judged is not None and played.review is not None:
        words.append(_evaluation(game, ply.judged.value.score, ply.made.side))
    elif stored.score is not None:
        words.append(_evaluation(game, stored.score, ply.made.side))
    said = [ply.comment.translate(BRACES)] if ply.comment else []
    if ply.judged is not None and played.review is not None:
        said.append(comment(ply.judged, played.review.unit))
    return " ".join([*words, *([" | ".join(said)] if said else [])])


def _evaluation(game: AnyGame, score: float, side: Side) -> str:
    """`[%eval ...]`: in the way of the game's own standard, else the mover's score."""
    told = getattr(dialect_of(game.name), "evaluation_of", None)
    return f"[%eval {f'{score:g}' if told is None else told(score, side)}]"


def _clock(seconds: float, tenths: bool = False) -> str:
    """`0:09:58`, as PGN writes times, or `0:00:02.3`; negative times count as zero."""
    tens = round(max(0.0, seconds) * 10) if tenths else math.ceil(max(0.0, seconds)) * 10
    minutes, rest = divmod(tens, 600)
    hours, minutes = divmod(minutes, 60)
    whole = f"{hours}:{minutes:02d}:{rest // 10:02d}"
    return f"{whole}.{rest % 10}" if tenths else whole


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
