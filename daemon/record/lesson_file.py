"""The file of what the start of a game has taught, so that a daemon restarted in the middle of it reads by it.

One file for each table and game, beside the table's profile. It counts for its own game alone, and the next start
replaces it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.atomic_file import write_atomically
from calibration.stored_arrays import DAMAGED, read_arrays
from calibration.template import BoardTemplate
from system.numbers import number, whole
from vision.calibrating.lesson import Lesson
from vision.calibrating.verdict import Expectation
from vision.reading.heads import load_generic
from vision.reading.plda import BoardMeans
from vision.reading.taught import WITNESSES, CellFeatures, Taught

LOGGER = logging.getLogger(__name__)
FORMAT = 3
FEATURES = tuple(field.name for field in dataclasses.fields(CellFeatures))


class LessonFile:
    def __init__(self, path: Path, game_id: str) -> None:
        self.path = path
        self._game_id = game_id

    def load(self, template: BoardTemplate) -> Lesson | None:
        """What the start of this game has taught; None without a file, or with one that is damaged or of another game.

        Its turn is that of the picture that taught it.
        """
        try:
            arrays = read_arrays(self.path)
            facts = json.loads(arrays["facts"].tobytes())
            if whole(facts["format"]) != FORMAT or facts["game_id"] != self._game_id:
                return None
            return _lesson(facts, arrays, template)
        except FileNotFoundError:
            return None
        except (OSError, *DAMAGED) as error:
            LOGGER.warning("%s: what the start has taught cannot be read, and is not used: %s", self.path, error)
            return None

    def save(self, lesson: Lesson) -> None:
        """Writes the file whole or not at all; if that fails, the lesson ends with this session."""
        expected = lesson.expectation
        facts = {
            "format": FORMAT,
            "game_id": self._game_id,
            "turn": lesson.turn,
            "board": lesson.board,
            "expectation": [expected.right, expected.judged, expected.cells],
        }
        more, arrays = _stored(lesson.taught)
        buffer = io.BytesIO()
        arrays["facts"] = np.frombuffer(json.dumps(facts | more).encode(), dtype=np.uint8)
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, buffer.getvalue(), private=True)
        except OSError as error:
            LOGGER.warning("%s: cannot be written: %s", self.path, error.strerror or error)


def _stored(taught: Taught | None) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if taught is None:
        return {}, {}
    arrays = {name: getattr(taught.known, name) for name in FEATURES}
    arrays |= {name: getattr(taught, name) for name in ("classes", "kinds", "weights")}
    return {"strange": taught.strange, "model": _digest(taught.model)}, arrays


def _lesson(facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], template: BoardTemplate) -> Lesson | None:
    """None if it was learnt with other networks. Raises an error of DAMAGED."""
    turn, (right, judged, cells) = whole(facts["turn"]), facts["expectation"]
    if turn not in range(4):
        raise ValueError(f"turn is {turn!r}")
    taught = None if template.shaped else _taught(facts, arrays, template)
    expected = Expectation(number(right), whole(judged), whole(cells), by_picture=False)
    return None if taught is None and not template.shaped else Lesson(taught, turn, expected, str(facts["board"]))


def _taught(facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], template: BoardTemplate) -> Taught | None:
    model = load_generic(template.descriptor).means
    if model is None or facts["model"] != _digest(model):
        return None
    count, classes = len(template.cells_mm), len(model.letters)
    numbers = {name: np.asarray(arrays[name], dtype=np.float64) for name in (*FEATURES, "weights")}
    shapes: dict[str, tuple[int, ...]] = {"network": (count, classes), "contrast": (count,)}
    shapes |= {"projected": (count, model.dimensions), "colour": (count, 3), "weights": (len(WITNESSES),)}
    for name, shape in shapes.items():
        if numbers[name].shape != shape or not np.isfinite(numbers[name]).all():
            raise ValueError(f"{name} is {numbers[name].shape}, not {shape}, or not finite")
    indices = {name: np.asarray(arrays[name]).astype(np.intp) for name in ("classes", "kinds")}
    for name, most in (("classes", classes), ("kinds", 2)):
        if indices[name].shape != (count,) or not ((indices[name] >= 0) & (indices[name] < most)).all():
            raise ValueError(f"{name} is no list of {count} numbers below {most}")
    strange = facts["strange"]
    if not isinstance(strange, float) or not 0 <= strange <= 1:
        raise ValueError(f"strange is {strange!r}")
    known = CellFeatures(*(numbers[name] for name in FEATURES))
    return Taught(model, known, indices["classes"], indices["kinds"], numbers["weights"], strange)


def _digest(model: BoardMeans) -> str:
    """SHA-256 of the projection, in which the known cells are stored."""
    return hashlib.sha256(model.projection.tobytes() + model.offset.tobytes()).hexdigest()
