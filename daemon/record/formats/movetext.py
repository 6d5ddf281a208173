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

import dataclasses
import math
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

import games
from daemon.record.formats.imported import (
    AS_RECORDED,
    MAX_COMMENT_LENGTH,
    Claim,
    Imported,
    ImportedPly,
    ImportFault,
    clock_seconds,
    control,
    loaded,
    moment,
    seconds,
)
from daemon.record.formats.played import SITE, Played, PlayedPly
from daemon.record.stored_game import rule_texts
from rules import AnyGame, GameError, HiddenHands, Side
from rules.options import rules_from_words
from wording.outside import clean

WIDTH = 80
TAGS = {"name": "Event", "site": "Site", "round": "Round", "table": "Board"}
SIGNS = {"slip": "$6", "mistake": "$2", "blunder": "$4"}
BRACES = str.maketrans("{}", "()")
"""A comment ends at the first brace, and nothing escapes one."""
RESULTS = {"1-0": 0, "2-0": 0, "0-1": 1, "0-2": 1, "1/2-1/2": -1, "1-1": -1}
"""Who won: 0 White, 1 Black, -1 nobody; the texts with two points are only read."""
TAG = re.compile(r'(?:^|(?<=\]))[ \t]*\[[ \t]*(\w{1,40})\s+"((?:\\.|[^"\\\n])*)"[ \t]*\]', re.MULTILINE)
"""A line may hold several."""
LINE = re.compile(r"\{[^{}]*\}|^%.*$|;.*$", re.MULTILINE)
"""A comment in braces, a line for other programs after a percent sign, or a comment after a semicolon."""
WORD = re.compile(r"\{([^{}]*)\}|(\d{1,5})(\.+)|(1-0|0-1|1/2-1/2|2-0|1-1|0-2|\*)(?=\s|$)|([^\s{}()]+)|(\S)")
"""A comment, a number and its dots, a result, a move, or what is none of them."""
SIGN = re.compile(r"\$.*|(?=-*[^\w-])\W+|e\.?p\.?|N")
"""What may stand beside a move in PGN and PDN: a figure, `!`, `+-`, `±`, in passing, a novelty."""
CELL = re.compile(r"[A-Za-z]\d{1,2}")
TAKEN = re.compile(r"x[A-Za-z]\d{1,2}")
COMMAND = re.compile(r"\[%(clk|emt|eval)\s+([^\]\s]{1,20})\s*\]")
CAPTURED = re.compile(r"\A\s*(?:takes|turns)(?:\s+[a-z]\d{1,2})+(?!\S)")
"""What export says about captures where the move does not tell them."""
REASON = re.compile(r"[a-z][a-z0-9_]{0,63}")


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
    """None where the game is written with our own tags."""
    found: Any = games.part_of(name, "tags")
    dialect: Dialect | None = found
    return dialect


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
    yield "Date", stored.started[:10].replace("-", ".")
    yield TAGS["round"], event["round"]
    yield "White", played.players[light]
    yield "Black", played.players[1 - light]
    yield "Result", result
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
        yield "FEN", stored.start
    match stored.clock.get("kind"):  # `_clock` reads it
        case "game":
            yield "TimeControl", f"{stored.clock['time_s']:g}+{stored.clock['increment_s']:g}"
        case "move":
            yield "TimeControl", f"1/{stored.clock['time_s']:g}"
    if stored.outcome is not None:
        yield "Termination", stored.outcome.reason


def _moves(played: Played, dialect: Dialect | None) -> Iterator[str]:
    game = played.game
    if begun := played.stored.comments.get(0):
        yield f"{{{begun.translate(BRACES)}}}"
    # The side that begins by the rules, dark in English draughts, has the first half of each number.
    late = dialect is not None and game.to_move(played.positions[0]) != game.to_move(game.starts[0])
    for index, ply in enumerate(played.plies(), int(late)):
        if dialect is not None and ply.made.text in dialect.UNWRITTEN:
            continue
        if index % 2 == 0 or index == late == 1:
            yield f"{index // 2 + 1}." + index % 2 * ".."
        yield ply.made.text
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
    if stored.left_s is not None:
        yield f"[%clk {_time(stored.left_s[side])}]"
    if stored.spent_s is not None:
        yield f"[%emt {_time(stored.spent_s, tenths=True)}]"
    score = stored.score if ply.judged is None else ply.judged.value.score
    if score is not None:
        told = getattr(dialect, "evaluation_of", lambda score, _side: f"{score:g}")
        yield f"[%eval {told(score, side)}]"
    if said := [one for one in (ply.comment.translate(BRACES), ply.review) if one]:
        yield " | ".join(said)


def _time(seconds: float, tenths: bool = False) -> str:
    """`0:09:58`, as PGN writes times, or `0:00:02.3`; negative times count as zero."""
    tens = round(max(0.0, seconds) * 10) if tenths else math.ceil(max(0.0, seconds)) * 10
    minutes, rest = divmod(tens, 600)
    hours, minutes = divmod(minutes, 60)
    whole = f"{hours}:{minutes:02d}:{rest // 10:02d}"
    return f"{whole}.{rest % 10}" if tenths else whole


def games_in(text: str) -> list[str]:
    """The text of each game, at least one; a game begins with its tags. A tag within a comment is none."""
    found: list[list[str]] = [[]]
    moved, in_comment = False, False
    for line in text.splitlines(keepends=True):
        rest = line if in_comment else TAG.sub("", line)
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
    tags = {found[1]: re.sub(r"\\(.)", r"\1", found[2]) for found in reversed([*TAG.finditer(text)])}
    game = _game(tags, name, rules)
    dialect, body = dialect_of(game.name), TAG.sub("", text).replace("½", "1/2")
    plies, result, comment = _body(body if dialect is None else LINE.sub(_braced, body), dialect)
    light, event = white_of(game), {name: tags.get(tag, "") for name, tag in TAGS.items()}
    if event["name"] == game.title:
        event["name"] = ""  # export writes it where nobody says one
    names = tags.get("White", ""), tags.get("Black", "")
    return Imported(
        game.name,
        rule_texts(game),
        tuple(plies),
        players=names if light == 0 else (names[1], names[0]),
        started=moment(tags.get("Date", ""), tags.get("UTCTime", "")),
        start=_start(game, tags.get("FEN", "")),
        first=None if "FEN" in tags else _side(game, tags.get("First", "")),
        clock=_clock(tags.get("TimeControl", "")),
        event=event,
        claim=_claim(result or tags.get("Result", ""), light, tags.get("Termination", "")),
        comment=comment,
    )


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
    known = REASON.fullmatch(reason) is not None and reason != AS_RECORDED
    return Claim(winner, reason if known else "")


def _body(body: str, dialect: Dialect | None) -> tuple[list[ImportedPly], str, str]:
    """The moves with their comments, the result, and the comment before the first move. Raises ImportFault.

    Moves of a game with a standard of its own stand apart and are named by their numbers in the file.
    """
    plies: list[ImportedPly] = []
    result, before, depth, turn, standard = "", "", 0, 1, dialect is not None
    for comment, number, dots, end, move, other in (match.groups("") for match in WORD.finditer(body)):
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


def _with_comment(ply: ImportedPly, comment: str, dialect: Dialect | None) -> ImportedPly:
    """The move with the time left, time used and agent's evaluation from a comment, and its words."""
    score_of = getattr(dialect, "score_of", lambda text, _side: seconds(text, most=1e8))
    commands = {found[1]: found[2] for found in COMMAND.finditer(comment)}
    words = COMMAND.sub(" ", comment if dialect else CAPTURED.sub("", comment))
    return dataclasses.replace(
        ply,
        spent_s=clock_seconds(commands["emt"]) if "emt" in commands else ply.spent_s,
        left_s=clock_seconds(commands["clk"]) if "clk" in commands else ply.left_s,
        score=score_of(commands["eval"], int(ply.number.endswith("."))) if "eval" in commands else ply.score,
        comment=_longer(ply.comment, words),
    )


def _longer(kept: str, words: str) -> str:
    """A comment with what follows; one that is full, but for a blank at its end, is returned unchanged."""
    return kept if len(kept) >= MAX_COMMENT_LENGTH - 1 else clean(f"{kept} {words}", MAX_COMMENT_LENGTH)
