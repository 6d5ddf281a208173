"""Tags of PDN, the Portable Draughts Notation, that tell the rules: `GameType`.

https://pdn.fmjd.org: 20 is international, 21 English, 23 pool, 25 Russian and 26 Brazilian draughts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from rules import RuleError
from rules.options import RULE_SET, parse_rules

UNWRITTEN = ()
JUMP = re.compile(r"([a-h]?\d{1,2})((?:[x:][a-h]?\d{1,2})+)", re.IGNORECASE)
DIGITS = re.compile(r"(\d\d)(\d\d)")
ROWS = 8
"""Of the boards whose squares have names by letters."""
RUSSIAN = "25"
BY_LETTERS = (RUSSIAN, "26")
"""GameTypes whose squares are named by column and row unless they say otherwise."""
FEN = re.compile(r"[WB](?::[WB][K\da-h,-]*){2}\.?")
MOVE = re.compile(r"{0}(?:-{0}|(?:[x:]{0})+)".format(r"(?:[a-h][1-8]|\d\d?)"))
TOGETHER = re.compile(r"([a-h][1-8])([a-h][1-8])")
"""A move of two squares by column and row, between which nothing need stand."""
TYPES = {"20": "international", "21": "english", "23": "pool", "25": "russian", "26": "brazilian"}
"""Rule sets by the number that begins a GameType."""


def tags_of(game: Any, start: Any) -> dict[str, str]:
    """The GameType of the rule set that differs in the fewest options, and the options that differ from it."""
    return dict(_tags(game.__class__, game.rules))


@functools.cache
def _tags(game: Any, rules: Any) -> dict[str, str]:
    known = {number: vars(parse_rules(game, {RULE_SET: name})) for number, name in TYPES.items()}
    differing = {
        number: {name: value for name, value in vars(rules).items() if value != options[name]}
        for number, options in known.items()
    }
    nearest = min(differing, key=lambda number: (len(differing[number]), number != "21"))
    more = " ".join(f"{name}={value}".lower() for name, value in differing[nearest].items())
    return {"GameType": nearest} | ({"Rules": more} if more else {})


def rules_of(tags: Mapping[str, str]) -> dict[str, object] | None:
    """The rule set of a GameType; None where the tags name another game. Raises RuleError for one that we lack."""
    named = tags.get("Variant", "draughts").strip().lower() == "draughts"
    if "GameType" not in tags and not named:
        return None
    if "GameType" not in tags:
        return {} if "Variant" in tags else None
    number = tags["GameType"].split(",")[0].strip()
    if number not in TYPES:
        known = ", ".join(f"{one} ({name})" for one, name in TYPES.items())
        raise RuleError(f"GameType {number[:20]} of PDN is another game; known are {known}")
    return {RULE_SET: TYPES[number]}


def written(game: Any, text: str) -> str:
    """A move or a position in the names of squares and with the mark of a capture that its GameType wants."""
    kind = tags_of(game, None)["GameType"]
    if kind not in BY_LETTERS or game.geometry.size != ROWS:
        return text
    named = re.sub(r"\d+", lambda found: game.geometry.lettered(int(found[0]) - 1), text)
    return named.replace("x", ":") if kind == RUSSIAN else named


def departing(tags: Mapping[str, str], end: str) -> list[str]:
    """A FEN that is not written as PDN has it, or in the names of squares of another GameType."""
    text, (kind, *more) = tags.get("FEN", ""), tags.get("GameType", "").split(",")
    told = [] if not text or FEN.fullmatch(text) else ["the FEN has blanks or other letters than W, B and K"]
    lettered = more[3].strip().upper().startswith("A") if len(more) > 3 else kind.strip() in BY_LETTERS
    if re.search(r"[a-h]\d", text) and not lettered:
        told.append("the FEN names squares by letters, and this GameType by numbers")
    return told


def mended(word: str, before: str) -> tuple[str, bool, str]:
    """A word in PDN's form, whether it goes on with the move before it, and what of it was written otherwise."""
    if (pair := TOGETHER.fullmatch(word)) is not None:
        return "-".join(pair.groups()), False, ""
    if (digits := DIGITS.fullmatch(word)) is not None:
        return f"{int(digits[1])}-{int(digits[2])}", False, "squares are written by two digits, without a hyphen"
    jump = JUMP.fullmatch(word)
    if jump and JUMP.fullmatch(before) and re.split("[x:]", before)[-1].lower() == jump[1].lower():
        return before + jump[2], True, "jumps of one capture stand apart"  # no other piece can stand there
    return word, False, "" if MOVE.fullmatch(word) else f"moves are not written as 11-15 or 22x15, such as {word[:20]}"
