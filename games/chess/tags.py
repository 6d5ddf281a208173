"""Tags of PGN, the Portable Game Notation, that tell the rules (`Variant` and `FEN` of Chess960), and evaluations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from games.chess.notation import CLAIM_TEXT
from games.chess.position import USUAL, number_of, position_of, text_of

UNWRITTEN = (CLAIM_TEXT,)
PLAIN = ("", "chess", "standard", "from position")
SHUFFLED = ("chess960", "chess 960", "fischerandom", "fischer random", "freestyle")

MATE, SURE = 1_000_000, 900_000
"""A mate's score, less the plies to it; and scores from which on there is one."""
FIELDS = 6
"""Of a FEN; a shorter one leaves out rights or counters."""
SAN = re.compile(r"(?:[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|P?(?:[a-h]x)?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?)[+#]?")
"""A move in standard algebraic notation; a longer name of where a piece comes from than it needs is in order."""
CHECK = re.compile(r"(?:\+\+|(?:dbl)?ch\.?|mate\.?)$")
"""Check and mate as people write them."""
EVALUATION = re.compile(r"(#?)([+-]?\d{1,6}(?:\.\d{1,4})?)(?:,\d{1,3})?")
"""`0.17`, `#-3`, or with the depth `0.17,20`."""


def evaluation_of(score: float, side: int) -> str:
    """`[%eval]` as others write it: white's pawns, or `#` and the moves to a mate. `score` is the side's, in 1/100."""
    white = -score if side else score
    if abs(score) < SURE:
        return f"{white / 100:.2f}".replace("-0.00", "0.00")
    moves = (MATE - round(abs(score)) + 1) // 2
    return f"#{'-' * (white < 0)}{moves}"


def score_of(text: str, side: int) -> float | None:
    """The score for `side` that an `[%eval]` tells; None if it tells none."""
    found = EVALUATION.fullmatch(text)
    if found is None or (found[1] and not float(found[2]).is_integer()):
        return None
    number = float(found[2])
    mine = (number < 0 or found[2] == "-0") == bool(side)
    if not found[1]:
        score = round(100 * number)
        return float(-score if side else score) + 0.0
    plies = 2 * abs(int(number)) - mine
    return float(MATE - plies if mine else plies - MATE)


def tags_of(game: Any, start: Any) -> dict[str, str]:
    """`Variant "Chess960"` with the start position of its number, and whether draws come by themselves."""
    tags = {} if game.rules.draws == "claimed" else {"Rules": f"draws={game.rules.draws}"}
    if not game.shuffled:
        return tags
    begun = {"SetUp": "1", "FEN": text_of(start)} if start in game.starts else {}
    return {"Variant": "Chess960"} | tags | begun


def departing(tags: Mapping[str, str], end: str) -> list[str]:
    """A FEN that is too short, and moves that no result ends."""
    given = len(tags["FEN"].split()) if "FEN" in tags else FIELDS
    told = [f"the FEN has {given} of its six fields: what it leaves out is none"] * (given < FIELDS)
    return told + ["no result ends the moves"] * (not end)


def mended(word: str, before: str) -> tuple[str, bool, str]:
    """The word without a check in letters or by two signs, and how it departs from standard algebraic notation."""
    bare = CHECK.sub("", word)
    if SAN.fullmatch(bare) is None:
        return bare, False, f"moves are not in standard algebraic notation, such as {word[:20]}"
    return bare, False, f"the check {word[len(bare) :]} is not written as + or #" if bare != word else ""


def rules_of(tags: Mapping[str, str]) -> dict[str, object] | None:
    """The start position's number; None where the tags name another game."""
    variant = tags.get("Variant", "").strip().lower()
    if variant not in PLAIN + SHUFFLED or "GameType" in tags:
        return None
    rules: dict[str, object] = {}
    if "FEN" in tags and variant in SHUFFLED:
        start = position_of(tags["FEN"])
        number = number_of(start.board)
        rules["start"] = USUAL if number is None else number
    if not variant and "Event" not in tags and "White" not in tags:
        return None
    return rules
