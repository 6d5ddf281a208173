"""Coins and buttons used as men."""

from __future__ import annotations

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.style import Colour, ManStyle

_COINS: tuple[tuple[Colour, Colour], ...] = (
    ((196, 200, 204), (52, 88, 150)),
    ((96, 178, 220), (36, 58, 98)),
    ((176, 182, 188), (44, 66, 104)),
    ((120, 190, 222), (60, 96, 166)),
)
"""Nickel or brass, and copper, mint or worn."""
_BUTTONS: tuple[tuple[Colour, Colour], ...] = (
    ((232, 236, 238), (30, 28, 28)),
    ((206, 226, 236), (110, 50, 30)),
    ((226, 228, 230), (36, 30, 150)),
    ((60, 196, 238), (70, 44, 36)),
    ((216, 206, 236), (40, 84, 30)),
    ((170, 210, 232), (30, 46, 78)),
)
"""Mother of pearl, horn and plastic, and dark ones."""
_SPREAD = 0.06


def coins(template: BoardTemplate, rng: np.random.Generator) -> ManStyle:
    """Two kinds of thin, bright coins of different metals."""
    diameter = float(rng.uniform(0.75, 1.1))
    return ManStyle(
        shape="disc",
        diameter=diameter,
        height_mm=float(diameter * template.man_diameter_mm * rng.uniform(0.07, 0.1)),
        bevel_mm=0.03 * template.man_diameter_mm,
        rings=int(rng.integers(1, 4)),
        rim=float(rng.uniform(0.5, 1.0)),
        gloss=float(rng.uniform(0.3, 0.8)),
        colours=_colours(_COINS, template, rng),
    )


def buttons(template: BoardTemplate, rng: np.random.Generator) -> ManStyle:
    """Two kinds of buttons, with a rim and two or four holes."""
    return ManStyle(
        shape="disc",
        diameter=float(rng.uniform(0.72, 1.08)),
        height_mm=template.man_diameter_mm * float(rng.uniform(0.1, 0.2)),
        bevel_mm=template.man_diameter_mm * float(rng.uniform(0.04, 0.1)),
        rings=0,
        rim=float(rng.uniform(0.6, 1.0)),
        gloss=float(rng.uniform(0.1, 0.7)),
        holes=int(rng.choice([2, 4])),
        colours=_colours(_BUTTONS, template, rng),
    )


def _colours(
    pairs: tuple[tuple[Colour, Colour], ...], template: BoardTemplate, rng: np.random.Generator
) -> dict[str, Colour]:
    kinds = [_worn(colour, rng) for colour in pairs[int(rng.integers(0, len(pairs)))]]
    letters = sorted(template.letters[1:3], key=lambda letter: letter != "W")
    return dict(zip(letters, kinds, strict=True))


def _worn(colour: Colour, rng: np.random.Generator) -> Colour:
    gain = 1 + _SPREAD * rng.normal()
    blue, green, red = (float(np.clip(level * gain * (1 + _SPREAD / 3 * rng.normal()), 4, 255)) for level in colour)
    return blue, green, red
