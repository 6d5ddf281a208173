"""Reads games of PGN-style move text, also as other programs and people write it.

What departs from the standard is taken as it is meant, and named. Comments are kept, with their times and evaluations
as figures; variations, also nested ones, are skipped.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
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
from daemon.record.formats.movetext import TAGS, TIME, Dialect, dialect_of, white_of
from daemon.record.formats.movetext_body import RESULTS, SHORT, Body, braced, hyphened
from daemon.record.stored_game import rule_texts
from rules import AnyGame, GameError, HiddenHands
from rules.options import rules_from_words
from wording.outside import visible

TAG = re.compile(r'(?:^|(?<=\]))[ \t]*\[[ \t]*(\w{1,40})\s+"((?:\\.|[^"\\\n])*)"[ \t]*\]', re.MULTILINE)
"""A line may hold several."""
LOOSE = re.compile(r'(?:^|(?<=\]))[ \t]*\[[ \t]*(\w{1,40})\s+"(.*)"[ \t]*\][ \t]*$', re.MULTILINE)
"""A tag in whose value quotation marks are not escaped."""
LINE = re.compile(r"\{[^}]*(?:\}|\Z)|^%.*$|;.*$", re.MULTILINE)
"""A comment in braces, to the end of the text where none closes it; a line for other programs after a percent sign; or
a comment after a semicolon."""
HEADING = re.compile(rf"({LINE.pattern})|{TAG.pattern}|{LOOSE.pattern}", re.MULTILINE)
"""A comment, in which a tag is none, or a tag."""
DATE = re.compile(r"(?:\d{4}|\?{4})(?:\.(?:\d\d|\?\?)){2}")
CONTROL = re.compile(r"(?:(?:^|:)(?:\d+/\d+|\d+\+\d+|\d+|\d+/\d+\+\d+|\*\d+))+")
"""Of PGN, with the increment after some moves as PDN 3.0 has it, too."""
REASON = re.compile(r"[a-z][a-z0-9_]{0,63}")


def games_in(text: str) -> list[str]:
    """The text of each game, at least one; a game begins with its tags. A tag within a comment is none."""
    begins, moved, place = [0], False, 0
    for found in HEADING.finditer(text):
        moved = moved or bool(text[place : found.start()].strip())
        if moved and found[1] is None:
            begins.append(found.start())
            moved = False
        place = found.end()
    return [text[one:end] for one, end in itertools.pairwise([*begins, len(text)])]


def read_movetext(text: str, name: str, rules: Mapping[str, object]) -> Imported:
    """The game; `name` and `rules` fill in what its tags do not say. Raises ImportFault."""
    told = list[str]()
    tags, body = _headed(text, told)
    game = _game(tags, name, rules)
    dialect = dialect_of(game.name)
    moves = Body(dialect, told)
    moves.read(body if dialect is None else LINE.sub(braced, body))
    light, event = white_of(game), {name: tags.get(tag, "") for name, tag in TAGS.items()}
    if event["name"] == game.title:
        event["name"] = ""  # export writes it where nobody says one
    clock, control = _clock(tags.get("TimeControl", "")), tags.get("TimeControl", "")
    started = moment(tags.get("Date", ""), tags.get("UTCTime", ""))
    event |= {"date": "" if started else tags.get("Date", ""), "control": "" if clock else control}
    told += [] if dialect is None else _departing(tags, moves.result, dialect)
    names = tags.get("White", ""), tags.get("Black", "")
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
        claim=_claim(_result(tags.get("Result", ""), moves.result, told), light, tags.get("Termination", "")),
        comment=moves.comment,
        departures=tuple(told),
    )


def _headed(text: str, told: list[str]) -> tuple[dict[str, str], str]:
    """The tags and the text without them; `told` grows by those that depart from the standard."""
    tags = dict[str, str]()

    def take(found: re.Match[str]) -> str:
        _, name, value, loose, loosely = found.groups()
        if name is None and loose is None:
            return found[0]
        if loose is not None:
            told.append(f"a quotation mark in the tag {loose} is not escaped")
        if (name or loose) in tags:
            told.append(f"the tag {name or loose} stands twice: the first counts")
        tags.setdefault(name or loose, visible(re.sub(r"\\(.)", r"\1", value) if name else loosely))
        return ""

    return tags, HEADING.sub(take, text)


def _departing(tags: Mapping[str, str], end: str, dialect: Dialect) -> Iterator[str]:
    """What of the tags departs from a game's own standard; `end` is the result that ends the moves."""
    date, control = tags.get("Date", ""), tags.get("TimeControl", "")
    if date not in UNSAID and not DATE.fullmatch(date):
        yield f"the date {date[:20]!r} is not written as 2026.07.28"
    if control not in UNSAID and not CONTROL.fullmatch(control):
        yield f"TimeControl {control[:40]!r} is kept as it is: no clock runs so"
    if tags.get("SetUp") == "1" and "FEN" not in tags:
        yield "SetUp is 1, and there is no FEN: the game begins as usual"
    yield from dialect.departing(tags, end)


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


def _result(tag: str, end: str, told: list[str]) -> str:
    """The result of a tag and of the end of the moves, which counts where both tell one."""
    found = [hyphened(tag.strip(), told), end]
    told += [f"the result {one} is read as {SHORT[one]}" for one in dict.fromkeys(found) if one in SHORT]
    said, ended = (SHORT.get(one, one) for one in found)
    if said not in (*UNSAID, "*", *RESULTS):
        told.append(f"the result {said[:20]!r} of the tag is passed over")
    elif ended and said not in UNSAID and RESULTS.get(said) != RESULTS.get(ended):
        told.append(f"the moves end with {ended}, not with the result {said} of the tag: the former counts")
    return ended or said


def _claim(result: str, light: int, reason: str) -> Claim | None:
    """The end; a reason that is no code, or the placeholder for an unknown one, counts as none."""
    if result not in RESULTS:
        return None
    winner = {0: light, 1: 1 - light}.get(RESULTS[result])
    if reason.strip().lower() == TIME:
        return Claim(winner, "time")
    known = REASON.fullmatch(reason) is not None and reason != AS_RECORDED
    return Claim(winner, reason if known else "")
