"""Random styles: other people's tables, boards, men, lamps and cameras."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import Rng
from lab.simulated.light import linear
from lab.simulated.style import (
    PAWNS,
    BoardStyle,
    CameraStyle,
    Colour,
    HandStyle,
    LampStyle,
    ManStyle,
    SensorStyle,
    Style,
    SurfaceStyle,
    TileStyle,
)
from lab.simulated.tiles import has_tiles

Pair = tuple[Colour, Colour]

_WOODS: tuple[Pair, ...] = (
    ((146, 196, 228), (112, 164, 204)),
    ((96, 146, 192), (60, 104, 150)),
    ((70, 104, 146), (38, 62, 96)),
    ((44, 60, 88), (24, 34, 52)),
    ((120, 158, 186), (84, 120, 150)),
    ((150, 176, 194), (116, 140, 160)),
)
_CLOTHS: tuple[Pair, ...] = (
    ((26, 20, 150), (14, 8, 92)),
    ((60, 96, 40), (34, 60, 22)),
    ((112, 74, 40), (70, 44, 24)),
    ((206, 212, 216), (176, 184, 190)),
    ((70, 70, 72), (44, 44, 46)),
    ((120, 160, 190), (90, 128, 160)),
)
_STONES: tuple[Pair, ...] = (
    ((196, 200, 204), (140, 144, 150)),
    ((70, 70, 72), (120, 122, 126)),
    ((150, 170, 184), (96, 112, 128)),
)
_PAPERS: tuple[Pair, ...] = (
    ((232, 236, 238), (216, 222, 226)),
    ((140, 158, 164), (120, 138, 148)),
    ((176, 206, 222), (150, 184, 204)),
)
_PLAINS: tuple[Pair, ...] = (
    ((222, 224, 224), (208, 210, 212)),
    ((60, 62, 66), (48, 50, 54)),
    ((150, 130, 90), (130, 112, 76)),
    ((90, 140, 90), (70, 116, 70)),
)
_MATERIALS = {"wood": _WOODS, "cloth": _CLOTHS, "stone": _STONES, "paper": _PAPERS, "plain": _PLAINS}
_SKINS: tuple[Colour, ...] = (
    (150, 180, 226),
    (128, 160, 212),
    (98, 128, 176),
    (70, 98, 148),
    (48, 68, 108),
    (36, 48, 76),
)
_MEN: tuple[Pair, ...] = (
    ((226, 234, 238), (30, 30, 32)),
    ((186, 222, 238), (34, 40, 52)),
    ((150, 196, 224), (40, 56, 84)),
    ((30, 120, 236), (60, 110, 40)),
    ((60, 200, 236), (40, 30, 180)),
    ((225, 228, 230), (40, 34, 170)),
    ((224, 226, 228), (140, 70, 30)),
    ((110, 170, 210), (26, 26, 110)),
    ((190, 190, 196), (36, 36, 40)),
)
"""Usual colours of sets: the light man, then the dark one."""
_TILES: tuple[Pair, ...] = (
    ((236, 240, 242), (26, 24, 26)),
    ((206, 232, 244), (30, 34, 40)),
    ((222, 236, 240), (40, 30, 26)),
    ((34, 32, 32), (238, 242, 244)),
    ((60, 36, 130), (230, 238, 242)),
    ((110, 156, 196), (34, 40, 60)),
)
"""Usual colours of tiles and their pips."""
_PIPS: tuple[Colour, ...] = (
    (40, 40, 40),
    (190, 120, 20),
    (60, 140, 30),
    (40, 40, 200),
    (120, 50, 110),
    (180, 60, 40),
    (20, 110, 190),
)
"""Colours of the pips of 0 to 6, in sets where every number has its own."""


def random_style(template: BoardTemplate, rng: Rng) -> Style:
    """A random style; the template's letters W and B, or its first two, become light and dark."""
    return Style(
        lamps=_lamps(rng),
        ambient=float(rng.uniform(0.15, 0.55)),
        ambient_colour=_jitter((255, 246, 238), rng, 12),
        surface=_surface(rng),
        board=_board(template, rng),
        men=_men(template, rng),
        camera=random_camera(rng),
        sensor=_sensor(rng),
        hands=(_hand(rng), _hand(rng)),
        placement_mm=float(rng.uniform(0.5, 1.8)),
        tiles=_tiles(rng) if has_tiles(template) else TileStyle(),
        pawns=_pawns(rng) if has_tiles(template) else PAWNS,
    )


def random_camera(rng: Rng) -> CameraStyle:
    """A camera tilted by 0 to 50 degrees."""
    tilt = float(rng.uniform(0, 50))
    return CameraStyle(
        focal=float(rng.uniform(0.75, 1.5)),
        tilt_deg=tilt,
        azimuth_deg=float(rng.normal(0, 14)),
        roll_deg=float(rng.normal(0, 3.5)),
        fill=float(rng.uniform(0.62, 0.93)),
        shift=(float(rng.uniform(-0.03, 0.03)), float(rng.uniform(-0.02, 0.02))),
        distortion=(float(rng.uniform(-0.10, 0.03)), float(rng.uniform(-0.02, 0.03))),
    )


def _lamps(rng: Rng) -> tuple[LampStyle, ...]:
    warm = float(rng.uniform(0, 1))
    colour: Colour = (255 - 70 * warm, 255 - 28 * warm, 255)
    if rng.random() < 0.2:
        colour = (255, 246, 226)
    lamps = [
        LampStyle(
            direction_deg=float(rng.uniform(0, 360)),
            elevation_deg=float(rng.uniform(38, 82)),
            distance_mm=float(rng.uniform(550, 1800)),
            size_mm=float(rng.uniform(15, 240)),
            strength=float(rng.uniform(0.4, 0.8)),
            colour=colour,
        )
    ]
    if rng.random() < 0.35:
        second = LampStyle(
            direction_deg=float(rng.uniform(0, 360)),
            elevation_deg=float(rng.uniform(30, 65)),
            distance_mm=2000.0,
            size_mm=float(rng.uniform(150, 500)),
            strength=float(rng.uniform(0.12, 0.3)),
            colour=(255, 244, 230),
        )
        lamps.append(second)
    return tuple(lamps)


def _surface(rng: Rng) -> SurfaceStyle:
    kind: Any = rng.choice(["wood", "cloth", "stone", "plain"], p=[0.5, 0.25, 0.1, 0.15])
    colour, accent = _pair(str(kind), rng)
    return SurfaceStyle(
        kind=kind,
        colour=colour,
        accent=accent,
        angle_deg=float(rng.choice([0, 90]) + rng.normal(0, 8)),
        gloss=float(rng.uniform(0, 0.7) if kind in ("wood", "stone", "plain") else 0),
        half_size_mm=(float(rng.uniform(420, 1100)), float(rng.uniform(330, 800))),
        floor=_jitter((70, 76, 84), rng, 40),
    )


def _board(template: BoardTemplate, rng: Rng) -> BoardStyle:
    kind: Any = rng.choice(["wood", "paper", "plain", "cloth"], p=[0.45, 0.3, 0.15, 0.1])
    colour, accent = _pair(str(kind), rng)
    bright = float(linear(colour).mean())
    dark_ink = bright > 0.16 or (bright > 0.08 and rng.random() < 0.5)
    line = _jitter((40, 42, 46), rng, 30) if dark_ink else _jitter((200, 214, 222), rng, 26)
    thin = kind in ("paper", "cloth")
    smallest = max(template.man_diameter_mm * 0.6, 6.0)
    return BoardStyle(
        kind=kind,
        colour=colour,
        accent=accent,
        line_colour=line,
        line_mm=float(np.exp(rng.uniform(np.log(0.8), np.log(4.5))) * min(1.0, template.cell_mm / 36)),
        dot_mm=float(rng.uniform(4, 11) * template.cell_mm / 36) if rng.random() < 0.45 else 0.0,
        wobble_mm=float(rng.uniform(0, 0.5)),
        border_mm=float(rng.uniform(smallest, max(template.margin_mm * 1.1, smallest + 1))),
        frame_mm=float(rng.uniform(2, 7)) if not thin and rng.random() < 0.3 else 0.0,
        thickness_mm=float(rng.uniform(0.3, 1.2) if thin else rng.uniform(3, 22)),
        gloss=float(rng.uniform(0, 0.6)) if not thin else 0.0,
    )


def _men(template: BoardTemplate, rng: Rng) -> ManStyle:
    first, second = _man_colours(rng)
    letters = [letter for letter in template.letters[1:] if letter in "WB"] or list(template.letters[1:3])
    ordered = sorted(letters, key=lambda letter: letter != "W")
    colours = dict(zip(ordered, (first, second), strict=False))
    diameter = float(rng.uniform(0.72, 1.08))
    if rng.random() < 0.3:
        height = template.man_diameter_mm * diameter * float(rng.uniform(0.3, 0.5))
        return ManStyle("stone", diameter, height, gloss=float(rng.uniform(0.2, 1.0)), rings=0, rim=0, colours=colours)
    plain = rng.random() < 0.35
    return ManStyle(
        shape="disc",
        diameter=diameter,
        height_mm=template.man_diameter_mm * float(rng.uniform(0.12, 0.45)),
        bevel_mm=float(rng.uniform(0.4, 3.0)),
        rings=0 if plain else int(rng.integers(1, 4)),
        rim=0.0 if plain else float(rng.uniform(0, 1)),
        grain=float(rng.uniform(0.3, 1)) if rng.random() < 0.4 else 0.0,
        gloss=float(rng.uniform(0.05, 0.9)),
        colours=colours,
    )


def _tiles(rng: Rng) -> TileStyle:
    """Mostly ivory or white tiles with black pips; sometimes coloured pips, or dark tiles with light pips."""
    width, kind = float(rng.uniform(0.88, 0.99)), rng.random()
    face, ink = _TILES[int(rng.integers(0, 3 if kind < 0.8 else len(_TILES)))]
    coloured = 0.65 < kind < 0.8
    pips = tuple(_jitter(colour, rng, 12) for colour in _PIPS) if coloured else (_jitter(ink, rng, 10),)
    return TileStyle(
        length=float(np.clip(2 * width + rng.normal(0.02, 0.02), 1.8, 1.99)),
        width=width,
        height_mm=float(rng.uniform(4.0, 10.0)),
        corner_mm=float(rng.uniform(0.6, 3.6)),
        bevel_mm=float(rng.uniform(0.3, 1.8)),
        pip=float(rng.uniform(0.17, 0.24)),
        pip_gap=float(rng.uniform(0.26, 0.31)),
        line=float(rng.uniform(0.03, 0.09)) if rng.random() < 0.85 else 0.0,
        face=_jitter(face, rng, 8),
        pips=pips,
        line_colour=_jitter(ink, rng, 10),
        gloss=float(rng.uniform(0.05, 0.6)),
        turn_deg=float(rng.uniform(0.4, 2.0)),
    )


def _pawns(rng: Rng) -> ManStyle:
    colours = {name: _jitter(colour, rng, 10) for name, colour in PAWNS.colours.items()}
    clear, height_mm = float(rng.choice([0.0, 0.5, 0.8])), float(rng.uniform(2.5, 6.0))
    return dataclasses.replace(PAWNS, colours=colours, clear=clear, height_mm=height_mm)


def _man_colours(rng: Rng) -> Pair:
    if rng.random() < 0.65:
        first, second = _MEN[int(rng.integers(0, len(_MEN)))]
        return _jitter(first, rng, 10), _jitter(second, rng, 8)
    while True:
        dark, light = sorted((_colour(rng), _colour(rng)), key=lambda colour: float(linear(colour).mean()))
        if linear(light).mean() > 3 * linear(dark).mean():
            return light, dark


def _sensor(rng: Rng) -> SensorStyle:
    return SensorStyle(
        exposure=float(np.exp(rng.normal(0, 0.22))),
        blur_px=float(rng.uniform(0.3, 1.2)),
        shot_noise=float(rng.uniform(0.6, 5)),
        read_noise=float(rng.uniform(0.4, 2.5)),
        chroma=float(rng.uniform(0.2, 0.7)),
        vignette=float(rng.uniform(0, 0.4)),
        jpeg_quality=int(rng.integers(55, 97)),
    )


def _hand(rng: Rng) -> HandStyle:
    return HandStyle(
        skin=_jitter(_SKINS[int(rng.integers(0, len(_SKINS)))], rng, 8),
        sleeve=_colour(rng),
        bare_mm=float(rng.choice([15, 45, 95, 170]) + rng.uniform(-10, 10)),
        size=float(rng.uniform(0.85, 1.08)),
        left=bool(rng.random() < 0.12),
    )


def _colour(rng: Rng) -> Colour:
    blue, green, red = (float(value) for value in rng.uniform(20, 220, 3))
    return blue, green, red


def _pair(kind: str, rng: Rng) -> Pair:
    pairs = _MATERIALS[kind]
    colour, accent = pairs[int(rng.integers(0, len(pairs)))]
    return _jitter(colour, rng, 10), _jitter(accent, rng, 10)


def _jitter(colour: Colour, rng: Rng, spread: float) -> Colour:
    # Objects differ more in lightness than in hue.
    gain = 1 + rng.normal(0, spread / 80)
    blue, green, red = (float(np.clip(value * gain * (1 + rng.normal(0, spread / 320)), 4, 255)) for value in colour)
    return blue, green, red
