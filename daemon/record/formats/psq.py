"""Reads gomoku from PSQ, the records of Piskvork and of the Gomocup tournament.

The first line is `Piskvorky 15x15, 0:0, 0`; then comes a line for each stone, `x,y,milliseconds`, counted from 1 at the
top left; then, as far as the program wrote them, the players' files, black's first, and figures that are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from daemon.record.formats.imported import Imported, ImportedPly, ImportFault, loaded

HEAD = re.compile(r"Piskvorky\s+(\d{1,2})x(\d{1,2})\s*,", re.IGNORECASE)
STONE = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})\s*,\s*(-?\d{1,9})")
NAME = re.compile(r"(?:.*[\\/])?(.+?)(?:\.(?:exe|zip))?", re.IGNORECASE)


def read_psq(text: str, _game: str, rules: Mapping[str, object]) -> Imported:
    first, *rest = text.lstrip("\ufeff \r\n").splitlines() or [""]
    head = HEAD.match(first)
    if head is None:
        raise ImportFault(f"a PSQ record begins with Piskvorky and the board's size, not {first[:40]!r}")
    if head[1] != head[2]:
        raise ImportFault(f"the board has {head[1]} by {head[2]} lines; gomoku is played on a square one")
    rules = {"size": head[1], **rules}
    game = loaded("gomoku", rules)
    size, plies, after = round(len(game.cells) ** 0.5), list[ImportedPly](), list[str]()
    told = list[str]()
    for line in map(str.strip, rest):
        if (found := STONE.fullmatch(line)) is None:
            after.append(line)
            continue
        x, y, spent_ms = map(int, found.groups())
        if not (1 <= x <= size and 1 <= y <= size):
            raise ImportFault(f"move {len(plies) + 1}, {x},{y}: no_such_cell: x and y go from 1 to {size}")
        if spent_ms < 0:
            told.append("a time below nought is none")
        plies.append(
            ImportedPly(game.cells[(y - 1) * size + x - 1], spent_s=spent_ms / 1000 if spent_ms >= 0 else None)
        )
    names = [found[1] for line in after[:2] if not line.startswith("-") and (found := NAME.fullmatch(line))]
    black, white = (*names, "", "")[:2]
    return Imported(game.name, rules, tuple(plies), players=(black, white), departures=tuple(told))
