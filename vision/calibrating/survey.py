"""Measures in pictures of a board all conditions that matter for calibration, and says what to improve.

Among them: in how many the board is found again with its profile; cells read right are worth nothing on one not found.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags
from calibration.guide import kinds, whole
from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.cell_light import (
    GAMMA,
    CellLight,
    cell_light,
    colour_distances,
    edge_width_px,
    unevenness,
)
from vision.calibrating.verdict import LIMITS, Condition, worst_of
from vision.finding.markers import OtherSheetError
from vision.finding.viewpoint import Viewpoint, viewpoint
from vision.frame import Image
from vision.pose import BoardPose, project, rectify
from vision.reading.locate import PhotoReader
from wording import Value, sentence, sentence_n

HIT = 0.2
"""Share of burnt-out pixels beyond which a cell counts as burnt out."""
BRIGHTER = 1.25
"""Ratio of a cell's lighter parts to those of the median cell, beyond which it mirrors a lamp."""
LISTED = 6
"""Most cells named one by one."""
USUAL_WIDTHS_PX = (1280, 1920, 2560, 3840)
SHADED = 0.35
"""Share of the brightest cells' light below which a cell is named as dark."""
MAX_KINDS = 3
"""Most classes, empty included, that colour is expected to distinguish: pips are not colours."""


@dataclasses.dataclass(frozen=True, eq=False)
class Shown:
    image: Image
    pose: BoardPose
    board: str
    """A class letter per cell, or any other character where that is unknown."""


def survey(shown: Sequence[Shown], template: BoardTemplate) -> tuple[Condition, ...]:
    """The worst of each condition measurable in pictures of one board. Takes some 60 ms a picture.

    Light and lines are judged on empty cells, colours where there are pieces to compare.
    """
    lights = [cell_light(rectify(one.image, one.pose, template), template) for one in shown]
    found = [one for each, light in zip(shown, lights, strict=True) for one in _of_picture(each, light, template)]
    return worst_of([*found, *_of_men(lights, [one.board for one in shown], template)])


def _of_picture(one: Shown, light: CellLight, template: BoardTemplate) -> list[Condition]:
    height, width = one.image.shape[:2]
    seen, empty = viewpoint(one.pose, template, (width, height)), np.array(list(one.board)) == EMPTY
    found = [_pixels(seen, width), _elevation(seen, template), _brightness(light)]
    found += _burnt(light, empty, template) if empty.any() else []
    if empty.mean() > 0.5:
        edge_px = edge_width_px(one.image, one.pose, template)
        found += [] if edge_px is None else [_sharpness(edge_px, seen)]
        # A board printed in colours looks uneven even in even light.
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


def _burnt(light: CellLight, empty: Flags, template: BoardTemplate) -> list[Condition]:
    """Burnt-out empty cells: all over the board the exposure is to blame, on some cells a lamp's reflection."""
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


def _unevenness(light: CellLight, empty: Flags, template: BoardTemplate) -> Condition:
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
    """Distances between the colours of the pieces, and between the pieces and the board."""
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


NEAR = 0.5
"""Share of a cell that a board found again may be off."""


def found_again(shown: Sequence[Shown], template: BoardTemplate, profile: TableProfile) -> Condition:
    """In how many of the pictures the board is not found where it is known to be. Takes 0.2 to 1.5 s a picture."""
    reader = PhotoReader(template, profile)
    found = sum(_is_found(one, template, reader) for one in shown)
    said = sentence(
        "With what was learnt, the board is found again in only {found} of its {count} pictures, as its lines are "
        "hardly seen: more light, a sharper picture, or a camera nearer to the board and higher above it shows them.",
        found=found,
        count=len(shown),
    )
    return Condition("found", 100 * (1 - found / len(shown)), said)


def _is_found(one: Shown, template: BoardTemplate, reader: PhotoReader) -> bool:
    try:
        placed = reader.place(one.image)
    except OtherSheetError:
        return False
    if placed is None:
        return False
    height, width = one.image.shape[:2]
    cells = np.array(template.cells_mm)
    off_px = project(placed.pose.image_from_board, cells) - project(one.pose.image_from_board, cells)
    return bool((np.linalg.norm(off_px, axis=1) < NEAR * viewpoint(one.pose, template, (width, height)).cell_px).all())
