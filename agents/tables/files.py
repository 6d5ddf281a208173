"""One endgame table per file: a header of 1024 bytes, then one byte per slot.

The header is a line with magic and version, a line of JSON (`Header`), and padding spaces. A file is written under
another name and renamed when complete, so that no reader or second writer ever finds half a table.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.tables import TableError

MAGIC = b"KIBITZER MORRIS ENDGAMES 1\n"
"""Includes the version; a change of numbering or encoding needs a new version."""
HEADER_BYTES = 1024
TEXTS = ("rules", "checksum")
Codes = NDArray[np.uint8]


@dataclasses.dataclass(frozen=True)
class Header:
    rules: str
    """The rules that decide values, as `agents.tables.folder.rules_key` writes them."""
    own: int
    """Men of the mover."""
    opp: int
    """Men of the enemy."""
    slots: int
    orbits: int
    """Positions up to symmetry."""
    wins: int
    """Positions won for the mover, each with all its images; losses and draws count likewise."""
    losses: int
    draws: int
    longest_win: int
    """Plies of the longest win."""
    longest_loss: int
    checksum: str
    """BLAKE2b of the codes, 16 bytes in hexadecimal."""

    @property
    def total(self) -> int:
        """All positions including all their images."""
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
        if any(not isinstance(value, str if name in TEXTS else int) for name, value in vars(header).items()):
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
