"""The costs keep the order from which they are derived."""

from __future__ import annotations

from daemon.belief import costs

LATE = 2 * costs.RARE_NATS
CLEARED = 2 * costs.RARE_NATS


def lead(better: float, worse: float) -> bool:
    """Whether the one is believed although the other would show the same."""
    return worse - better >= costs.BELIEVE_NATS - costs.ROUNDING_NATS


def test_a_ply_is_believed_rather_than_anything_rarer() -> None:
    assert lead(0.0, costs.RARE_NATS) and lead(0.0, costs.ODD_NATS)


def test_a_turn_finished_late_is_believed_rather_than_three_plies_and_a_takeback_rather_than_both() -> None:
    assert lead(LATE, 2 * costs.ODD_NATS)
    assert lead(costs.RARE_NATS, LATE)


def test_nothing_rare_is_believed_for_one_stray_cell() -> None:
    none = costs.ODD_NATS + costs.RARE_NATS
    assert lead(costs.RARE_NATS, none) and lead(costs.ODD_NATS, none)
    assert not any(lead(one, none) for one in (LATE, 2 * costs.ODD_NATS, CLEARED))


def test_missed_plies_are_believed_for_one_cell_more_and_only_then() -> None:
    assert lead(costs.ODD_NATS, costs.ODD_NATS + costs.RARE_NATS)


def test_a_seen_hand_counts_more_than_the_passes_that_explain_it() -> None:
    assert lead(costs.MAX_PASSES * costs.RARE_NATS, costs.HOPELESS_NATS)


def test_ways_that_look_alike_stay_open_and_do_not_count_as_doubt() -> None:
    assert costs.TENFOLD_NATS < costs.BELIEVE_NATS
