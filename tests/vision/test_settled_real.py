"""Real videos with known pauses: the pictures that the gate releases, and the sides from which arms came."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.settled_pictures import CHESS_PLIES, Sequence, arms, measure, sequences


@pytest.mark.parametrize("sequence", sequences()[:4], ids=lambda sequence: sequence.name)
def test_every_still_pause_comes_out_and_no_hand_does_and_a_still_board_never_moves(
    real_data: Path, sequence: Sequence
) -> None:
    count = measure(sequence, real_data)
    assert count.found == count.pauses > 0
    assert count.with_hand == 0
    assert count.elsewhere == 0
    assert not sequence.still or (count.motion, count.settled) == (0, 1)


def test_a_real_arm_is_told_by_its_side(real_data: Path) -> None:
    assert arms(real_data) == {name: side for name, _, _, side in CHESS_PLIES}
