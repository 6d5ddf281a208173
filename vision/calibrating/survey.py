"""Surveys a board in its pictures: measures every condition that calibration asks for, and says what to do about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.guide import kinds, whole
from calibration.template import BoardTemplate
from games import EMPTY
from vision.calibrating.cell_light import CellLight, cell_light, colour_distances, empty_cells, unevenness
from vision.calibrating.conditions import LIMITS, Condition, worst_of
from vision.calibrating.sharpness import edge_width_px
from vision.finding.viewpoint import Viewpoint, viewpoint
from vision.frame import Image
from vision.pose import BoardPose, rectify
from wording import Value, sentence, sentence_n

HIT = 0.2
"""Share of a cell that is burnt out from which it counts as lost to light."""
BRIGHTER = 1.25
"""A cell's lighter parts against the same of the middle cell, from which a lamp mirrors in it."""
LISTED = 6
"""Cells that are named one by one."""
USUAL_WIDTHS_PX = (1280, 1920, 2560, 3840)
SHADED = 0.35
"""Light of a cell against the brightest ones, below which it is named as dark."""
GAMMA = 2.2
MAX_KINDS = 3
"""Classes, empty ones included, up to which a cell's colour tells its class: pips are no colours."""


@dataclasses.dataclass(frozen=True, eq=False)
class Shown:
    """A placed board in a picture, and what stands on it."""

    image: Image
    pose: BoardPose
    board: str
    """A class letter per cell, or any other sign where that is not known."""


def survey(shown: Sequence[Shown], template: BoardTemplate) -> tuple[Condition, ...]:
    """All that can be measured in pictures of one board; of each condition the worst. Some 60 ms a picture.

    Light and lines are judged where cells are empty, men's colours where there are men of every kind.
    """
    lights = [cell_light(rectify(one.image, one.pose, template), template) for one in shown]
    found = [one for each, light in zip(shown, lights, strict=True) for one in _of_picture(each, light, template)]
    return worst_of([*found, *_of_men(lights, [one.board for one in shown], template)])


def _of_picture(one: Shown, light: CellLight, template: BoardTemplate) -> list[Condition]:
    height, width = one.image.shape[:2]
    seen, empty = viewpoint(one.pose, template, (width, height)), empty_cells(one.board)
    found = [_pixels(seen, width), _elevation(seen, template), _brightness(light)]
    found += _burnt(light, empty, template) if empty.any() else []
    if empty.mean() > 0.5:
        edge_px = edge_width_px(one.image, one.pose, template)
        found += [] if edge_px is None else [_sharpness(edge_px, seen)]
        # A board that is printed in colours is uneven by itself.
        found += [_unevenness(light, empty, template)] if template.printed is None else []
    return found


def _pixels(seen: Viewpoint, width_px: int) -> Condition:
    value = float(seen.cell_px.min())
    needed = LIMITS["pixels"].warns
    wider = next((width for width in USUAL_WIDTHS_PX if width >= width_px * needed / value), None)
    figures = {"pixels": round(value), "needed": round(needed)}
    if wider is None or wider <= width_px:
        said = sentence("A cell is {pixels} pixels wide; {needed} are needed: bring the camera nearer.", **figures)
    else:
        said = sentence(
            "A cell is {pixels} pixels wide; {needed} are needed: "
            "bring the camera nearer, or set camera.width_px to {width}.",
            width=wider,
            **figures,
        )
    return Condition("pixels", value, said)


def _elevation(seen: Viewpoint, template: BoardTemplate) -> Condition:
    value = float(np.median(seen.elevation_deg))
    said = sentence(
        "The camera looks at the board from {degrees} degrees above the table, and sees {cell} flattest; "
        "{needed} are needed: raise it, or tilt the board towards it.",
        degrees=round(value),
        cell=template.cell_names[int(np.argmin(seen.elevation_deg))],
        needed=round(LIMITS["elevation"].warns),
    )
    return Condition("elevation", value, said)


def _brightness(light: CellLight) -> Condition:
    value = float(np.percentile(light.bright, 99))
    said = sentence(
        "It is dark: the lightest parts of the board reach {number} of 255 grey levels, and {needed} are needed: "
        "switch on a light.",
        number=round(value),
        needed=round(LIMITS["brightness"].warns),
    )
    return Condition("brightness", value, said)


def _burnt(light: CellLight, empty: NDArray[np.bool_], template: BoardTemplate) -> list[Condition]:
    """Burnt-out empty cells: all over the board it is the exposure, on some of them a lamp's mirror image."""
    hit = (light.burnt > HIT) & empty
    share = 100 * float(hit.sum() / empty.sum())
    mirrored = hit & (light.bright > BRIGHTER * np.median(light.bright[empty]))
    cells = tuple(map(int, np.flatnonzero(mirrored)))
    glaring = sentence("The lamp mirrors in {where}: move it, or turn the board.", where=_named(cells, template))
    burnt = sentence(
        "{percent} % of the empty cells are burnt out: less light, or less exposure.", percent=round(share)
    )
    return [Condition("exposure", share, burnt), Condition("glare", 100 * len(cells) / len(hit), glaring, cells)]


def _sharpness(edge_px: float, seen: Viewpoint) -> Condition:
    value = 100 * edge_px / float(seen.cell_px.min())
    said = sentence(
        "The picture is not sharp: lines blur over {percent} % of a cell, and {most} % is the most: "
        "focus the camera, wipe its lens, and let nothing shake it.",
        percent=round(value),
        most=round(LIMITS["sharpness"].warns),
    )
    return Condition("sharpness", value, said)


def _unevenness(light: CellLight, empty: NDArray[np.bool_], template: BoardTemplate) -> Condition:
    value = unevenness(light, empty)
    levels = (light.middle / np.percentile(light.middle[empty], 95)) ** GAMMA
    cells = tuple(map(int, np.flatnonzero(empty & (levels < SHADED))))
    said = sentence(
        "The light is uneven: {where} get a {number}th of the light of the brightest cells. "
        "Move the lamp, or what throws the shadow.",
        where=_named(cells, template),
        number=round(max(value, 2)),
    )
    return Condition("unevenness", value, said, cells)


def _of_men(lights: Sequence[CellLight], boards: Sequence[str], template: BoardTemplate) -> list[Condition]:
    """How far apart the colours of men are, and of men and board."""
    if len(template.letters) > MAX_KINDS:
        return []
    apart = colour_distances(list(lights), list(boards), template.letters)
    men = {pair: value for pair, value in apart.items() if EMPTY not in pair}
    hidden = {pair: value for pair, value in apart.items() if EMPTY in pair}
    found = []
    if men:
        (one, other), value = min(men.items(), key=lambda item: item[1])
        said = sentence(
            "{kinds:Nom} and {alike} look alike: their colours are {number} apart, and {needed} are needed: "
            "take other men, or whiter light.",
            kinds=kinds(one, template),
            alike=kinds(other, template),
            number=round(value),
            needed=round(LIMITS["contrast"].warns),
        )
        found.append(Condition("contrast", value, said))
    if hidden:
        (_, letter), value = min(hidden.items(), key=lambda item: item[1])
        said = sentence(
            "{kinds:Nom} have nearly the board's colour: {number} apart, and {needed} are needed: "
            "take others, or let light fall from the side.",
            kinds=kinds(letter, template),
            number=round(value),
            needed=round(LIMITS["camouflage"].warns),
        )
        found.append(Condition("camouflage", value, said))
    return found


def _named(cells: Sequence[int], template: BoardTemplate) -> Value:
    names = [template.cell_names[cell] for cell in cells]
    if not names:
        return sentence("some cells")
    if len(names) <= LISTED:
        return whole(names)
    ends = {"first": names[0], "last": names[-1]}
    return sentence_n("{count} cell, {first} to {last},", "{count} cells, {first} to {last},", len(names), **ends)
