"""Reads reversi from GGF and from transcripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import games
from daemon.storage.importing.imported import (
    Claim,
    Imported,
    ImportedPly,
    ImportFault,
    clock_seconds,
    control,
    moment,
    seconds,
)
from games.reversi import Reversi, transcript
from rules import GameError, MoveError

BEGIN, END = re.compile(r"\(\s*;"), re.compile(r";\s*\)")
PROPERTY = re.compile(r"([A-Z]+)\s*\[([^\]]*)\]")
RESULT = re.compile(r"([+-]?\d{1,3}(?:\.\d{1,4})?)(?::([a-z]))?")
ENDS = {"r": "resigned", "t": "time"}
PASSES = ("pa", "pass", "--", "ps")


def read_ggf(text: str) -> Imported:
    """The first game of a GGF text. Raises ImportFault."""
    begin, end = BEGIN.search(text), END.search(text)
    if begin is None or end is None:
        raise ImportFault("a game in GGF stands between (; and ;): the file is none, or was cut short")
    found = PROPERTY.findall(text, begin.end(), end.start())
    head = {name: value.strip() for name, value in reversed(found) if len(name) > 1}
    if head.get("GM", "").lower() != "othello":
        raise ImportFault(f"GM[{head.get('GM', '')[:20]}] is another game; reversi is GM[Othello]")
    rules, start = _start(head.get("BO", ""))
    return Imported(
        Reversi.name,
        rules,
        tuple(_ply("BW".index(name), value) for name, value in found if name in ("B", "W")),
        players=(head.get("PB", ""), head.get("PW", "")),
        started=moment(head.get("DT", ""), head.get("DT", "").partition("_")[2]),
        start=start,
        clock=_clock(head.get("TI", "")),
        claim=_claim(head.get("RE", "")),
    )


def read_transcript(text: str, rules: Mapping[str, object]) -> Imported:
    """The game of a transcript; if the rules do not say who begins, the side that can have laid the first disc.

    Raises ImportFault.
    """
    fault: MoveError | None = None
    for first in [{}] if "first" in rules else [{}, {"first": "white"}]:
        game = games.load(Reversi.name, {**rules, **first})
        assert isinstance(game, Reversi)
        try:
            moves = transcript.read(game, text)
        except MoveError as error:
            fault = fault or error
            continue
        plies = tuple(ImportedPly("pass" if move.cell is None else game.cells[move.cell]) for move in moves)
        return Imported(game.name, {**rules, **first}, plies)
    assert fault is not None
    raise ImportFault(f"{fault} ({fault.rule})")


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
        game = games.load(Reversi.name, {"first": first})
        try:
            position = game.parse_position(text)
        except GameError as error:
            raise ImportFault(f"BO[...]: {error}") from None
        if position == game.initial():
            return {"first": first}, ""
    return {}, game.format_position(position)


def _clock(text: str) -> Mapping[str, Any]:
    """Parses `10:00/00:02/00:00`: time per side, increment per move, and the time after that."""
    time, _, rest = text.partition("/")
    time_s = clock_seconds(time)
    return control("game", time_s, clock_seconds(rest.partition("/")[0]) or 0.0) if time_s else {}


def _claim(text: str) -> Claim | None:
    """Parses `+12.00`, black's lead, with an optional `:r` (resigned) or `:t` (time)."""
    match = RESULT.fullmatch(text)
    if match is None:
        return None
    lead = float(match[1])
    return Claim(None if lead == 0 else int(lead < 0), ENDS.get(match[2] or "", ""))
