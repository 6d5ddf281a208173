"""The files of endgame tables, one per subspace, and the folders that hold them, one for each set of rules.

A file is a header of 1024 bytes, then one byte per slot. The header is a line with magic and version, a line of JSON
(`Header`), and padding spaces. A file is written under another name and renamed when complete, so that no reader or
second writer ever finds half a table.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.tables import MAX_OF_A_SIDE, TableError
from games.nine_mens_morris import MIN_MEN, NineMensMorris
from system import paths

MAGIC = b"KIBITZER MORRIS ENDGAMES 1\n"
"""Includes the version; a change of numbering or encoding needs a new version."""
HEADER_BYTES = 1024
TEXTS = ("rules", "checksum")
Codes = NDArray[np.uint8]


@dataclasses.dataclass(frozen=True)
class Header:
    rules: str
    own: int
    opp: int
    slots: int
    orbits: int
    wins: int
    """Positions won for the mover, each with all its images; losses and draws count likewise."""
    losses: int
    draws: int
    longest_win: int
    longest_loss: int
    checksum: str
    """BLAKE2b of the codes, 16 bytes in hexadecimal."""

    @property
    def total(self) -> int:
        return self.wins + self.losses + self.draws


def checksum(codes: Codes) -> str:
    return hashlib.blake2b(np.ascontiguousarray(codes).data, digest_size=16).hexdigest()


def write(path: Path, header: Header, codes: Codes) -> None:
    text = MAGIC + json.dumps(dataclasses.asdict(header)).encode() + b"\n"
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            file.write(text.ljust(HEADER_BYTES))
            file.write(codes.data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_header(path: Path) -> Header:
    """The header of a complete file. Raises TableError with the reason if the file is not one."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            text = file.read(HEADER_BYTES)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}") from None
    if not text.startswith(MAGIC):
        raise TableError(
            f"{path} is no endgame table of this version: it does not begin with {MAGIC.decode().strip()!r}"
        )
    if len(text) < HEADER_BYTES:
        raise TableError(f"{path} is cut short: it has {size} bytes and a header has {HEADER_BYTES}")
    try:
        header = Header(**json.loads(text[len(MAGIC) :]))
        if any(type(value) is not (str if name in TEXTS else int) for name, value in vars(header).items()):
            raise ValueError("a number is no number, or a text no text")
    except (ValueError, TypeError, RecursionError) as error:
        raise TableError(f"{path} has a damaged header: {error}") from None
    if size != HEADER_BYTES + header.slots:
        raise TableError(f"{path} is cut short or too long: {size} bytes, not {HEADER_BYTES + header.slots}")
    return header


def read(path: Path, rules: str, own: int, opp: int) -> tuple[Header, Codes]:
    """A table mapped into memory, read-only. Raises TableError if it is damaged, of other rules or another subspace.

    Reads the whole file (1 ms a megabyte) to compare its checksum: a wrong code would be played as proven.
    """
    header = read_header(path)
    if header.rules != rules:
        raise TableError(f"{path} is of the rules {header.rules}, not {rules}")
    if (header.own, header.opp) != (own, opp):
        raise TableError(f"{path} is the table {header.own}-{header.opp}, not {own}-{opp}")
    codes = np.memmap(path, dtype=np.uint8, mode="r", offset=HEADER_BYTES)
    if checksum(codes) != header.checksum:
        raise TableError(f"{path} is damaged: its codes do not have the checksum {header.checksum}")
    return header, codes


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
    beside = paths.cache_folder("var/tables")
    if not paths.IN_CHECKOUT or beside.is_dir() or os.access(paths.PROGRAM, os.W_OK):
        return beside
    return paths.cache_folder("tables", in_checkout=False)


def rules_key(game: NineMensMorris) -> str:
    """The rules that decide values as one word: `plain`, or those that are on, such as `flying+mill_protected`."""
    return "+".join(name for name in DECIDING if getattr(game.rules, name)) or "plain"


def of_rules(game: NineMensMorris, within: Path) -> Path:
    return within / f"{game.name}-{rules_key(game)}"


def table_path(folder: Path, own: int, opp: int) -> Path:
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


def found(folder: Path) -> list[Header]:
    """The headers of all complete tables in the folder, small ones first; broken files are skipped."""
    headers = []
    for path in folder.glob("*-*.table"):
        try:
            headers.append(read_header(path))
        except TableError:
            continue
    return sorted(headers, key=lambda header: (header.own + header.opp, header.own))
