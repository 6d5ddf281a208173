"""Go in the Smart Game Format, GM[1]: komi, handicap, rules by their usual names, passes, and territory at the end.

RU names a set of rules (`Japanese`, `Chinese`, `NZ`), or lists our options: `territory superko`. A handicap on other
points than ours is a position set up by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from games.go import PASS_TEXT, Go, Move, Position
from games.go.board import COLUMNS, board
from rules import GameError

NUMBER = "1"
SIZE = "19"
MOVES = ("B", "W")
PASS = PASS_TEXT
HANDICAPS = frozenset("23456789")
POINTS = re.compile(r"[+-]?\d{1,6}(?:\.\d{0,6}|/[1-9]\d{0,2})?")
REAL = re.compile(r"[+-]?\d+(?:\.\d+)?")
"""A number as SGF has it."""
HUNDREDTHS = 100
"""From so much on a komi is in hundredths of a point."""
NAMES: dict[str, dict[str, object]] = {
    "japanese": {"scoring": "territory"},
    "korean": {"scoring": "territory"},
    "chinese": {"scoring": "area", "superko": True},
    "aga": {"scoring": "area", "superko": True},
    "goe": {"scoring": "area", "superko": True},
    "nz": {"scoring": "area", "superko": True, "suicide": True},
}
WRITTEN = {"japanese": "Japanese", "chinese": "Chinese", "nz": "NZ"}
LETTERS = "abcdefghijklmnopqrs"


def mend(nodes: list[dict[str, list[str]]]) -> list[str]:
    """Komi in hundredths or with a comma, and handicap stones that are laid as moves or set up after the first node."""
    root, told = nodes[0], list[str]()
    while len(nodes) > 1 and not {"B", "W"} & nodes[0].keys() and {"AB", "AW"} & nodes[1].keys():
        told.append("the stones of the second node are set up before the game")
        stones = {name: root.get(name, []) + nodes[1].get(name, []) for name in ("AB", "AW")}
        nodes[0:2] = [{**nodes[1], **root, **stones}]
        root = nodes[0]
    written = "".join(root.get("KM", [])[:1]).strip()
    if written and (komi := _komi(written)) != written:
        if not komi or not REAL.fullmatch(written) or float(written) != float(komi):
            told.append(f"KM[{written[:20]}] is read as {komi or 'no komi'}")
        root["KM"] = [komi]
    if not written or not root["KM"][0]:
        told.append("no komi is told: none is counted")
        root["KM"] = ["0"]
    handicap = "".join(root.get("HA", [])[:1]).strip()
    count = int(handicap) if handicap in HANDICAPS else 0
    laid = [node for node in nodes[1:] if {"B", "W"} & node.keys()][:count]
    ours = all("W" not in node and len(node["B"]) == 1 for node in laid)
    if 0 < count == len(laid) and ours and not root.get("AB"):
        root["AB"] = [value for node in laid for value in node.pop("B")]
        told.append(f"the first {handicap} moves of black are its handicap stones")
    return told


def _komi(text: str) -> str:
    """The points of `6,5`, `3 3/4`, of hundredths, and of 3.75 stones, which count twice; empty for what is none."""
    words = text.replace(",", ".").replace("½", " 1/2").split()
    if not all(map(POINTS.fullmatch, words)):
        return ""
    points = sum(map(Fraction, words), Fraction(0))
    points = points / 100 if abs(points) >= HUNDREDTHS else points
    points = points if (2 * points).denominator == 1 else 2 * points
    return f"{float(points):g}" if (2 * points).denominator == 1 else ""


def rules_of(nodes: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, object]:
    """The rules that a record names, Japanese ones where it names none."""
    root = nodes[0]
    words = "".join(root.get("RU", [])[:1]).lower().replace("-", " ").split()
    rules: dict[str, object] = dict(NAMES.get(words[0] if words else "japanese", {}))
    rules |= {name: True for name in ("superko", "suicide") if name in words}
    if scoring := next((name for name in ("area", "territory") if name in words), ""):
        rules["scoring"] = scoring
    komi = "".join(root.get("KM", [])[:1]).strip()
    if komi:
        try:
            rules["komi"] = f"{float(komi):g}"
        except ValueError:
            raise GameError(f"KM[{komi[:20]}] is no number of points") from None
    handicap, size = "".join(root.get("HA", [])[:1]).strip(), "".join(root.get("SZ", [SIZE])[:1]).strip()
    given = {value for name in ("AB", "AW") for value in root.get(name, ())}
    if handicap in HANDICAPS and size.isdecimal() and given == _stars(int(size), int(handicap)):
        rules["handicap"] = int(handicap)
    return rules


def _stars(size: int, stones: int) -> set[str]:
    """The points of our handicap in SGF's letters."""
    if not 9 <= size <= len(COLUMNS):
        return set()
    lines = board(size)
    cells = (lines.index[name] for name in lines.names(lines.handicap(stones)))
    return {LETTERS[cell % size] + LETTERS[cell // size] for cell in cells}


def root_of(game: Go) -> dict[str, str]:
    """RU, KM, and HA with a handicap."""
    options = {name: getattr(game.rules, name) for name in ("scoring", "superko", "suicide")}
    usual: dict[str, object] = {"superko": False, "suicide": False}
    named = next((WRITTEN[name] for name, own in NAMES.items() if name in WRITTEN and usual | own == options), "")
    words = [str(name if value is True else value) for name, value in options.items() if value]
    handicap = {"HA": str(game.rules.handicap)} if game.rules.handicap else {}
    return {"RU": named or " ".join(words), "KM": game.rules.komi, **handicap}


def text_of(name: str, value: str, point: str) -> str:
    """The point, or a pass."""
    return point or PASS_TEXT


def property_of(game: Go, position: Position, move: Move) -> tuple[str, str]:
    """`B` or `W` with the cell's name; empty for a pass."""
    return MOVES[position.side], "" if move.cell is None else game.cells[move.cell]


def black(position: Position) -> int:
    return 0


def territory(game: Go, position: Position) -> dict[str, list[str]]:
    """The points that count for each side after the end, and those of the other's dead stones."""
    if game.outcome(position) is None:
        return {}
    lost = (position.dead & stones for stones in reversed(position.stones))
    one, other = (own | dead for own, dead in zip(game.count(position).territory, lost, strict=True))
    return {"TB": game.geometry.names(one), "TW": game.geometry.names(other)}


def last(game: Go, position: Position, text: str, territory: Mapping[str, Sequence[str]]) -> str:
    """The pass that ends the game, with the stones that lie in the other side's territory as dead."""
    if text != PASS_TEXT or not position.passes or not territory:
        return text
    ends = [sum(1 << game.geometry.index[name] for name in territory.get(one, ())) for one in ("TB", "TW")]
    dead = ends[0] & position.stones[1] | ends[1] & position.stones[0]
    return game.format_move(position, Move(None, dead))
