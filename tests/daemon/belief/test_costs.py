"""The costs keep the order from which they are derived."""

from __future__ import annotations

from daemon.belief import costs

LATE = costs.HALF_NATS + costs.LATE_NATS


def lead(better: float, worse: float) -> bool:
    """Whether the one is believed although the other would show the same."""
    return worse - better >= costs.BELIEVE_NATS - costs.ROUNDING_NATS


def test_a_ply_is_believed_rather_than_anything_rarer() -> None:
    rarer = (costs.TAKEBACK_NATS, costs.HALF_NATS, costs.PASS_NATS, costs.HASTE_NATS, costs.EXTRA_PLY_NATS)
    assert all(lead(0.0, one) for one in rarer)


def test_a_turn_finished_late_is_believed_rather_than_three_plies_and_a_takeback_rather_than_both() -> None:
    assert lead(LATE, 2 * costs.EXTRA_PLY_NATS)
    assert lead(costs.TAKEBACK_NATS, LATE)


def test_nothing_rare_is_believed_for_one_stray_cell() -> None:
    none = costs.ILLEGAL_NATS + costs.STRAY_NATS
    assert lead(costs.TAKEBACK_NATS, none) and lead(costs.HASTE_NATS, none) and lead(costs.EXTRA_PLY_NATS, none)
    assert not any(lead(one, none) for one in (LATE, 2 * costs.EXTRA_PLY_NATS, costs.CLEARED_NATS))


def test_missed_plies_are_believed_for_one_cell_more_and_only_then() -> None:
    assert not lead(costs.ILLEGAL_NATS, costs.ILLEGAL_NATS)
    assert lead(costs.ILLEGAL_NATS, costs.ILLEGAL_NATS + costs.STRAY_NATS)


def test_a_seen_hand_counts_more_than_the_passes_that_explain_it() -> None:
    assert lead(2 * costs.PASS_NATS, costs.MOVER_NATS)


def test_ways_that_look_alike_stay_open_and_do_not_count_as_doubt() -> None:
    assert costs.FURTHER_NATS < costs.BELIEVE_NATS
