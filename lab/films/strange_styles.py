"""Other people's tables for chess, draughts and go, by condition: sets, boards, light, cameras and clutter."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from lab.simulated.arrays import BoolArray, Rng
from lab.simulated.men import Man
from lab.simulated.random_style import random_style
from lab.simulated.style import Colour, Form, Style
from lab.simulated.table import SimulatedTable
from vision.frame import Image

SQUARES: dict[str, tuple[tuple[Colour, Colour], ...]] = {
    "wood": (((150, 200, 226), (44, 76, 122)), ((140, 184, 208), (30, 44, 72)), ((110, 168, 214), (50, 84, 140))),
    "vinyl": (
        ((200, 232, 238), (70, 112, 58)),
        ((240, 240, 238), (150, 92, 40)),
        ((196, 222, 232), (58, 84, 128)),
        ((226, 228, 228), (52, 52, 54)),
    ),
    "folding": (((120, 178, 214), (40, 60, 96)), ((60, 60, 190), (34, 34, 36)), ((178, 208, 220), (60, 76, 104))),
}
"""Blue, green and red of light and dark squares."""
SETS: tuple[tuple[Colour, Colour], ...] = (
    ((214, 232, 238), (28, 28, 30)),
    ((140, 192, 222), (30, 38, 56)),
    ((150, 200, 226), (40, 62, 98)),
    ((220, 226, 230), (40, 34, 140)),
)
"""Light and dark men."""
FORMS = {
    "♙": (0.52, ((0, 1), (0.14, 0.95), (0.3, 0.5), (0.6, 0.36), (0.64, 0.6), (0.7, 0.42), (0.85, 0.56), (1, 0.15))),
    "♖": (0.58, ((0, 1), (0.14, 0.95), (0.3, 0.65), (0.7, 0.55), (0.76, 0.72), (1, 0.72))),
    "♘": (0.68, ((0, 1), (0.14, 0.95), (0.3, 0.6), (0.5, 0.6), (0.75, 0.7), (0.9, 0.5), (1, 0.2))),
    "♗": (0.74, ((0, 1), (0.12, 0.95), (0.25, 0.5), (0.6, 0.34), (0.64, 0.55), (0.7, 0.36), (0.82, 0.5), (1, 0.08))),
    "♕": (0.86, ((0, 1), (0.12, 0.95), (0.25, 0.5), (0.65, 0.34), (0.7, 0.55), (0.75, 0.38), (0.92, 0.6), (1, 0.15))),
    "♔": (1.0, ((0, 1), (0.12, 0.95), (0.25, 0.52), (0.65, 0.36), (0.7, 0.56), (0.75, 0.4), (0.88, 0.6), (1, 0.14))),
}
"""Height relative to the king's, and outline, of the men of a usual set."""
DARK_OF = dict(zip("♙♖♘♗♕♔", "♟♜♞♝♛♚", strict=True))
KING = (1.5, 2.0)
"""Height of a king, relative to the side of a square: 75 to 100 mm on squares of 50."""
GOBANS: tuple[tuple[Colour, Colour], ...] = (
    ((110, 178, 222), (80, 146, 194)),
    ((86, 150, 200), (60, 116, 166)),
    ((150, 196, 220), (124, 172, 200)),
    ((52, 88, 140), (36, 62, 104)),
    ((120, 196, 240), (104, 182, 228)),
)
GLARES = (1, 4)
LIFT_MM = 14.0
"""Height of the ends of a rolled board that does not lie flat yet."""


@dataclasses.dataclass(frozen=True)
class Condition:
    """One way in which tables differ from those that the eyes grew up with."""

    style: Callable[[Style, BoardTemplate, Rng], Style] = lambda style, template, rng: style
    picture: Callable[[Image, SimulatedTable, Rng], Image] = lambda image, table, rng: image
    """What happens to every picture."""
    beside: int = 0
    """Captured men beside the board."""
    whole: bool = True
    """Whether the whole board is in the picture."""


def strange_style(template: BoardTemplate, rng: Rng) -> Style:
    style = random_style(template, rng)
    style = style.but("camera", tilt_deg=float(rng.uniform(15, 45)))
    if template.game == "go":
        return _go_style(style, template, rng)
    style = with_board(style, template, rng, str(rng.choice(["wood", "vinyl", "folding"], p=[0.5, 0.3, 0.2])))
    return with_men(style, template, rng, SETS[int(rng.integers(len(SETS)))])


def with_board(style: Style, template: BoardTemplate, rng: Rng, kind: str) -> Style:
    """The style with a chequered board of that kind; of a board for go, a mat or a wooden one that folds."""
    if template.game == "go":
        return style.but(
            "board",
            kind="cloth" if kind == "vinyl" else "wood",
            seam=kind == "folding",
            thickness_mm=2.0,
            gloss=0.1,
        )
    light, dark = SQUARES[kind][int(rng.integers(len(SQUARES[kind])))]
    light, dark = _near(light, rng), _near(dark, rng)
    rim = float(rng.uniform(0.25, 0.7)) * template.pitch_mm
    accent: Colour = (light[0] * 0.85, light[1] * 0.85, light[2] * 0.85)
    return style.but(
        "board",
        kind="cloth" if kind == "vinyl" else "wood",
        colour=light,
        accent=light if kind == "vinyl" else accent,
        dark=dark,
        line_mm=0.3 if rng.random() < 0.7 else 1.0,
        line_colour=dark,
        dot_mm=0.0,
        wobble_mm=0.0,
        border_mm=rim,
        frame_mm=rim * 0.9 if kind != "vinyl" and rng.random() < 0.7 else 0.0,
        frame_colour=dark if rng.random() < 0.6 else light,
        coordinates=bool(rng.random() < (1.0 if kind == "vinyl" else 0.4)),
        seam=kind == "folding",
        gloss=float(rng.uniform(0, 0.4)),
        thickness_mm=float(rng.uniform(0.5, 2) if kind == "vinyl" else rng.uniform(8, 25)),
    )


def with_men(style: Style, template: BoardTemplate, rng: Rng, pair: tuple[Colour, Colour]) -> Style:
    """The style with men of those colours: turned ones for chess, discs for draughts."""
    light, dark = _near(pair[0], rng), _near(pair[1], rng)
    colours: dict[str, Colour] = {"W": light, "B": dark}
    men = dataclasses.replace(style.men, colours=colours, gloss=float(rng.uniform(0.1, 0.8)), holes=0)
    if template.game == "chess":
        forms = {letter: Form(height, outline) for letter, (height, outline) in FORMS.items()}
        forms |= {DARK_OF[letter]: form for letter, form in forms.items()}
        colours |= dict.fromkeys(DARK_OF, light) | dict.fromkeys(DARK_OF.values(), dark)
        king_mm = template.pitch_mm * float(rng.uniform(*KING))
        diameter = float(rng.uniform(0.85, 1.15))
        men = dataclasses.replace(men, shape="turned", height_mm=king_mm, diameter=diameter, forms=forms)
    elif template.game == "draughts":
        men = dataclasses.replace(men, shape="disc", height_mm=template.pitch_mm * float(rng.uniform(0.15, 0.3)))
    return dataclasses.replace(style, men=men, placement_mm=0.04 * template.pitch_mm)


def _go_style(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    colour, accent = GOBANS[int(rng.integers(len(GOBANS)))]
    pitch = template.pitch_mm
    board = dataclasses.replace(
        style.board,
        kind="wood",
        colour=_near(colour, rng),
        accent=_near(accent, rng),
        line_colour=(24, 28, 34),
        line_mm=float(rng.uniform(0.7, 1.4)) * pitch / 22,
        dot_mm=0.0,
        border_mm=float(rng.uniform(0.55, 1.2)) * pitch,
        frame_mm=0.0,
        thickness_mm=float(rng.choice([8.0, 25.0, 60.0])),
        gloss=float(rng.uniform(0, 0.4)),
    )
    shell = rng.random() < 0.5  # slate and shell are matt, glass shines
    men = dataclasses.replace(
        style.men,
        shape="stone",
        diameter=float(rng.uniform(0.95, 1.08)),
        height_mm=pitch * float(rng.uniform(0.28, 0.5)),
        gloss=float(rng.uniform(0.1, 0.35) if shell else rng.uniform(0.7, 1.0)),
        grain=0.0,
        colours={"W": _near((216, 228, 232) if shell else (236, 240, 240), rng), "B": (34, 32, 32)},
    )
    return dataclasses.replace(style, board=board, men=men, placement_mm=0.05 * pitch)


def _near(colour: Colour, rng: Rng) -> Colour:
    gain = float(np.exp(rng.normal(0, 0.08)))
    blue, green, red = (float(np.clip(level * gain * np.exp(rng.normal(0, 0.03)), 4, 250)) for level in colour)
    return blue, green, red


def alike(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    """Men of the colours of the squares: brown on brown."""
    if template.game == "go":
        return style
    dark = style.board.dark or (40, 60, 96)
    return with_men(style, template, rng, (style.board.colour, dark))


def checked(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    colour, accent = (
        ((236, 238, 240), (50, 40, 190)),
        ((236, 238, 240), (170, 96, 40)),
        ((220, 230, 236), (60, 120, 60)),
    )[int(rng.integers(3))]
    return style.but("surface", kind="checked", colour=colour, accent=accent, gloss=0.0)


def from_side(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    return style.but("camera", azimuth_deg=float(rng.choice([90, 180, 270]) + rng.normal(0, 12)))


def cut(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    return style.but("camera", fill=0.95, shift=(float(rng.choice([-1, 1]) * rng.uniform(0.3, 0.4)), 0.0))


def tight(style: Style, template: BoardTemplate, rng: Rng) -> Style:
    """A board whose rim goes beyond the picture, but none of its cells."""
    return style.but("camera", fill=1.02, tilt_deg=float(rng.uniform(10, 35)))


def glaring(image: Image, table: SimulatedTable, rng: Rng) -> Image:
    """Reflections of lamps in a polished board: patches of light, some of them burnt out."""
    height, width = image.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    corners = table.corners_px()
    side_px = float(np.linalg.norm(corners[0] - corners[1]))
    light = (image.astype(np.float32) / 255) ** 2.2
    # Men stand over the board and hide what it mirrors, except for a veil.
    board = cv2.GaussianBlur(1 - 0.92 * _men_mask(image, table).astype(np.float32), (0, 0), 1.5)
    for _ in range(int(rng.integers(*GLARES))):
        share = rng.uniform(0.1, 0.9, 2)
        at = table.seen_px(np.array(table.template.size_mm)[None] * share)[0]
        wide, high = side_px * rng.uniform(0.05, 0.16), side_px * rng.uniform(0.03, 0.1)
        patch = np.exp(-(((x - at[0]) / wide) ** 2) - ((y - at[1]) / high) ** 2) * rng.uniform(0.3, 1.5)
        light += (patch * board)[..., None]
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / 2.2)), dtype=np.uint8)


def rolled(image: Image, table: SimulatedTable, rng: Rng) -> Image:
    """A board that was rolled up: two opposite ends rise from the table, with what stands on them."""
    template = table.template
    pose, camera = table.image_from_board, table.camera
    height, width = image.shape[:2]
    y, x = np.mgrid[:height:8, :width:8].astype(np.float64)
    pixels = np.stack([x.ravel(), y.ravel()], axis=1)
    places = cv2.perspectiveTransform(pixels[None], np.linalg.inv(pose))[0]
    axis = int(rng.integers(2))
    far = np.abs(places[:, axis] / template.size_mm[axis] - 0.5) * 2
    rise = LIFT_MM * np.clip((far - 0.5) / 0.6, 0, 1) ** 2
    moved = camera.project(np.column_stack([places, rise])) - camera.project(np.column_stack([places, 0 * rise]))
    shift = cv2.resize(moved.reshape(*x.shape, 2).astype(np.float32), (width, height))
    full_y, full_x = np.mgrid[:height, :width].astype(np.float32)
    return np.asarray(
        cv2.remap(
            image, full_x - shift[..., 0], full_y - shift[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
    )


def phone(image: Image, table: SimulatedTable, rng: Rng) -> Image:
    """A phone's automatic exposure and white balance, which change from picture to picture, and its compression."""
    gain = np.exp(rng.normal(0, 0.35)) * np.exp(rng.normal(0, 0.08, 3))
    light = (image.astype(np.float32) / 255) ** 2.2 * gain.astype(np.float32)
    shown = np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / 2.2)), dtype=np.uint8)
    _, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 70))])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def cluttered(image: Image, table: SimulatedTable, rng: Rng) -> Image:
    """A clock, a notepad, for go bowls and a lid with stones: things beside the board."""
    low = np.array([-table.style.board.border_mm] * 2)
    size = np.array(table.template.size_mm)
    outline = table.seen_px(np.array([low, [size[0] - low[0], low[1]], size - low, [low[0], size[1] - low[1]]]))
    mask = np.zeros(image.shape[:2], dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), (255,))
    mask[_men_mask(image, table)] = 255
    drawn = image.copy()
    pitch = table.template.pitch_mm

    def quad(x: float, y: float, wide: float, high: float) -> NDArray[np.int32]:
        corners = np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]])
        return np.asarray(np.rint(table.seen_px(corners)), dtype=np.int32)

    right, half = size[0] - low[0] + 0.4 * pitch, size[1] / 2
    cv2.fillConvexPoly(drawn, quad(right, half - 1.5 * pitch, 1.6 * pitch, 3.5 * pitch), (40, 40, 44), cv2.LINE_AA)
    for y in (half - 1.2 * pitch, half + 0.4 * pitch):
        cv2.fillConvexPoly(drawn, quad(right + 0.2 * pitch, y, 1.1 * pitch, 1.2 * pitch), (150, 190, 180), cv2.LINE_AA)
    left = low[0] - 4.4 * pitch
    cv2.fillConvexPoly(drawn, quad(left, 0.3 * size[1], 4 * pitch, 5 * pitch), (236, 240, 240), cv2.LINE_AA)
    for line in range(1, 10):
        y = 0.3 * size[1] + line * pitch / 2
        cv2.polylines(drawn, [quad(left + 0.3 * pitch, y, 3.4 * pitch, 0.02)], True, (170, 140, 110), 1, cv2.LINE_AA)
    if table.template.game == "go":
        for x, y in ((right + 2.5 * pitch, -pitch), (left + 1.5 * pitch, size[1] - pitch)):
            _round(drawn, table, x, y, 2.6 * pitch, (30, 50, 84))
            _round(drawn, table, x, y, 2.2 * pitch, (20, 22, 26) if x > 0 else (220, 228, 230))
            for _ in range(int(rng.integers(2, 9))):
                off_x, off_y = rng.uniform(-1.4, 1.4, 2) * pitch
                _round(
                    drawn,
                    table,
                    x + off_x,
                    y + 6 * pitch + off_y,
                    0.46 * pitch,
                    (224, 230, 232) if x > 0 else (36, 34, 34),
                )
    image = image.copy()
    image[mask == 0] = cv2.GaussianBlur(drawn, (0, 0), 0.7)[mask == 0]
    return image


def _round(image: Image, table: SimulatedTable, x: float, y: float, radius: float, colour: Colour) -> None:
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rim = np.array([x, y]) + radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    cv2.fillPoly(image, [np.rint(table.seen_px(rim)).astype(np.int32)], colour, cv2.LINE_AA)


def _men_mask(image: Image, table: SimulatedTable) -> BoolArray:
    """Where men may be seen: things on the table stand behind them."""
    mask = np.zeros(image.shape[:2], dtype=np.uint8)
    heights = np.array([0.0, table.style.men.height_mm])
    reach = table.template.man_diameter_mm * 0.7
    for man in table.standing.pieces:
        if isinstance(man, Man):
            box = np.array(
                [[man.x_mm + dx, man.y_mm + dy, z] for dx in (-reach, reach) for dy in (-reach, reach) for z in heights]
            )
            hull = cv2.convexHull(np.rint(table.camera.project(box)).astype(np.int32))
            cv2.fillConvexPoly(mask, hull, (255,))
    return mask > 0


CONDITIONS: dict[str, Condition] = {
    "usual": Condition(),
    "vinyl": Condition(lambda style, template, rng: with_board(style, template, rng, "vinyl")),
    "folding": Condition(lambda style, template, rng: with_board(style, template, rng, "folding")),
    "brown on brown": Condition(alike),
    "lamps mirrored": Condition(picture=glaring),
    "clutter": Condition(picture=cluttered, beside=10),
    "checked cloth": Condition(checked),
    "rolled": Condition(lambda style, template, rng: with_board(style, template, rng, "vinyl"), rolled),
    "overhead": Condition(lambda style, template, rng: style.but("camera", tilt_deg=float(rng.uniform(0, 8)))),
    "low": Condition(lambda style, template, rng: style.but("camera", tilt_deg=float(rng.uniform(53, 60)), focal=1.0)),
    "from the side": Condition(from_side),
    "tight": Condition(tight),
    "phone": Condition(picture=phone),
    "cut off": Condition(cut, whole=False),
}
