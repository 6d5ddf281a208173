"""Reversi as GGF, the Generic Game Format of the Generic Game Server, and as transcripts, `f5d6c3`.

A move of GGF, https://www.skatgame.net/mburo/ggsa/ggf, is `B[F5//12.50]`: cell, evaluation in discs (only with a
review: agents count in units of their own), seconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import games
from daemon.game.clocks import shown
from daemon.record.formats.imported import (
    Claim,
    Imported,
    ImportedPly,
    ImportFault,
    clock_seconds,
    control,
    moment,
    seconds,
)
from daemon.record.formats.played import SITE, ExportError, Played, PlayedPly, day_of
from rules import GameError, MoveError

if TYPE_CHECKING:
    from games.reversi import Reversi

NAME = "reversi"
ENDS = {"time": "t", "resigned": "r"}
"""Flags of RE; whoever resigned or ran out of time loses all discs, as in the format's own games."""
ALL_DISCS = 64
UNWRITABLE = str.maketrans("[];\n\r", "(),  ")
"""Replacements for characters that a GGF value cannot contain."""
BEGIN, END = re.compile(r"\(\s*;"), re.compile(r";\s*\)")
PROPERTY = re.compile(r"(?<![A-Za-z])([A-Za-z]+)\s*\[([^\]]*)(?:\]|\Z)")
RESULT = re.compile(r"([+-]?\d{1,3}(?:\.\d{1,4})?)(?::([a-z]))?")
PASSES = ("pa", "pass", "--", "ps")


def to_ggf(played: Played) -> str:
    game = cast("Reversi", played.game)
    stored = played.stored
    black, white = (name.translate(UNWRITABLE) for name in played.players)
    letters, mover = game.format_position(played.positions[0]).replace("X", "*").split()
    rows = " ".join(letters[start : start + 8] for start in range(0, 64, 8))
    site = stored.event.get("site", SITE).translate(UNWRITABLE)
    head = f"GM[Othello]PC[{site}]DT[{day_of(stored, '.')}_{stored.started[11:19]}.UTC]PB[{black}]PW[{white}]"
    moves = "".join(map(_move, played.plies()))
    return f"(;{head}RE[{_result(played)}]TI[{_time(stored.clock)}]TY[8]BO[8 {rows} {mover}]{moves};)\n"


def _move(ply: PlayedPly) -> str:
    name = "PA" if ply.made.move.cell is None else ply.made.text.upper()
    worth = None if ply.judged is None else ply.judged.value.amount
    value = "" if worth is None else f"{worth:.2f}"
    time = "" if ply.stored.spent_s is None else f"{ply.stored.spent_s:.2f}"
    return f"{'BW'[ply.made.side]}[{f'{name}/{value}/{time}' if time else f'{name}/{value}' if value else name}]"


def _result(played: Played) -> str:
    """The number of discs by which black leads; `?` if the game was not finished."""
    outcome = played.stored.outcome
    if outcome is None:
        return "?"
    if outcome.reason in ENDS and outcome.winner is not None:
        return f"{ALL_DISCS if outcome.winner == 0 else -ALL_DISCS:+.2f}:{ENDS[outcome.reason]}"
    black, white = (discs.bit_count() for discs in played.positions[-1].discs)
    return f"{black - white:+.2f}"


def _time(clock: Mapping[str, Any]) -> str:
    """Time and increment per side for the game; 0 if there is no limit, or it is per move, which GGF cannot express."""
    if clock.get("kind") != "game":
        return "0"
    increment = f"{shown(clock['increment_s']):0>5}" if clock["increment_s"] else ""
    return f"{shown(clock['time_s']):0>5}/{increment}/00:00"


def ggf_games_in(text: str) -> list[str]:
    """The text of each game: several boards may be played together. At least one."""
    begins = [found.start() for found in BEGIN.finditer(text)]
    return [text[one:end] for one, end in zip(begins, [*begins[1:], len(text)], strict=True)] or [text]


def read_ggf(text: str, _game: str, _rules: Mapping[str, object]) -> Imported:
    begin, end = BEGIN.search(text), END.search(text)
    if begin is None or end is None:
        raise ImportFault("a game in GGF stands between (; and ;): the file is none, or was cut short")
    written = PROPERTY.findall(text, begin.end(), end.start())
    found = [(name.upper(), value) for name, value in written]
    told = ["names of properties are in small letters"] * any(name != name.upper() for name, _ in written)
    head = {name: value.strip() for name, value in reversed(found) if len(name) > 1}
    if head.get("GM", "").lower() != "othello":
        raise ImportFault(f"GM[{head.get('GM', '')[:20]}] is another game; reversi is GM[Othello]")
    rules, start = _start(head.get("BO", ""))
    time, _, rest = head.get("TI", "").partition("/")  # `10:00/00:02/00:00`: increment, and the time after that
    return Imported(
        NAME,
        rules,
        tuple(_ply("BW".index(name), value) for name, value in found if name in ("B", "W")),
        players=(head.get("PB", ""), head.get("PW", "")),
        started=moment(head.get("DT", ""), head.get("DT", "").partition("_")[2]),
        start=start,
        clock=control("game", clock_seconds(time), clock_seconds(rest.partition("/")[0])),
        claim=_claim(head.get("RE", "")),
        departures=tuple(told),
    )


def _ply(side: int, value: str) -> ImportedPly:
    """Parses `F5/1.5/0.3`: cell, evaluation, seconds."""
    cell, _, rest = value.partition("/")
    text = cell.strip().lower()
    return ImportedPly("pass" if text in PASSES else text, side, seconds(rest.partition("/")[2]))


def _start(board: str) -> tuple[dict[str, object], str]:
    """Rules and text of the starting position in `BO[8 ... *]`; the text is empty for the usual start."""
    size, _, rest = board.partition(" ")
    letters = "".join(rest.split()).upper().replace("*", "X")
    if size != "8" or len(letters) != 65:
        raise ImportFault(f"BO[{board[:30]}] is no board of 8 by 8 cells and who moves")
    text = f"{letters[:64]} {letters[64]}"
    for first in ("black", "white"):
        game = games.load(NAME, {"first": first})
        try:
            position = game.parse_position(text)
        except GameError as error:
            raise ImportFault(f"BO[...]: {error}") from None
        if position == game.initial():
            return {"first": first}, ""
    return {}, game.format_position(position)


def _claim(text: str) -> Claim | None:
    """Parses `+12.00`, black's lead, with an optional `:r` (resigned) or `:t` (time)."""
    match = RESULT.fullmatch(text)
    if match is None:
        return None
    lead, reasons = float(match[1]), {flag: reason for reason, flag in ENDS.items()}
    return Claim(None if lead == 0 else int(lead < 0), reasons.get(match[2] or "", ""))


def to_transcript(played: Played) -> str:
    """The moves in one word, without passes.

    Raises ExportError for a set-up start, which a transcript cannot express.
    """
    if played.stored.start:
        raise ExportError(
            "the game began with a position set up by hand, which a transcript cannot tell: --format ggf can"
        )
    transcript: Any = games.part_of(played.game.name, "transcript")
    return str(transcript.write(ply.made.move for ply in played.plies())) + "\n"


def read_transcript(text: str, _game: str, rules: Mapping[str, object]) -> Imported:
    """The game of a transcript; if the rules do not say who begins, the side that can have laid the first disc.

    Raises ImportFault, RuleError.
    """
    transcript: Any = games.part_of(NAME, "transcript")
    fault: MoveError | None = None
    for first in [{}] if "first" in rules else [{}, {"first": "white"}]:
        game = games.load(NAME, {**rules, **first})
        try:
            moves = transcript.read(game, text)
        except MoveError as error:
            fault = fault or error
            continue
        plies = tuple(ImportedPly("pass" if move.cell is None else game.cells[move.cell]) for move in moves)
        return Imported(game.name, {**rules, **first}, plies)
    assert fault is not None
    raise ImportFault(f"{fault} ({fault.rule})")
