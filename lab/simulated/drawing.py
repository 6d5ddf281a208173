"""Draws the face of a board: its material with the template's lines and dots."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.simulated.light import GAMMA, linear
from lab.simulated.style import BoardStyle, Style
from lab.simulated.texture import noise, surface
from vision.primitives.printed import BARE, draw_print

_SHIFT = 4
"""Fractional bits of OpenCV's drawing coordinates."""
EDGE_MM = 2.0
"""Millimetres of bare board outside the print."""
STAIN = 0.38
"""Share of the light that a dark square of a chequered board reflects, compared with a light one."""
SEAM_MM = 1.2
"""Millimetres, width of the gap between the halves of a folding board."""
THROUGH = 0.25
"""Share of the material's light and dark that shows through print."""


def draw_face(template: BoardTemplate, style: BoardStyle, scale: float, rng: Rng) -> Float32Array:
    """(h, w, 3) linear colour of the board's top, border included, at `scale` texels per millimetre."""
    width, height = template.size_mm
    border = style.border_mm
    size_mm = (width + 2 * border, height + 2 * border)
    face = surface(style.kind, size_mm, scale, style.colour, style.accent, rng)
    if template.printed is not None:
        face = _with_print(face, template, style, scale)
    else:
        _darken(face, template, style, scale)
        face = _with_lines(face, template, style, scale, rng)
    if style.frame_mm > 0:
        _frame(face, style, scale)
    if style.coordinates:
        _letter(face, template, style, scale)
    if style.kind == "paper":
        _crease(face, rng)
    if style.seam:
        middle, width_px = face.shape[0] // 2, max(round(SEAM_MM * scale), 1)
        face[middle - width_px // 2 : middle + (width_px + 1) // 2] *= np.float32(0.25)
    return np.asarray(face, dtype=np.float32)


def with_print(style: Style, template: BoardTemplate) -> Style:
    if template.printed is None:
        return style
    shapes, far = template.printed.shapes, np.array(template.size_mm)
    low = min(min(np.array(shape.centre_mm) - np.array(shape.size_mm) / 2) for shape in shapes)
    high = max(max(np.array(shape.centre_mm) + np.array(shape.size_mm) / 2 - far) for shape in shapes)
    border_mm = max(style.board.border_mm, -low + EDGE_MM, high + EDGE_MM)
    return style.but("board", border_mm=float(border_mm))


def _with_print(face: Float32Array, template: BoardTemplate, style: BoardStyle, scale: float) -> Float32Array:
    """Lays thick ink on the face; a little of the material's light and dark shows through."""
    drawn = draw_print(template, scale)
    texels = np.indices(face.shape[:2], dtype=np.float32)[::-1]
    shift = np.float32((template.margin_mm - style.border_mm) * scale)
    x, y = texels[0] + shift, texels[1] + shift
    border = (int(BARE[0]), int(BARE[1]), int(BARE[2]))
    print_ = cv2.remap(drawn, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=border)
    cover = (print_ != BARE).any(axis=2).astype(np.float32)[..., None]
    grain = face.mean(axis=2, keepdims=True)
    grain = 1 + THROUGH * np.clip(grain / grain.mean() - 1, -0.6, 0.6)
    ink = (print_.astype(np.float32) / 255) ** np.float32(GAMMA)
    return np.asarray(face * (1 - cover) + cover * ink * grain, dtype=np.float32)


def _darken(face: Float32Array, template: BoardTemplate, style: BoardStyle, scale: float) -> None:
    """Stains the dark squares of a chequered board: the material's grain shows through."""
    stain: Float32Array | np.float32 = np.float32(STAIN)
    if style.dark is not None:
        stain = linear(style.dark) / np.maximum(face.mean(axis=(0, 1)), 0.01)
    for low, high in np.round((template.dark_mm + style.border_mm) * scale).astype(int):
        face[low[1] : high[1], low[0] : high[0]] *= stain


def _with_lines(face: Float32Array, template: BoardTemplate, style: BoardStyle, scale: float, rng: Rng) -> Float32Array:
    ink = _ink(template, style, scale, (face.shape[1], face.shape[0]), rng)
    # Ink is never quite even: a pen runs dry, and a print shows the grain.
    uneven = 1 - 0.10 * np.clip(noise((face.shape[1], face.shape[0]), (5 * scale, 5 * scale), rng), 0, 1)
    cover = (ink * uneven)[..., None]
    return np.asarray(face * (1 - cover) + cover * linear(style.line_colour), dtype=np.float32)


def _ink(template: BoardTemplate, style: BoardStyle, scale: float, size_px: tuple[int, int], rng: Rng) -> Float32Array:
    canvas = np.zeros((size_px[1], size_px[0]), dtype=np.uint8)
    for start, end in template.lines_mm:
        points = _stray(start, end, style.wobble_mm, rng)
        texels = ((points + style.border_mm) * scale - 0.5) * 2**_SHIFT
        thickness = max(round(style.line_mm * scale * rng.uniform(0.93, 1.07)), 1)
        cv2.polylines(canvas, [np.round(texels).astype(np.int32)], False, 255, thickness, cv2.LINE_AA, _SHIFT)
    if style.dot_mm > 0:
        for cell in template.cells_mm if len(template.lines_mm) else []:
            centre = np.round(((cell + style.border_mm) * scale - 0.5) * 2**_SHIFT).astype(int)
            radius = round(style.dot_mm / 2 * scale * 2**_SHIFT)
            cv2.circle(canvas, (int(centre[0]), int(centre[1])), radius, 255, -1, cv2.LINE_AA, _SHIFT)
    return np.asarray(canvas.astype(np.float32) / 255, dtype=np.float32)


def _stray(start: FloatArray, end: FloatArray, wobble_mm: float, rng: Rng) -> FloatArray:
    along = np.linspace(0, 1, max(int(np.linalg.norm(end - start) / 18) + 2, 3))[:, None]
    points = start + along * (end - start)
    points[1:-1] += rng.normal(0, wobble_mm, points[1:-1].shape)
    return np.asarray(points, dtype=np.float64)


def _frame(face: Float32Array, style: BoardStyle, scale: float) -> None:
    width = min(round(style.frame_mm * scale), min(face.shape[:2]) // 4)
    rim = np.ones(face.shape[:2], dtype=bool)
    rim[width:-width, width:-width] = False
    colour = style.accent if style.frame_colour is None else style.frame_colour
    face[rim] *= linear(colour) / np.maximum(linear(style.colour), 0.02)
    groove = max(round(0.6 * scale), 1)
    for inset in (width, width + groove):
        shade = 0.6 if inset == width else 1.12
        face[inset : inset + groove, width:-width] *= np.float32(shade)
        face[-inset - groove : -inset, width:-width] *= np.float32(shade)
        face[width:-width, inset : inset + groove] *= np.float32(shade)
        face[width:-width, -inset - groove : -inset] *= np.float32(shade)


def _letter(face: Float32Array, template: BoardTemplate, style: BoardStyle, scale: float) -> None:
    """Writes a letter at every column and a number at every row, on all four borders, as tournament boards have them.

    They are written over the rim, in the ink of the lines, or in pale ink on a dark border.
    """
    grid, border = template.source["grid"], style.border_mm
    ink = np.zeros(face.shape[:2], dtype=np.uint8)
    width, height = template.size_mm
    size, thick = 0.5 * border * scale / 22, max(round(0.06 * border * scale), 1)
    across, down = width / int(grid["columns"]), height / int(grid["rows"])
    marks = [
        (chr(97 + n), ((n + 0.5) * across, y))
        for n in range(int(grid["columns"]))
        for y in (-0.5 * border, height + 0.5 * border)
    ]
    marks += [
        (str(int(grid["rows"]) - n), (x, (n + 0.5) * down))
        for n in range(int(grid["rows"]))
        for x in (-0.5 * border, width + 0.5 * border)
    ]
    for text, (x, y) in marks:
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
        at = round((x + border) * scale - wide / 2), round((y + border) * scale + high / 2)
        cv2.putText(ink, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thick, cv2.LINE_AA)
    ground = face[: max(round(0.5 * border * scale), 1)].mean()
    cover = (ink.astype(np.float32) / 255)[..., None]
    face += cover * (linear((30, 34, 38) if ground > 0.15 else (210, 220, 226)) - face)


def _crease(face: Float32Array, rng: Rng) -> None:
    """Adds a fold to a sheet: light on one side, dark on the other."""
    height = face.shape[0]
    row = int(height * rng.uniform(0.45, 0.6))
    across = np.arange(height, dtype=np.float32) - row
    shade = (
        1 + 0.07 * np.exp(-((across - 2) ** 2) / 6) - 0.16 * np.exp(-((across + 1) ** 2) / 3) + 0.02 * np.sign(across)
    )
    face *= shade.astype(np.float32)[:, None, None]
