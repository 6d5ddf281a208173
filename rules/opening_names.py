"""Names of known openings, by the positions on the way to them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def names_on(lines: Mapping[str, Iterable[K]]) -> dict[K, str]:
    """The name of every position on a line: its own, else the last one on the way there, in the order of the lines.

    A line is the keys of its positions, without the start; the last one has the line's name. Positions before the first
    name are left out.
    """
    ways = {name: tuple(line) for name, line in lines.items()}
    own = {way[-1]: name for name, way in ways.items()}
    found = dict(own)
    for way in ways.values():
        latest = ""
        for key in way:
            latest = own.get(key, latest)
            if latest:
                found.setdefault(key, latest)
    return found
