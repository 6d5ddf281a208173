"""Labelled photos: positions labelled by a person, read from a JSON file.

The format is `{"images": {"<photo>": {"corners_px": [TL, TR, BR, BL] or null, "cells": "..."}}}`; other keys are
notes. `cells` has one class letter per cell, row by row from the picture's top; so has `figures`, where it is told,
with a letter for every kind of piece, such as those of FEN. Corners that cannot be a board's are refused.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from system.named_files import read_bytes

NAMES = ("top left", "top right", "bottom right", "bottom left")
MIN_SINE = 0.01
"""Sine of the smallest angle between two sides that meet in a corner: half a degree."""


def corners_fault(corners_px: FloatArray) -> str:
    """Why (4, 2) points, clockwise from the board's top left in the picture, are no corners; empty where they are."""
    sides = np.roll(corners_px, -1, axis=0) - corners_px
    lengths = np.linalg.norm(sides, axis=1)
    for first in range(4):
        for second in range(first + 1, 4):
            if np.array_equal(corners_px[first], corners_px[second]):
                return f"{NAMES[first]} and {NAMES[second]} are the same point"
    before, lengths_before = np.roll(sides, 1, axis=0), np.roll(lengths, 1)
    turns = (before[:, 0] * sides[:, 1] - before[:, 1] * sides[:, 0]) / (lengths_before * lengths)
    flat = np.flatnonzero(np.abs(turns) < MIN_SINE)
    if flat.size:
        return f"{NAMES[flat[0]]} lies on a line with the corners beside it"
    left = np.flatnonzero(turns < 0)
    match len(left):
        case 0:
            return ""
        case 4:
            return "they go anticlockwise; the order is top left, top right, bottom right, bottom left"
        case 2:
            return "two sides cross; the order is top left, top right, bottom right, bottom left"
    # One of the corners turns the other way: the one that the three others surround.
    return f"{NAMES[left[0]] if len(left) == 1 else NAMES[int(np.argmax(turns))]} lies between the three others"


MAX_BYTES = 4 << 20


class LabelError(ValueError):
    """A label file is unusable; the message names the file, the photo and the fault."""


@dataclasses.dataclass(frozen=True, eq=False)
class Label:
    name: str
    cells: str
    """A class letter per cell, in the template's order."""
    corners_px: FloatArray | None
    """(4, 2) the frame's corners in the picture, top left first, clockwise; None if they are not marked."""
    figures: str = ""
    """Which piece stands on each cell, by the template's letters; empty where that is not told."""


def read_labels(path: Path, template: BoardTemplate, only: Sequence[str] = ()) -> tuple[Label, ...]:
    """The labels in file order, or of the photos that `only` names in the order of `only`. Raises LabelError."""
    images = _load(path)
    chosen = chosen_names(list(images), only, path)
    if not chosen:
        raise LabelError(f"{path}: it labels no photo")
    return tuple(_label(path, name, images[name], template) for name in chosen)


def chosen_names(names: Sequence[str], only: Sequence[str], where: Path) -> list[str]:
    """The labelled photos that `only` names, by name or shell pattern such as `1_*.jpg`, each once; empty means all.

    Raises LabelError, its message beginning with `where`, for a word that matches none.
    """
    chosen: dict[str, None] = {}
    for word in only:
        found = [word] if word in names else [name for name in names if fnmatchcase(name, word)]
        if not found:
            raise LabelError(f"{where}: no photo {word!r}; it labels {_some(list(names))}")
        chosen |= dict.fromkeys(found)
    return list(chosen) if only else list(names)


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_bytes(path, MAX_BYTES))
    except OSError as error:
        raise LabelError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise LabelError(f"{path}: no JSON: {error}") from error
    images = content.get("images") if isinstance(content, dict) else None
    if not isinstance(images, dict):
        raise LabelError(f'{path}: it must be an object with "images", an object of photos')
    return images


def _label(path: Path, name: str, entry: Any, template: BoardTemplate) -> Label:
    where = f"{path}: photo {name!r}"
    if Path(name).name != name or name in ("", ".", ".."):
        raise LabelError(f"{where}: a photo is named without folders")
    if not isinstance(entry, dict) or not isinstance(entry.get("cells"), str):
        raise LabelError(f'{where}: it must be an object with "cells", a text')
    cells: str = entry["cells"]
    if len(cells) != len(template.cell_names):
        raise LabelError(f"{where}: {len(cells)} cells; {template.game} has {len(template.cell_names)}")
    unknown = sorted(set(cells) - set(template.letters))
    if unknown:
        raise LabelError(f"{where}: cells hold {unknown[0]!r}; {template.game} knows {template.letters!r}")
    return Label(name, cells, _corners(where, entry.get("corners_px")), _figures(where, entry, cells, template))


def _figures(where: str, entry: Mapping[str, Any], cells: str, template: BoardTemplate) -> str:
    letters = {figure.letter: letter for letter, figure in template.figures.items() if figure.letter}
    written = entry.get("figures", "") if letters else ""
    if not isinstance(written, str):
        raise LabelError(f"{where}: figures are a text")
    figures = "".join(letters.get(letter, letter) for letter in written)
    if figures and template.seen(figures) != cells:
        raise LabelError(f"{where}: its figures are not those of its cells")
    return figures


def _corners(where: str, value: Any) -> FloatArray | None:
    if value is None:
        return None
    points = value if isinstance(value, list) and len(value) == 4 else []
    numbers = [number for point in points if isinstance(point, list) and len(point) == 2 for number in point]
    good = all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers)
    if len(numbers) != 8 or not good or not all(abs(number) < 1e6 for number in numbers):
        raise LabelError(f"{where}: corners_px is null or four [x, y], clockwise from the top left")
    corners = np.array(numbers, dtype=np.float64).reshape(4, 2)
    if fault := corners_fault(corners):
        raise LabelError(f"{where}: corners_px: {fault}")
    return corners


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"
