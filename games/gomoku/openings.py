"""Names of the 26 openings of renju, which gomoku players use too: black in the middle, white beside it, black near.

With white's stone beside the middle on its line (direct) or diagonal (indirect), black's second stone lies within two
lines of the middle; the names are those of the Renju International Federation, 1 to 13, and hold in any symmetry.
"""

from __future__ import annotations

import functools

from games.gomoku.board import board

SIZE = 15
"""Lines of the board of renju."""
DIRECT = {
    "Kansei": "h10",
    "Keigetsu": "i10",
    "Sosei": "j10",
    "Kagetsu": "i9",
    "Zangetsu": "j9",
    "Ugetsu": "i8",
    "Kinsei": "j8",
    "Shogetsu": "h7",
    "Kyugetsu": "i7",
    "Shingetsu": "j7",
    "Zuisei": "h6",
    "Sangetsu": "i6",
    "Yusei": "j6",
}
INDIRECT = {
    "Chosei": "j10",
    "Kyogetsu": "j9",
    "Kosei": "j8",
    "Suigetsu": "j7",
    "Ryusei": "j6",
    "Ungetsu": "i8",
    "Hogetsu": "i7",
    "Rangetsu": "i6",
    "Gingetsu": "h7",
    "Myojo": "h6",
    "Shagetsu": "g7",
    "Meigetsu": "g6",
    "Suisei": "f6",
}
LINES = {
    **{name: ("h8", "h9", black) for name, black in DIRECT.items()},
    **{name: ("h8", "i9", black) for name, black in INDIRECT.items()},
}
Stones = tuple[int, int]
"""Black's and white's stones, a bit per point."""


def opening(stones: Stones) -> str:
    """The name of the opening that three stones on the board of renju make; empty for any others."""
    return _named().get(stones, "")


@functools.cache
def _named() -> dict[Stones, str]:
    turns = [(across, down, is_turned) for across in (1, -1) for down in (1, -1) for is_turned in (False, True)]
    return {_stones(line, *turn): name for name, line in LINES.items() for turn in turns}


def _stones(line: tuple[str, ...], across: int, down: int, is_turned: bool) -> Stones:
    """Three stones, mirrored across or down and on a diagonal."""
    stones, middle = [0, 0], SIZE // 2
    for ply, name in enumerate(line):
        row, column = divmod(board(SIZE).index[name], SIZE)
        place = middle + down * (row - middle), middle + across * (column - middle)
        row, column = place[::-1] if is_turned else place
        stones[ply % 2] |= 1 << row * SIZE + column
    return stones[0], stones[1]
