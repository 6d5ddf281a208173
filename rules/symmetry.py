"""The ways to turn and mirror a game's board that change nothing."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence

from rules import EMPTY, AnyGame


@functools.cache
def _symmetries(
    cells: tuple[str, ...], neighbours: tuple[int, ...], points: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    places = [_place(name) for name in cells]
    if None in places:
        return (tuple(range(len(cells))),)
    letters = sorted({place[0] for place in places if place is not None})  # some boards have no column I
    known = [(letters.index(place[0]), place[1]) for place in places if place is not None]
    lowest, highest = ([pick(one[axis] for one in known) for axis in (0, 1)] for pick in (min, max))
    # Twice the distance from the middle, so that it is a whole number.
    middle = [(2 * x - lowest[0] - highest[0], 2 * y - lowest[1] - highest[1]) for x, y in known]
    index = {place: cell for cell, place in enumerate(middle)}
    rings = {max(abs(x), abs(y)) for x, y in middle}
    inward = {ring: min(rings) + max(rings) - ring for ring in rings} if neighbours and 0 not in rings else {}
    found = []
    for turned in itertools.product((False, True), (1, -1), (1, -1), (False, True) if inward else (False,)):
        swapped, first, second, inverted = turned
        images = []
        for x, y in middle:
            a, b = (y, x) if swapped else (x, y)
            ring = max(abs(a), abs(b))
            more = inward[ring] if inverted else ring
            image = (
                (first * a * more // (ring or 1), second * b * more // (ring or 1))
                if inverted
                else (first * a, second * b)
            )
            images.append(index.get(image, -1))
        if sorted(images) == list(range(len(cells))) and _keeps(images, neighbours, points):
            found.append(tuple(images))
    return tuple(dict.fromkeys(found))


def _place(name: str) -> tuple[str, int] | None:
    """Column and row of a cell named by a letter and a number, in either order."""
    match = re.fullmatch(r"([A-Za-z])(\d+)|(\d+)([A-Za-z])", name)
    return None if match is None else ((match[1] or match[4]).lower(), int(match[2] or match[3]))


def _keeps(images: Sequence[int], neighbours: Sequence[int], points: Sequence[int]) -> bool:
    """Whether lines lead to lines, and cells to cells that bring as many points."""
    if any(points[cell] != points[image] for cell, image in enumerate(images) if points):
        return False
    for cell, image in enumerate(images):
        if neighbours:
            near = sum(1 << images[other] for other in range(len(images)) if neighbours[cell] >> other & 1)
            if near != neighbours[image]:
                return False
    return True


def symmetries(game: AnyGame) -> tuple[tuple[int, ...], ...]:
    """The ways to turn and mirror the board that change nothing: for each cell, the index of its image; itself first.

    Morris may also be turned inside out. Cells must be named by column and row, else only the board itself is told.
    """
    return _symmetries(game.cells, game.about.neighbours, game.about.cell_points)


def images(game: AnyGame, board: str) -> tuple[str, ...]:
    """The board in every symmetry, without duplicates, as it is first."""
    turned = []
    for symmetry in symmetries(game):
        letters = [EMPTY] * len(board)
        for cell, image in enumerate(symmetry):
            letters[image] = board[cell]
        turned.append("".join(letters))
    return tuple(dict.fromkeys(turned))
