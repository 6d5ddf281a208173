"""Reads gomoku from PSQ, the records of Piskvork and of the Gomocup tournament.

The first line is `Piskvorky 15x15, 0:0, 0`; then comes a line for each stone, `x,y,milliseconds`, counted from 1 at the
top left; then, as far as the program wrote them, the players' files, black's first, and figures that are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import games
from daemon.storage.importing.imported import Imported, ImportedPly, ImportFault
from games.gomoku import Gomoku
from rules import GameError

HEAD = re.compile(r"Piskvorky\s+(\d{1,2})x(\d{1,2})\s*,", re.IGNORECASE)
STONE = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})\s*,\s*(\d{1,9})")
NAME = re.compile(r"(?:.*[\\/])?(.+?)(?:\.(?:exe|zip))?", re.IGNORECASE)


def read_psq(text: str, rules: Mapping[str, object]) -> Imported:
    """The game; black begins. Raises ImportFault."""
    first, *rest = text.lstrip("\ufeff \r\n").splitlines() or [""]
    head = HEAD.match(first)
    if head is None:
        raise ImportFault(f"a PSQ record begins with Piskvorky and the board's size, not {first[:40]!r}")
    if head[1] != head[2]:
        raise ImportFault(f"the board has {head[1]} by {head[2]} lines; gomoku is played on a square one")
    try:
        game = games.load(Gomoku.name, {"size": head[1], **rules})
    except GameError as error:
        raise ImportFault(str(error)) from None
    assert isinstance(game, Gomoku)
    stones = [found for line in rest if (found := STONE.fullmatch(line.strip()))]
    after = [line.strip() for line in rest if not STONE.fullmatch(line.strip())]
    names = [found[1] for line in after[:2] if not line.startswith("-") and (found := NAME.fullmatch(line))]
    plies = tuple(
        ImportedPly(_point(game, number, int(found[1]), int(found[2])), spent_s=int(found[3]) / 1000)
        for number, found in enumerate(stones, 1)
    )
    black, white = (*names, "", "")[:2]
    return Imported(game.name, {"size": head[1], **rules}, plies, players=(black, white))


def _point(game: Gomoku, number: int, x: int, y: int) -> str:
    """Raises ImportFault."""
    if not (1 <= x <= game.size and 1 <= y <= game.size):
        raise ImportFault(f"move {number}, {x},{y}: no_such_cell: x and y go from 1 to {game.size}")
    return game.cells[(y - 1) * game.size + x - 1]
