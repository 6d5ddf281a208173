"""A game as one picture: the board after each move, or after every n-th, drawn from the board's template."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import cv2
import numpy as np

from calibration.template import load_template
from daemon.drawing import lettering
from daemon.drawing.diagram import Diagram
from daemon.drawing.lettering import Colour, write
from daemon.judging import phrases
from daemon.record.formats.played import ExportError, Played, day_of
from rules import Counts, HiddenHands, Step, figures_of
from rules.options import switched_on
from vision.frame import Image

GROUND: Colour = (250, 252, 252)
INK: Colour = (40, 36, 34)
QUIET: Colour = (120, 116, 110)
BOARD_PX, PRINTED_PX = 240, 420
"""Pixels: longer side of a board, and of a printed board with tiles, which has more detail."""
GAP_PX = 18
USUAL_BOARDS, MAX_BOARDS = 60, 400
"""Most boards in a strip: by default, and if asked for."""
WIDEST = 8


@dataclasses.dataclass(frozen=True)
class Shown:
    caption: str
    board: str
    steps: tuple[Step, ...]
    tiles: tuple[tuple[int, int], ...] = ()
    pawns: tuple[int, int] | None = None


def boards_of(played: Played, every: int = 0) -> list[Shown]:
    """The start, every n-th move and the last; 0 chooses n so that the strip stays small. Passes are not moves.

    Raises ExportError if there would be too many boards.
    """
    seen = played.line.seen
    every = every or max(1, math.ceil(len(seen) / USUAL_BOARDS))
    numbers = [number for number in range(1, len(seen) + 1) if number % every == 0 or number == len(seen)]
    if len(numbers) >= MAX_BOARDS:
        raise ExportError(
            f"{len(numbers) + 1} boards are too many for a picture, which holds {MAX_BOARDS}: use --every"
        )
    shown = [_shown(played, 0, "start", ())]
    for before, number in itertools.pairwise([0, *numbers]):
        index = seen[number - 1]
        texts = " ".join(played.line.plies[one].text for one in seen[before:number])
        first = f"{before + 1}-{number}" if number > before + 1 else f"{number}"
        shown.append(_shown(played, index + 1, f"{first}. {texts}", played.line.steps(index)))
    return shown


def draw_strip(played: Played, every: int = 0) -> Image:
    """The strip as a picture, uint8 (height, width, 3) BGR. Raises ExportError."""
    template = load_template(played.game.name, switched_on(played.game))
    diagram = Diagram(template, BOARD_PX if template.printed is None else PRINTED_PX)
    shown = boards_of(played, every)
    width, height = diagram.size_px
    columns = min(len(shown), WIDEST, max(4, math.ceil(math.sqrt(1.4 * len(shown)))))
    rows = math.ceil(len(shown) / columns)
    size = max(14, width // 22)
    caption = lettering.line_height_px(size)
    head = round(3.4 * caption)
    step_x, step_y = width + GAP_PX, height + caption + GAP_PX
    canvas: Image = np.full((head + rows * step_y + GAP_PX, columns * step_x + GAP_PX, 3), GROUND, dtype=np.uint8)
    room = canvas.shape[1] - 2 * GAP_PX
    name = played.game.title
    title = f"{name[0].upper()}{name[1:]}: {' against '.join(played.players)}, {day_of(played.stored)}"
    title = lettering.shorten(title, size + 5, room, bold=True)
    write(canvas, title, (GAP_PX, GAP_PX), size + 5, INK, bold=True)
    write(canvas, lettering.shorten(_caption(played), size, room), (GAP_PX, GAP_PX + caption + 8), size, QUIET)
    for index, one in enumerate(shown):
        left, top = GAP_PX + index % columns * step_x, head + index // columns * step_y
        picture = diagram.draw(one.board, one.steps, one.tiles, one.pawns)
        canvas[top : top + height, left : left + width] = picture
        write(canvas, lettering.shorten(one.caption, size, width), (left, top + height + 2), size, INK)
    return canvas


def strip_png(played: Played, every: int = 0) -> bytes:
    done, data = cv2.imencode(".png", draw_strip(played, every), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    if not done:
        raise ExportError("the picture cannot be written as PNG")
    return data.tobytes()


def _shown(played: Played, index: int, caption: str, steps: tuple[Step, ...]) -> Shown:
    position: Any = played.positions[index]
    game = played.game
    scores = Counts.of(game).scores(position)
    if scores is not None:
        caption = f"{caption}   {scores[0]} : {scores[1]}"
    return Shown(caption, figures_of(game, position), steps, HiddenHands.of(game).tiles(position), scores)


def _caption(played: Played) -> str:
    count, outcome = len(played.line.seen), played.stored.outcome
    moves = f"{count} {'move' if count == 1 else 'moves'}"
    if outcome is None:
        return f"{moves}, not finished"
    reason = phrases.why(played.game, outcome)
    if outcome.winner is None:
        return f"{moves}, a draw ({reason})"
    return f"{moves}, {played.game.sides[outcome.winner]} wins ({reason})"
