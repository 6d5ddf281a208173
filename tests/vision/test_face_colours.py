"""Tiles of one make: a cell is doubted only if its colour differs from that of the faces that are seen surely."""

from __future__ import annotations

import numpy as np
import pytest

from vision.reading.face_colours import MAX_NATS, matching_face_colours

LETTERS = ".0123456"
IVORY, TEAL, PLATE = (205, 228, 240), (150, 140, 30), (90, 200, 240)


def cell(face: tuple[int, int, int], pips: bool, light: float = 1.0) -> np.ndarray:
    patch = np.full((48, 48, 3), face, dtype=np.float64)
    if pips:
        patch[20:28, 20:28] = 20
    return np.clip(patch * light, 0, 255).astype(np.uint8)


def believed(letter: str, share: float) -> np.ndarray:
    """Log probabilities with that share for one class, the rest for empty; for empty itself, for a blank half."""
    shares = np.full(len(LETTERS), 1e-4)
    shares[LETTERS.index(letter)] = share
    shares[LETTERS.index("." if letter != "." else "0")] = 1 - share
    return np.asarray(np.log(shares / shares.sum()))


def board(*others: tuple[np.ndarray, np.ndarray], halves: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Halves with pips that are surely seen, in light that falls off, followed by the cells in question."""
    light = np.linspace(1.0, 0.7, max(halves, 1))
    cells = [(cell(IVORY, True, light[number]), believed("5", 0.999)) for number in range(halves)]
    patches, logs = zip(*cells, *others, strict=True)
    return np.stack(patches), np.stack(logs)


def half_odds(logs: np.ndarray) -> np.ndarray:
    return np.asarray(np.logaddexp.reduce(logs[:, 1:], axis=1) - logs[:, 0])


def test_a_blank_of_another_colour_is_doubted_and_one_of_the_same_is_not() -> None:
    patches, logs = board((cell(PLATE, False), believed("0", 0.9)), (cell(IVORY, False, 0.8), believed("0", 0.9)))
    odds = half_odds(matching_face_colours(patches, logs, LETTERS)) - half_odds(logs)
    assert -MAX_NATS <= odds[-2] < -3
    assert np.exp(matching_face_colours(patches, logs, LETTERS))[-2, 0] > 0.5
    assert np.allclose(odds[:-2], 0) and odds[-1] == pytest.approx(0)


def test_what_is_seen_surely_stays_so_even_in_another_colour() -> None:
    patches, logs = board((cell(PLATE, True), believed("3", 0.9999)))
    assert matching_face_colours(patches, logs, LETTERS)[-1].argmax() == LETTERS.index("3")


def test_a_tile_in_a_shadow_is_of_the_same_make() -> None:
    patches, logs = board((cell(IVORY, False, 0.45), believed("0", 0.9)))
    assert matching_face_colours(patches, logs, LETTERS)[-1].argmax() == LETTERS.index("0")


def test_few_halves_say_nothing_of_the_make() -> None:
    patches, logs = board((cell(PLATE, False), believed("0", 0.9)), halves=3)
    assert matching_face_colours(patches, logs, LETTERS) is logs


def test_beliefs_still_add_up_to_one() -> None:
    patches, logs = board((cell(PLATE, False), believed("0", 0.6)), (cell(TEAL, False), believed(".", 0.97)))
    assert np.allclose(np.exp(matching_face_colours(patches, logs, LETTERS)).sum(axis=1), 1)
