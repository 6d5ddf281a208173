"""Two pages on a scored game of dominoes: the board as it lies at the end, and what every tile brought."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.arrays import FloatArray
from calibration.printed import PIPS
from calibration.template import BoardTemplate
from daemon.scoring.scorer import WHY, ScoredMove
from daemon.scoring.sightings import Placed
from games.double_double_dominoes import CELLS
from games.double_double_dominoes.position import SIDES
from rules import Side
from vision.primitives.printed import outline_mm
from vision.sheet.ink import PAPERS_MM, Colour, Ink, Page, box, disc
from vision.sheet.letters import words

PAPER = PAPERS_MM["a4"]
EDGE_MM = 12.0
"""Millimetres of white at the edge of the paper."""
TITLE_MM, TEXT_MM = 6.0, 3.4
"""Size of the letters."""
ROW_MM = 6.2
"""Height of a row of the table: thirty moves and all else fit on a page; it is less where there are more."""
BAR_MM = 7.0
"""Height of a player's way along the track."""
SPACES = 100
BLACK: Colour = (24, 26, 32)
WHITE: Colour = (250, 250, 246)
GREY: Colour = (110, 110, 116)
RULE: Colour = (200, 200, 206)
SHADES: tuple[Colour, Colour] = ((176, 32, 40), (18, 120, 70))
"""Red's and green's colour."""
COLUMNS = (
    ("photo", 0.05),
    ("player", 0.14),
    ("tile", 0.22),
    ("squares", 0.32),
    ("diamonds", 0.44),
    ("bonus", 0.54),
    ("points", 0.63),
    ("to the other", 0.75),
    ("red", 0.87),
    ("green", 0.95),
)
"""Headings, and where the middle of each column is as a share of the width."""


@dataclasses.dataclass(frozen=True)
class Scored:
    game: int
    moves: Sequence[ScoredMove]
    uncounted: Sequence[Placed]
    """Tiles that lie on the board without a move of their own."""
    pawns: tuple[int, int]
    """The scores."""

    @property
    def counted(self) -> list[tuple[ScoredMove, Placed]]:
        return [(move, move.placed) for move in self.moves if move.placed is not None]

    @property
    def title(self) -> str:
        return f"Double Double Dominoes, game {self.game}: red {self.pawns[0]}, green {self.pawns[1]}"


def pages_of(scored: Scored, template: BoardTemplate) -> tuple[Page, Page]:
    return (
        Page(PAPER, (*_head(scored), *_board(scored, template)), scored.title),
        Page(PAPER, (*_head(scored), *_table(scored)), scored.title),
    )


def _head(scored: Scored) -> Iterator[Ink]:
    yield words(scored.title, (PAPER[0] / 2, EDGE_MM + TITLE_MM), TITLE_MM, BLACK, bold=True)


def _board(scored: Scored, template: BoardTemplate) -> Iterator[Ink]:
    assert template.printed is not None
    outlines = [outline_mm(shape) for shape in template.printed.shapes]
    low, high = (edge(np.concatenate(outlines), axis=0) for edge in (np.min, np.max))
    scale = (PAPER[0] - 2 * EDGE_MM) / (high - low)[0]
    top = EDGE_MM + 2 * TITLE_MM
    matrix = np.column_stack([scale * np.eye(2), np.array([EDGE_MM, top]) - scale * low])
    inks = [
        Ink((outline,), (shape.colour[2], shape.colour[1], shape.colour[0]))
        for shape, outline in zip(template.printed.shapes, outlines, strict=True)
    ]
    for move, placed in scored.counted:
        inks += _tile(placed, template, SHADES[placed.side], str(move.name.number))
    for placed in scored.uncounted:
        inks += _tile(placed, template, GREY, "")
    for side, space in enumerate(scored.pawns):
        inks += _pawn(template, side, space)
    yield from (ink.carried(matrix) for ink in inks)
    base = top + scale * (high - low)[1] + 2 * TEXT_MM
    yield words(
        "The number on a tile is its photo's, the rim the player's colour. The rings on the track are the pawns.",
        (PAPER[0] / 2, base),
        TEXT_MM,
        GREY,
    )


def _tile(placed: Placed, template: BoardTemplate, shade: Colour, number: str) -> Iterator[Ink]:
    """A tile in board millimetres: its rim in the player's colour, its pips, and its number on the bar."""
    pitch = template.pitch_mm
    first, second = (template.cells_mm[cell] for cell in placed.lay.cells)
    along = (second - first) / pitch
    across, centre = np.array([-along[1], along[0]]), (first + second) / 2
    half = np.abs(along) * pitch + np.abs(across) * pitch / 2
    for inset, colour in ((0.02, shade), (0.1, WHITE)):
        low, high = centre - half + inset * pitch, centre + half - inset * pitch
        yield Ink((box(low[0], low[1], high[0], high[1], 0.1 * pitch),), colour)
    for place, pips in zip((first, second), placed.lay.pips, strict=True):
        for way, aside in PIPS[pips]:
            yield Ink((disc(place + 0.26 * pitch * (way * along + aside * across), 0.17 * pitch),), BLACK)
    if number:
        yield Ink((disc(centre, 0.46 * pitch),), shade)
        yield words(number, (float(centre[0]), float(centre[1]) + 0.11 * pitch), 0.32 * pitch, WHITE, bold=True)


def _pawn(template: BoardTemplate, side: Side, space: int) -> Iterator[Ink]:
    """A ring around the space of the track; a second pawn on the same space is a wider one."""
    if space == 0 or template.printed is None:
        return
    place: FloatArray = template.printed.track_mm[space - 1]
    wide = (1.1 + 0.3 * side) * template.pitch_mm
    yield Ink((disc(place, wide), disc(place, wide - 0.24 * template.pitch_mm)[::-1]), SHADES[side])


def _table(scored: Scored) -> Iterator[Ink]:
    width, top = PAPER[0] - 2 * EDGE_MM, EDGE_MM + 2 * TITLE_MM
    below = 2 * (BAR_MM + 3 * TEXT_MM) + 6 * TEXT_MM
    row_mm = min(ROW_MM, (PAPER[1] - EDGE_MM - top - below) / (len(scored.moves) + 2))
    text_mm = min(TEXT_MM, 0.6 * row_mm)

    def line(row: int, texts: Sequence[str], colour: Colour, bold: bool = False) -> Iterator[Ink]:
        base = top + (row + 0.7) * row_mm
        for text, (_, share) in zip(texts, COLUMNS, strict=True):
            if text:
                yield words(text, (EDGE_MM + share * width, base), text_mm, colour, bold)
        edge = top + (row + 1) * row_mm
        yield Ink((box(EDGE_MM, edge - 0.1, PAPER[0] - EDGE_MM, edge + 0.1),), RULE)

    yield from line(0, [name for name, _ in COLUMNS], GREY, bold=True)
    for row, move in enumerate(scored.moves, 1):
        colour = GREY if move.placed is None else SHADES[move.placed.side]
        yield from line(row, cells_of_row(move), colour)
        if move.placed is None:
            told = WHY[move.status].format(wrong=move.wrong_cells)
            yield words(told, (EDGE_MM + width / 2, top + (row + 0.7) * row_mm), text_mm, GREY)
    at = top + (len(scored.moves) + 1) * row_mm + 3 * TEXT_MM
    for side in (0, 1):
        yield from _way(scored, side, at)
        at += BAR_MM + 3 * TEXT_MM


def cells_of_row(move: ScoredMove) -> list[str]:
    """The texts of a row, a "?" after the number of a photo that is not sure."""
    placed = move.placed
    name = f"{move.name}{'' if placed is None or move.annotation is not None else ' ?'}"
    if placed is None:
        return [name, *[""] * (len(COLUMNS) - 1)]
    own, other = placed.gains[placed.side], placed.gains[1 - placed.side]
    first, second = (CELLS[cell] for cell in placed.lay.cells)
    tile = "-".join(map(str, placed.lay.pips))
    points = (own.points, own.bonus, own.total, other.total)
    return [name, SIDES[placed.side], tile, f"{first} {second}", *map(str, points), *map(str, placed.pawns)]


def _way(scored: Scored, side: Side, top: float) -> Iterator[Ink]:
    """A player's way along the track: a step for every tile that moved the pawn, and the sums."""
    width = PAPER[0] - 2 * EDGE_MM
    gains = [placed.gains[side] for _, placed in scored.counted]
    diamonds, bonus = sum(gain.points for gain in gains), sum(gain.bonus for gain in gains)
    told = f"{SIDES[side]}: {diamonds} from diamonds, {bonus} bonus; the pawn stands on {scored.pawns[side]}"
    yield words(told, (PAPER[0] / 2, top + TEXT_MM), TEXT_MM, SHADES[side], bold=True)
    bar = top + 1.6 * TEXT_MM
    yield Ink((box(EDGE_MM, bar, EDGE_MM + width, bar + BAR_MM),), RULE)
    stood = 0
    for move, placed in scored.counted:
        stands = placed.pawns[side]
        if stands > stood:
            left, right = (EDGE_MM + width * space / SPACES for space in (stood, stands))
            yield Ink((box(left + 0.15, bar, right - 0.15, bar + BAR_MM),), SHADES[side])
            size = min(TEXT_MM, 0.6 * (right - left))
            yield words(str(move.name.number), ((left + right) / 2, bar + BAR_MM / 2 + size / 3), size, WHITE)
        stood = stands
