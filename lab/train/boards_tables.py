"""Draws tables of all games to learn from where a board lies: any board, men, light and camera."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.men import Man
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_board, shaped_by_chance
from lab.simulated.style import BoardStyle, Colour, Form, Style
from lab.simulated.table import SimulatedTable
from lab.train.textures import as_colour
from rules import EMPTY
from vision.frame import Image

log = logging.getLogger(__name__)


SIZE_PX = (480, 360)
EVERY = 100
BOARDS: tuple[tuple[str, str, float], ...] = (
    ("nine_mens_morris", "", 0.08),
    ("nine_mens_morris", "diagonals", 0.03),
    ("nine_mens_morris", "board=six", 0.03),
    ("nine_mens_morris", "board=three", 0.03),
    ("reversi", "", 0.06),
    ("co_ganh", "", 0.04),
    ("gomoku", "", 0.10),
    ("gomoku", "size=19", 0.08),
    ("go", "", 0.03),
    ("go", "size=13", 0.03),
    ("go", "size=19", 0.12),
    ("double_double_dominoes", "", 0.06),
    ("chess", "", 0.25),
    ("draughts", "", 0.03),
    ("draughts", "size=10", 0.03),
)
"""Games, rule options and shares of the tables."""
LOW, LOW_DEG = 0.45, (44, 66)
"""Share of the tables seen from low, where men hide the far corners, and how far from straight above."""
STARTS = 0.6
"""Share of the chess boards on which the men stand as at the start, but for a few."""
NARROW = 0.5
"""Share of the boards for stones with hardly any rim, where stones stand beyond the wood's edge."""
HANDS = 0.3
RIMS = 0.3
"""Share of boards with further rectangles drawn around the field."""
FIGURES = "♙♖♘♗♕♔♟♜♞♝♛♚"


class Tables:
    def __init__(self, folder: Path, labels: list[dict[str, Any]]) -> None:
        self._folder, self._labels = folder, labels

    def __len__(self) -> int:
        return len(self._labels)

    def read(self, number: int) -> tuple[Image, FloatArray, str]:
        """A picture, the (4, 2) corners of the board's field in it, and its game."""
        label = self._labels[number]
        image = cv2.imread(str(self._folder / label["picture"]))
        if image is None:
            raise ValueError(f"{self._folder / label['picture']} cannot be read; delete the folder to draw it again")
        return np.asarray(image, dtype=np.uint8), np.array(label["corners_px"], dtype=np.float64), str(label["game"])


def draw_tables(folder: Path, count: int, seed: int) -> Tables:
    """The first tables of a seed; those already in the folder are kept. Half a second each."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"labels_{seed}.jsonl"
    labels = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    with path.open("a", encoding="utf-8") as file:
        for number in range(len(labels), count):
            image, corners, game = draw_table(np.random.default_rng([seed, number]))
            label = {"picture": f"{seed}_{number:05}.jpg", "game": game, "corners_px": corners.round(2).tolist()}
            cv2.imwrite(str(folder / str(label["picture"])), image, [cv2.IMWRITE_JPEG_QUALITY, 96])
            file.write(json.dumps(label) + "\n")
            file.flush()
            labels.append(label)
            if number % EVERY == EVERY - 1:
                log.info("table %d of %d", number + 1, count)
    return Tables(folder, labels[:count])


def draw_table(rng: Rng) -> tuple[Image, FloatArray, str]:
    """A picture, the (4, 2) corners of the board's field in it, and its game."""
    game, option, _ = BOARDS[int(rng.choice(len(BOARDS), p=[share for _, _, share in BOARDS]))]
    template = shaped_by_chance(load_template(game, frozenset({option} - {""})), rng)
    style = _style(template, rng)
    board = random_board(template, rng)
    if game == "chess":
        board = _begun(template, rng) if rng.random() < STARTS else board
        board = "".join(FIGURES[int(rng.integers(12))] if cell in "WB" else cell for cell in board)
    drawn = _with_rims(template, style.board, rng) if rng.random() < RIMS else template
    table = SimulatedTable(drawn, board, style, int(rng.integers(2**31)), SIZE_PX, pawns=bool(rng.random() < 0.5))
    _lay_beside(table, rng)
    if rng.random() < HANDS:
        table.hover(2.0, int(rng.integers(0, 2)))
        table.advance(float(rng.uniform(0.8, 3.0)))
    return table.render(), table.corners_px(), game


def _begun(template: BoardTemplate, rng: Rng) -> str:
    """Chess men in their two rows on either side, a few of them gone on or taken."""
    names = template.cell_names
    board = [FIGURES[int(rng.integers(6)) + 6 * (name[1] > "4")] if name[1] in "1278" else EMPTY for name in names]
    for _ in range(int(rng.integers(0, 12))):
        source, target = rng.integers(len(board), size=2)
        board[target], board[source] = board[source], EMPTY
    return "".join(board)


def _style(template: BoardTemplate, rng: Rng) -> Style:
    style = random_style(template, rng)
    azimuth = rng.uniform(-180, 180) if rng.random() < 0.5 else rng.normal(0, 25)
    low = rng.random() < LOW * (1.5 if template.game == "chess" else 1.0)
    style = style.but(
        "camera",
        tilt_deg=float(rng.uniform(*LOW_DEG) if low else rng.uniform(0, 64)),
        azimuth_deg=float(azimuth),
        roll_deg=float(rng.normal(0, 5)),
        focal=float(rng.uniform(0.65, 1.5)),
        fill=float(rng.uniform(0.45, 1.0)),
        shift=(float(rng.normal(0, 0.06)), float(rng.normal(0, 0.05))),
    )
    if rng.random() < 0.12:
        style = style.but("surface", kind="checked", colour=(236.0, 238.0, 240.0), accent=_colour(rng), gloss=0.0)
    if template.first_square:
        return _chequered(style, template, rng)
    if template.game == "reversi" and rng.random() < 0.6:
        green = _near((60, 120, 40), rng, 0.3)
        style = style.but("board", kind="plain", colour=green, accent=green, line_colour=(20, 24, 20))
        if rng.random() < 0.7:
            rim = float(rng.uniform(0.2, 1.0)) * template.pitch_mm
            style = style.but("board", border_mm=rim, frame_mm=rim * 0.9, frame_colour=_near((28, 28, 28), rng))
        return style.but("men", shape="disc", colours={"W": (235, 235, 235), "B": (28, 28, 28)})
    if template.game in ("go", "gomoku"):
        return _for_stones(style, template, rng)
    return style


def _for_stones(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    """Half of the boards are of plain wood; others are as random."""
    pitch = template.pitch_mm
    rim = float(rng.uniform(0.12, 0.6) if rng.random() < NARROW else rng.uniform(0.5, 1.8)) * pitch
    if rng.random() >= 0.5:
        return style.but("board", border_mm=rim)
    wood = _near((100, 170, 215), rng, 0.25)
    style = style.but(
        "board",
        kind="wood",
        colour=wood,
        accent=(wood[0] * 0.8, wood[1] * 0.85, wood[2] * 0.88),
        line_colour=(24, 28, 34),
        line_mm=float(rng.uniform(0.6, 1.6)) * pitch / 22,
        dot_mm=0.0,
        border_mm=rim,
        frame_mm=0.0,
        thickness_mm=float(rng.choice([4.0, 10.0, 30.0, 60.0])),
    )
    height_mm = pitch * float(rng.uniform(0.28, 0.5))
    colours = {"W": _near((226, 232, 234), rng), "B": (34, 32, 32)}
    return style.but("men", shape="stone", height_mm=height_mm, colours=colours)


def _chequered(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    light, dark = _near((170, 205, 225), rng, 0.25), _near((50, 75, 115), rng, 0.35)
    if rng.random() < 0.4:
        light, dark = _near((225, 232, 235), rng, 0.12), _near(_colour(rng), rng)
        if sum(dark) > 0.6 * sum(light):
            dark = (dark[0] * 0.45, dark[1] * 0.45, dark[2] * 0.45)
    rim = float(rng.uniform(0.1, 1.0)) * template.pitch_mm
    style = style.but(
        "board",
        colour=light,
        accent=(light[0] * 0.87, light[1] * 0.87, light[2] * 0.87),
        dark=dark,
        line_mm=0.3 if rng.random() < 0.7 else 1.0,
        line_colour=dark,
        dot_mm=0.0,
        wobble_mm=0.0,
        border_mm=rim,
        frame_mm=rim * float(rng.uniform(0.5, 0.95)) if rng.random() < 0.6 else 0.0,
        frame_colour=dark if rng.random() < 0.5 else light if rng.random() < 0.5 else _colour(rng),
        coordinates=bool(rng.random() < 0.5),
        seam=bool(rng.random() < 0.25),
        thickness_mm=float(rng.uniform(0.5, 25)),
    )
    light_man, dark_man = style.men.colours["W"], style.men.colours["B"]
    if rng.random() < 0.3:
        light_man, dark_man = light, dark
    colours = {"W": light_man, "B": dark_man} | {one: light_man if one in FIGURES[:6] else dark_man for one in FIGURES}
    if template.game == "chess":
        forms = {
            one: form for pair in zip(FIGURES[:6], FIGURES[6:], strict=True) for form in [_form(rng)] for one in pair
        }
        king_mm = template.pitch_mm * float(rng.uniform(1.2, 2.4))
        style = style.but("men", shape="turned", height_mm=king_mm, forms=forms, holes=0)
    return dataclasses.replace(style.but("men", colours=colours), placement_mm=0.05 * template.pitch_mm)


def _form(rng: Rng) -> Form:
    """A man turned on a lathe: a foot, a waist, a head."""
    waist, collar, head = rng.uniform(0.3, 0.6), rng.uniform(0.5, 0.7), rng.uniform(0.3, 0.75)
    top = rng.uniform(0.1, 0.7)
    outline = ((0.0, 1.0), (0.13, 0.95), (0.3, waist), (0.6, waist * 0.9), (0.66, collar), (0.72, waist), (0.86, head))
    return Form(float(rng.uniform(0.5, 1.0)), (*((h, float(r)) for h, r in outline), (1.0, float(top))))


def _with_rims(template: BoardTemplate, board: BoardStyle, rng: Rng) -> BoardTemplate:
    """The board with one or two further rectangles drawn around its field."""
    if template.printed is not None or not len(template.lines_mm):
        return template
    width, height = template.size_mm
    lines = [template.lines_mm]
    for _ in range(int(rng.integers(1, 3))):
        off = float(rng.uniform(0.3, 0.95)) * board.border_mm
        ends = np.array([[-off, -off], [width + off, -off], [width + off, height + off], [-off, height + off]])
        lines.append(np.stack([ends, np.roll(ends, -1, axis=0)], axis=1))
    return dataclasses.replace(template, lines_mm=np.concatenate(lines))


def _lay_beside(table: SimulatedTable, rng: Rng) -> None:
    template, style = table.template, table.style
    letters = sorted(style.men.colours)
    away = style.board.border_mm + template.pitch_mm
    men = []
    for number in range(int(rng.integers(0, 12)) if rng.random() < 0.4 and template.printed is None else 0):
        x = -away if number % 2 else template.size_mm[0] + away
        place = float(x + rng.normal(0, 8)), float(rng.uniform(0, template.size_mm[1]))
        men.append(Man(str(rng.choice(letters)), *place, 0.0, -style.board.thickness_mm))
    table.standing.beside = tuple(men)


def _colour(rng: Rng) -> Colour:
    return as_colour(rng.uniform(20, 220, 3))


def _near(colour: Colour, rng: Rng, spread: float = 0.1) -> Colour:
    gain = float(np.exp(rng.normal(0, spread)))
    return as_colour(np.clip(np.array(colour) * gain * np.exp(rng.normal(0, spread / 3, 3)), 4, 250))
