"""Cells count as still one by one, whatever moves over others or happens to the light."""

from __future__ import annotations

import numpy as np

from vision.watching.still_cells import StillCells

CELLS = np.random.default_rng(1).integers(40, 160, (9, 48, 48, 3)).astype(np.uint8)


def test_cells_away_from_a_hand_stay_still_and_a_lamp_moves_nothing() -> None:
    cells, hand = StillCells(), CELLS.copy()
    hand[4] = 90
    assert not cells.update(CELLS, 0.0).any()
    seen = cells.update(hand, 1.0)
    assert seen[4] == 0 and (np.delete(seen, 4) == 1).all()
    lamp = np.clip(hand * 1.4, 0, 255).astype(np.uint8)
    seen = cells.update(lamp, 2.0)
    assert seen[4] == 1 and (np.delete(seen, 4) == 2).all(), "cells that changed before and after the light alike"
    seen = cells.update(np.clip(CELLS * 1.4, 0, 255).astype(np.uint8), 3.0)
    assert seen[4] == 0 and (np.delete(seen, 4) == 3).all()
