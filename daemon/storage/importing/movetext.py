"""Reads games from PGN-style numbered moves, with tags as export writes them, or without where the game is named.

Any game may be written so: `1. f5 d6 2. c3`, `h8 i9 h9`, `h8i9h9`. In morris a man taken may stand alone, as Sanmill
writes it: `a1-a4 xg7`. Results may count two points, as in draughts: `2-0`, `1-1`. Comments are
kept, with their times and evaluations as figures; variations, also nested ones, are skipped.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import games
from daemon.storage.exporting.movetext import BRACES, TAGS, Dialect, dialect_of, white_of
from daemon.storage.importing.imported import (
    AS_RECORDED,
    MAX_COMMENT_LENGTH,
    Claim,
    Imported,
    ImportedPly,
    ImportFault,
    clock_seconds,
    code,
    control,
    moment,
    seconds,
)
from rules import AnyGame, GameError, HiddenHands
from rules.options import rules_from_words
from wording.outside import clean

TAG = re.compile(r'(?:^|(?<=\]))[ \t]*\[[ \t]*(\w{1,40})\s+"((?:\\.|[^"\\\n])*)"[ \t]*\]', re.MULTILINE)
"""A line may hold several."""
LINE = re.compile(r"\{[^{}]*\}|^%.*$|;.*$", re.MULTILINE)
"""A comment in braces, a line for other programs after a percent sign, or a comment after a semicolon."""
WORD = re.compile(r"\{([^{}]*)\}|(\d{1,5})(\.+)|(1-0|0-1|1/2-1/2|2-0|1-1|0-2|\*)(?=\s|$)|([^\s{}()]+)|(\S)")
SIGN = re.compile(r"\$.*|(?=-*[^\w-])\W+|e\.?p\.?|N")
"""What may stand beside a move in PGN and PDN: a figure, `!`, `+-`, `±`, in passing, a novelty."""
CELL = re.compile(r"[A-Za-z]\d{1,2}")
TAKEN = re.compile(r"x[A-Za-z]\d{1,2}")
COMMAND = re.compile(r"\[%(clk|emt|eval)\s+([^\]\s]{1,20})\s*\]")
CAPTURED = re.compile(r"\A\s*(?:takes|turns)(?:\s+[a-z]\d{1,2})+(?!\S)")
"""What export says about captures where the move does not tell them."""


def read_movetext(text: str, name: str = "", rules: Mapping[str, object] | None = None) -> Imported:
    """The game; `name` and `rules` fill in what its tags do not say. Raises ImportFault."""
    tags = {found[1]: re.sub(r"\\(.)", r"\1", found[2]) for found in reversed([*TAG.finditer(text)])}
    game = _game(tags, name, rules or {})
    dialect, body = dialect_of(game.name), TAG.sub("", text).replace("½", "1/2")
    plies, result, comment = _body(body if dialect is None else LINE.sub(_braced, body), dialect)
    light = white_of(game)
    names = tags.get("White", ""), tags.get("Black", "")
    return Imported(
        game.name,
        {key: str(value).lower() for key, value in vars(game.rules).items()},
        tuple(plies),
        players=names if light == 0 else (names[1], names[0]),
        started=moment(tags.get("Date", ""), tags.get("UTCTime", "")),
        start=_start(game, tags.get("FEN", "")),
        first=None if "FEN" in tags else _side(game, tags.get("First", "")),
        clock=_clock(tags.get("TimeControl", "")),
        event=_event(game, tags),
        claim=_claim(result or tags.get("Result", ""), light, tags.get("Termination", "")),
        comment=comment,
    )


def _event(game: AnyGame, tags: Mapping[str, str]) -> dict[str, str]:
    """What the game was played for; where nobody says it, export writes the game's title."""
    told = {name: tags.get(tag, "") for name, tag in TAGS.items()}
    return told | {"name": "" if told["name"] == game.title else told["name"]}


def _game(tags: Mapping[str, str], name: str, rules: Mapping[str, object]) -> AnyGame:
    """The game with its rules. Raises ImportFault."""
    wanted = tags.get("Variant", "") or name or _titled(tags.get("Event", ""))
    if (own := _by_dialect(tags, wanted)) is not None:
        wanted, told = own
        rules = {**told, **rules}
    if not wanted:
        raise ImportFault('the tags do not say which game it is: [Variant "nine_mens_morris"] would, or --game')
    try:
        game = games.load(wanted, {**rules_from_words(tags.get("Rules", "").split()), **rules})
    except GameError as error:
        raise ImportFault(str(error)) from None
    if isinstance(game, HiddenHands):
        raise ImportFault(f"{game.name} is not written so; {' and '.join(_written())} are")
    return game


def _start(game: AnyGame, text: str) -> str:
    """The text of a start that was set up; empty for a start by the rules."""
    try:
        return "" if text and game.parse_position(text) in game.starts else text
    except GameError:
        return text  # refused with the other moves


def _by_dialect(tags: Mapping[str, str], wanted: str) -> tuple[str, Mapping[str, object]] | None:
    """The game whose own standard the tags follow, with the rules that they name. Raises ImportFault."""
    known = {one for name in games.names() for one in (name, games.find(name).about.short_name)}
    for name in (games.find(wanted).name,) if wanted in known else games.names():
        dialect = dialect_of(name)
        try:
            rules = None if dialect is None else dialect.rules_of(tags)
        except GameError as error:
            raise ImportFault(str(error)) from None
        if rules is not None:
            return name, rules
    return None


def _titled(title: str) -> str:
    return next((name for name in _written() if games.find(name).title == title), "")


def _written() -> list[str]:
    """The games that may be written so."""
    return [name for name in games.names() if not issubclass(games.find(name), HiddenHands)]


def _side(game: AnyGame, name: str) -> int | None:
    if not name:
        return None
    if name not in game.sides:
        raise ImportFault(f"First is {' or '.join(game.sides)}, not {name[:40]!r}")
    return game.sides.index(name)


def _body(body: str, dialect: Dialect | None) -> tuple[list[ImportedPly], str, str]:
    """The moves with their comments, the result, and the comment before the first move. Raises ImportFault.

    Moves of a game with a standard of its own stand apart and are named by their numbers in the file.
    """
    plies: list[ImportedPly] = []
    result, before, depth, turn, standard = "", "", 0, 1, dialect is not None
    for comment, number, dots, end, move, other in _words(body):
        depth += (other == "(") - (other == ")")
        if depth < 0 or (other and other not in "()"):
            last = plies[-1].number if plies else ""
            raise ImportFault(f"after move {last or len(plies)}: {other!r} belongs to no move")
        if depth or other:
            continue
        if result and (move or end):
            raise ImportFault(f"{(move or end)[:40]!r} stands after the result")
        if end:
            result = end
        elif number:
            turn = 2 * int(number) + (len(dots) > 1) - 1
        elif TAKEN.fullmatch(move) and plies:
            plies[-1] = dataclasses.replace(plies[-1], text=plies[-1].text + move)
        elif standard and SIGN.fullmatch(move):
            continue
        elif move and standard:
            turn += 1
            plies.append(ImportedPly(move.rstrip("!?"), number=f"{turn // 2}{turn % 2 * '...'}"))
        elif move and not move.startswith("$"):
            plies += map(ImportedPly, _apart(move))
        elif comment and plies:
            plies[-1] = _with_comment(plies[-1], comment, dialect)
        elif comment:
            before = _longer(before, comment)
    if depth:
        raise ImportFault("a parenthesis is not closed: the file was cut short")
    return plies, result, before


def _apart(word: str) -> list[str]:
    """The moves of a word: several where cells follow each other without a space, `h8i9h9`."""
    cells = CELL.findall(word)
    return cells if len(cells) > 1 and "".join(cells) == word else [word.rstrip("!?")]


def _braced(found: re.Match[str]) -> str:
    """A comment after a semicolon in braces, as other comments; nothing for a line for other programs."""
    mark, rest = found[0][0], found[0][1:]
    return found[0] if mark == "{" else f"{{{rest.translate(BRACES)}}}" if mark == ";" else ""


def _words(body: str) -> Iterator[Sequence[str]]:
    """Yields comment, number, dots after it, result, move, and what is none of them; all but one kind are empty."""
    for match in WORD.finditer(body):
        yield match.groups("")


def _with_comment(ply: ImportedPly, comment: str, dialect: Dialect | None) -> ImportedPly:
    """The move with the time left, time used and agent's evaluation from a comment, and its words."""
    score_of = getattr(dialect, "score_of", lambda text, _side: seconds(text, most=1e8))
    commands = {found[1]: found[2] for found in COMMAND.finditer(comment)}
    words = COMMAND.sub(" ", comment if dialect else CAPTURED.sub("", comment))
    return dataclasses.replace(
        ply,
        spent_s=clock_seconds(commands.get("emt", "")) if "emt" in commands else ply.spent_s,
        left_s=clock_seconds(commands.get("clk", "")) if "clk" in commands else ply.left_s,
        score=score_of(commands["eval"], int(ply.number.endswith("."))) if "eval" in commands else ply.score,
        comment=_longer(ply.comment, words),
    )


def _longer(kept: str, words: str) -> str:
    """A comment with what follows; one that is full, but for a blank at its end, stays as it is."""
    return kept if len(kept) >= MAX_COMMENT_LENGTH - 1 else clean(f"{kept} {words}", MAX_COMMENT_LENGTH)


def _claim(result: str, light: int, reason: str) -> Claim | None:
    winner = {"1-0": light, "2-0": light, "0-1": 1 - light, "0-2": 1 - light, "1/2-1/2": None, "1-1": None}
    return Claim(winner[result], _own(reason)) if result in winner else None


def _own(reason: str) -> str:
    """The reason as a code; empty for `as_recorded`, the placeholder for an unknown reason."""
    return "" if reason == AS_RECORDED else code(reason)


def _clock(text: str) -> Mapping[str, Any]:
    """Parses `600+2`, or `1/600` for seconds per move."""
    for_move = text.startswith("1/")
    time, _, increment = text.removeprefix("1/").partition("+")
    time_s = seconds(time)
    if not time_s:
        return {}
    return control("move", time_s) if for_move else control("game", time_s, seconds(increment) or 0.0)
