"""Reads games of PGN-style move text, also as other programs and people write it.

What departs from the standard is taken as it is meant, and named. Comments are kept, with their times and evaluations
as figures; variations, also nested ones, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import games
from daemon.record.formats.imported import (
    AS_RECORDED,
    UNSAID,
    Claim,
    Imported,
    ImportFault,
    control,
    loaded,
    moment,
    seconds,
)
from daemon.record.formats.movetext import TAGS, TIME, dialect_of, white_of
from daemon.record.formats.movetext_body import RESULTS, SHORT, Body, braced
from daemon.record.stored_game import rule_texts
from rules import AnyGame, GameError, HiddenHands
from rules.options import rules_from_words

TAG = re.compile(r'(?:^|(?<=\]))[ \t]*\[[ \t]*(\w{1,40})\s+"((?:\\.|[^"\\\n])*)"[ \t]*\]', re.MULTILINE)
"""A line may hold several."""
LOOSE = re.compile(r'^[ \t]*\[[ \t]*(\w{1,40})\s+"(.*)"[ \t]*\][ \t]*$', re.MULTILINE)
"""A tag in whose value quotation marks are not escaped."""
LINE = re.compile(r"\{[^}]*\}|^%.*$|;.*$", re.MULTILINE)
"""A comment in braces, a line for other programs after a percent sign, or a comment after a semicolon."""
REASON = re.compile(r"[a-z][a-z0-9_]{0,63}")


def games_in(text: str) -> list[str]:
    """The text of each game, at least one; a game begins with its tags. A tag within a comment is none."""
    found: list[list[str]] = [[]]
    moved, in_comment = False, False
    for line in text.splitlines(keepends=True):
        rest = line if in_comment else LOOSE.sub("", TAG.sub("", line))
        if moved and rest != line:
            found.append([])
            moved = False
        found[-1].append(line)
        moved = moved or (not rest.lstrip().startswith(("%", ";")) and bool(rest.strip()))
        in_comment = _is_open(rest, in_comment)
    return ["".join(lines) for lines in found]


def _is_open(line: str, in_comment: bool) -> bool:
    place = 0
    while True:
        found = line.find("}" if in_comment else "{", place)
        if found < 0 or (not in_comment and 0 <= line.find(";", place) < found):
            return in_comment
        in_comment, place = not in_comment, found + 1


def read_movetext(text: str, name: str, rules: Mapping[str, object]) -> Imported:
    """The game; `name` and `rules` fill in what its tags do not say. Raises ImportFault."""
    tags, body, told = _headed(text)
    game = _game(tags, name, rules)
    dialect, body = dialect_of(game.name), body.replace("½", "1/2")
    moves = Body(dialect)
    moves.read(body if dialect is None else LINE.sub(braced, body))
    light, event = white_of(game), {name: tags.get(tag, "") for name, tag in TAGS.items()}
    if event["name"] == game.title:
        event["name"] = ""  # export writes it where nobody says one
    clock, control = _clock(tags.get("TimeControl", "")), tags.get("TimeControl", "")
    started = moment(tags.get("Date", ""), tags.get("UTCTime", ""))
    event |= {"date": "" if started else tags.get("Date", ""), "control": "" if clock else control}
    told += [f"TimeControl {control[:40]!r} is kept as it is: no clock of ours runs so"] * (
        event["control"] not in UNSAID
    )
    told += moves.departures
    names, result = (tags.get("White", ""), tags.get("Black", "")), moves.result or tags.get("Result", "")
    if result in SHORT:
        told.append(f"the result {result} is read as {SHORT[result]}")
    return Imported(
        game.name,
        rule_texts(game),
        tuple(moves.plies),
        players=names if light == 0 else (names[1], names[0]),
        started=started,
        start=_start(game, tags.get("FEN", "")),
        first=None if "FEN" in tags else _side(game, tags.get("First", "")),
        clock=clock,
        event=event,
        claim=_claim(SHORT.get(result, result), light, tags.get("Termination", "")),
        comment=moves.comment,
        departures=tuple(told),
    )


def _headed(text: str) -> tuple[dict[str, str], str, list[str]]:
    """The tags, the text without them, and which of them depart from the standard."""
    tags = {found[1]: re.sub(r"\\(.)", r"\1", found[2]) for found in reversed([*TAG.finditer(text)])}
    body = TAG.sub("", text)
    loose = {found[1]: found[2] for found in reversed([*LOOSE.finditer(body)])}
    told = [f"a quotation mark in the tag {name} is not escaped" for name in loose]
    return loose | tags, LOOSE.sub("", body), told


def _game(tags: Mapping[str, str], name: str, rules: Mapping[str, object]) -> AnyGame:
    written = [one for one in games.names() if not issubclass(games.find(one), HiddenHands)]
    title = tags.get("Event", "")
    wanted = tags.get("Variant", "") or name or next((one for one in written if games.find(one).title == title), "")
    if (own := _by_dialect(tags, wanted)) is not None:
        wanted, told = own
        rules = {**told, **rules}
    if not wanted:
        raise ImportFault('the tags do not say which game it is: [Variant "nine_mens_morris"] would, or --game')
    try:
        rules = {**rules_from_words(tags.get("Rules", "").split()), **rules}
    except GameError as error:
        raise ImportFault(str(error)) from None
    game = loaded(wanted, rules)
    if isinstance(game, HiddenHands):
        raise ImportFault(f"{game.name} is not written so; {' and '.join(written)} are")
    return game


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


def _start(game: AnyGame, text: str) -> str:
    """The text of a start that was set up; empty for a start by the rules."""
    try:
        return "" if text and game.parse_position(text) in game.starts else text
    except GameError:
        return text  # refused with the other moves


def _side(game: AnyGame, name: str) -> int | None:
    if not name:
        return None
    if name not in game.sides:
        raise ImportFault(f"First is {' or '.join(game.sides)}, not {name[:40]!r}")
    return game.sides.index(name)


def _clock(text: str) -> Mapping[str, Any]:
    """Parses `600+2`, or `1/600` for seconds per move."""
    time, _, increment = text.removeprefix("1/").partition("+")
    if text.startswith("1/"):
        return control("move", seconds(time))
    return control("game", seconds(time), seconds(increment))


def _claim(result: str, light: int, reason: str) -> Claim | None:
    """The end; a reason that is no code, or the placeholder for an unknown one, counts as none."""
    if result not in RESULTS:
        return None
    winner = {0: light, 1: 1 - light}.get(RESULTS[result])
    if reason.strip().lower() == TIME:
        return Claim(winner, "time")
    known = REASON.fullmatch(reason) is not None and reason != AS_RECORDED
    return Claim(winner, reason if known else "")
