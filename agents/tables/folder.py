"""The folders of tables by rules, and the list of subspaces."""

from __future__ import annotations

import os
from pathlib import Path

import places
from agents.tables import MAX_OF_A_SIDE, TableError, files
from games.nine_mens_morris import MIN_MEN, NineMensMorris

ENVIRONMENT = "KIBITZER_TABLES"
"""Environment variable with the folder of all tables; if set but empty, no tables are read or built."""
DECIDING = ("flying", "mill_protected", "diagonals")
"""Rules that change values. The men per side only limit which tables a game can reach; draw rules are ignored."""


def hold(game: NineMensMorris) -> bool:
    """Whether tables hold for a game's rules: positions with all men laid need no more than the men and the mover."""
    rules = game.rules
    return rules.board == "nine" and not (rules.one_time_mills or rules.no_return or rules.three_men_plies)


def root() -> Path | None:
    """The folder of all tables: from the environment, else `var/tables` of the checkout, else in the user's cache."""
    given = os.environ.get(ENVIRONMENT)
    if given is not None:
        return Path(given) if given else None
    beside = places.cache_folder("var/tables")
    if not places.IN_CHECKOUT or beside.is_dir() or os.access(places.PROGRAM, os.W_OK):
        return beside
    return places.cache_folder("tables", in_checkout=False)


def rules_key(game: NineMensMorris) -> str:
    """The rules that decide values as one word: `plain`, or those that are on, such as `flying+mill_protected`."""
    return "+".join(name for name in DECIDING if getattr(game.rules, name)) or "plain"


def of_rules(game: NineMensMorris, within: Path) -> Path:
    """The folder of the tables of a game's rules."""
    return within / f"{game.name}-{rules_key(game)}"


def table_path(folder: Path, own: int, opp: int) -> Path:
    """The file of a subspace."""
    return folder / f"{own}-{opp}.table"


def pairs(men: int, most: int = MAX_OF_A_SIDE) -> list[tuple[int, int]]:
    """Pairs of mutually dependent subspaces with exactly that many men, `own` <= `opp`: (4, 5) includes (5, 4).

    `most` is the largest number of men of one side.
    """
    least = max(MIN_MEN, men - min(most, MAX_OF_A_SIDE))
    return [(own, men - own) for own in range(least, men // 2 + 1)]


def both(own: int, opp: int) -> list[tuple[int, int]]:
    """The subspaces of a pair; only one if both sides have equally many men."""
    return [(own, opp)] if own == opp else [(own, opp), (opp, own)]


def found(folder: Path) -> list[files.Header]:
    """The headers of all complete tables in the folder, small ones first; broken files are skipped."""
    headers = []
    for path in folder.glob("*-*.table"):
        try:
            headers.append(files.read_header(path))
        except TableError:
            continue
    return sorted(headers, key=lambda header: (header.own + header.opp, header.own))
