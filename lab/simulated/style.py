"""The appearance of a simulated table: everything that may be random, as plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

Colour = tuple[float, float, float]
"""Blue, green, red, 0 to 255."""


@dataclasses.dataclass(frozen=True)
class LampStyle:
    direction_deg: float = 35.0
    """Its direction, from the far side of the board clockwise as seen from above."""
    elevation_deg: float = 62.0
    """Angle above the table's plane."""
    distance_mm: float = 900.0
    """Distance from the board's centre."""
    size_mm: float = 70.0
    """Radius of the luminous part; a larger one casts softer shadows."""
    strength: float = 0.75
    """Light on the board's centre, relative to full exposure of a white sheet."""
    colour: Colour = (214, 236, 255)


@dataclasses.dataclass(frozen=True)
class SurfaceStyle:
    kind: Literal["wood", "cloth", "stone", "plain", "checked"] = "wood"
    colour: Colour = (78, 118, 162)
    accent: Colour = (44, 74, 112)
    angle_deg: float = 4.0
    """Direction of the grain or weave."""
    gloss: float = 0.25
    """0 matt to 1 polished."""
    half_size_mm: tuple[float, float] = (800.0, 520.0)
    """Distances from the board's centre to the table's edges."""
    floor: Colour = (52, 56, 62)


@dataclasses.dataclass(frozen=True)
class BoardStyle:
    kind: Literal["wood", "paper", "cloth", "plain"] = "wood"
    colour: Colour = (146, 196, 228)
    accent: Colour = (112, 164, 204)
    line_colour: Colour = (34, 42, 52)
    line_mm: float = 1.6
    dot_mm: float = 5.0
    """Diameter of the dot on every cell; 0 for none."""
    wobble_mm: float = 0.15
    """Standard deviation of a drawn line's points."""
    border_mm: float = 30.0
    """Width of the board outside the frame."""
    frame_mm: float = 0.0
    """Width of a rim along the board's edge; 0 for none."""
    frame_colour: Colour | None = None
    """Colour of the rim; None for the accent colour."""
    dark: Colour | None = None
    """Colour of the dark squares of a chequered board; None for a stain, under which the material shows."""
    coordinates: bool = False
    """Whether letters and numbers stand on the border."""
    seam: bool = False
    """Whether the board folds in the middle."""
    thickness_mm: float = 9.0
    gloss: float = 0.12
    turn_deg: float = 0.0
    """Angle of the board on the table, relative to the grain."""


@dataclasses.dataclass(frozen=True)
class Form:
    height: float
    """Relative to the set's height."""
    outline: tuple[tuple[float, float], ...]
    """Height, 0 to 1, and radius relative to that of the foot, from the foot to the top."""


@dataclasses.dataclass(frozen=True)
class ManStyle:
    shape: Literal["disc", "stone", "turned"] = "disc"
    """A short cylinder, a stone domed on both faces, or a man turned on a lathe."""
    diameter: float = 1.0
    """Diameter relative to the template's."""
    height_mm: float = 7.0
    bevel_mm: float = 1.4
    rings: int = 2
    """Number of grooves on the face."""
    rim: float = 0.6
    """Height of the raised edge, 0 to 1."""
    holes: int = 0
    """Number of a button's holes, around its middle."""
    grain: float = 0.0
    """Strength of a wooden grain, 0 to 1."""
    gloss: float = 0.35
    clear: float = 0.0
    """Transparency of clear plastic, 0 to 1: how much of what is below shows through in its colour."""
    colours: Mapping[str, Colour] = dataclasses.field(default_factory=lambda: {"W": (188, 222, 244), "B": (34, 40, 52)})
    forms: Mapping[str, Form] = dataclasses.field(default_factory=dict)
    """The forms of turned men by their letters."""


@dataclasses.dataclass(frozen=True)
class TileStyle:
    """Domino tiles, for boards whose cells show halves of them."""

    length: float = 1.95
    """Length relative to half a tile of the template."""
    width: float = 0.97
    """Width relative to half a tile of the template."""
    height_mm: float = 6.5
    corner_mm: float = 2.4
    """Radius of the corners as seen from above."""
    bevel_mm: float = 1.0
    pip: float = 0.21
    """Diameter, in halves of a tile."""
    pip_gap: float = 0.29
    """Distance between the middles of neighbouring pips, in halves of a tile."""
    line: float = 0.06
    """Width of the line between the halves, in halves of a tile; 0 for none."""
    face: Colour = (224, 236, 240)
    pips: tuple[Colour, ...] = ((30, 28, 30),)
    """Colours by number of pips, or one for all numbers."""
    line_colour: Colour = (34, 32, 34)
    gloss: float = 0.25
    turn_deg: float = 1.1
    """Standard deviation of a tile's angle from its proper direction."""
    stray: float = 0.6
    """Placement error relative to that of men: smaller, because tiles are pushed against each other."""


@dataclasses.dataclass(frozen=True)
class CameraStyle:
    focal: float = 0.95
    """Focal length in picture widths."""
    tilt_deg: float = 24.0
    azimuth_deg: float = 4.0
    roll_deg: float = 0.6
    fill: float = 0.82
    """Share of the picture that the board spans on its tighter side."""
    shift: tuple[float, float] = (0.0, 0.0)
    distortion: tuple[float, float] = (-0.03, 0.01)


@dataclasses.dataclass(frozen=True)
class SensorStyle:
    exposure: float = 1.0
    blur_px: float = 0.55
    shot_noise: float = 2.2
    """Standard deviation at full brightness, in levels."""
    read_noise: float = 1.0
    """Standard deviation in the dark, in levels."""
    chroma: float = 0.5
    """Share of the noise that is coloured."""
    vignette: float = 0.22
    """Loss of light in the corners."""
    jpeg_quality: int = 88
    """0 for no JPEG."""


PAWNS = ManStyle(
    height_mm=3.6,
    bevel_mm=1.2,
    rings=1,
    rim=0.8,
    gloss=0.8,
    clear=0.7,
    colours={"red": (26, 20, 214), "green": (84, 150, 10), "blue": (190, 90, 20), "yellow": (30, 200, 230)},
)
"""Score pawns of clear plastic on a printed track."""


@dataclasses.dataclass(frozen=True)
class HandStyle:
    skin: Colour = (128, 160, 212)
    sleeve: Colour = (92, 62, 40)
    bare_mm: float = 95.0
    """Millimetres of bare forearm between wrist and sleeve."""
    size: float = 1.0
    left: bool = False


@dataclasses.dataclass(frozen=True)
class Style:
    lamps: tuple[LampStyle, ...] = (LampStyle(),)
    ambient: float = 0.25
    """Ambient light, relative to full exposure of a white sheet."""
    ambient_colour: Colour = (238, 243, 250)
    surface: SurfaceStyle = SurfaceStyle()
    board: BoardStyle = BoardStyle()
    men: ManStyle = ManStyle()
    tiles: TileStyle = TileStyle()
    pawns: ManStyle = PAWNS
    camera: CameraStyle = CameraStyle()
    sensor: SensorStyle = SensorStyle()
    hands: tuple[HandStyle, HandStyle] = (
        HandStyle(),
        HandStyle(skin=(98, 128, 176), sleeve=(70, 72, 76), bare_mm=45.0, size=1.05),
    )
    """The hands of both sides."""
    seats_deg: tuple[float, float] = (0.0, 180.0)
    """Seat of each side: 0 at the lower edge of the picture, 90 at its right."""
    placement_mm: float = 1.3
    """Millimetres, standard deviation of a man's placement; the error is never more than 3 mm."""

    def but(self, part: str, **changes: Any) -> Style:
        """The style with other values in one of its parts, as in `style.but("camera", tilt_deg=30.0)`."""
        whole: dict[str, Any] = {part: dataclasses.replace(getattr(self, part), **changes)}
        return dataclasses.replace(self, **whole)


def default_style() -> Style:
    """A pleasant table: wood, a wooden board, cream and black men, a warm lamp."""
    return Style()
