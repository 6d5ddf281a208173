"""Elo, its error, the sequential test and ratings, against published and hand-computed values."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from agents.arena.elo import (
    BOUND,
    Hypotheses,
    difference,
    estimate,
    expected_score,
    judge,
    log_likelihood_ratio,
    ratings,
    wilson,
)

FISHTEST = [13, 37, 50, 25, 3]
"""Pairs by half points of a published test, montytest.muzhen.org/tests/stats/69d3c8dc7c5b3724e29d2712."""
FISHTEST_PAIRS = [half for half, count in enumerate(FISHTEST) for _ in range(count)]


def test_a_score_of_three_quarters_is_191_elo() -> None:
    # 400 log10(3), as in Elo's logistic table
    assert difference(0.75) == pytest.approx(400 * math.log10(3)) == pytest.approx(190.848, abs=1e-3)
    assert difference(0.25) == pytest.approx(-190.848, abs=1e-3)
    assert difference(0.5) == 0
    assert expected_score(400) == pytest.approx(10 / 11)
    assert difference(1.0) is None and difference(0.0) is None


def test_score_elo_and_variance_are_those_that_fishtest_published() -> None:
    found = estimate(FISHTEST_PAIRS)
    assert found is not None
    assert found.score == 0.4375
    assert found.elo == pytest.approx(-43.6578, abs=1e-4)
    assert found.error**2 * 128 == pytest.approx(0.05762, abs=1e-5)


def test_the_interval_of_the_score_is_two_standard_errors_wide_to_each_side() -> None:
    # By hand: 50 pairs lost 0:2, 50 won: mean 1/2, variance 1/4, standard error 1/20.
    found = estimate([0] * 50 + [4] * 50)
    assert found is not None and found.low is not None and found.high is not None
    assert (found.score, found.error, found.elo, found.los) == (0.5, 0.05, 0.0, 0.5)
    assert expected_score(found.high) == pytest.approx(0.5 + 1.959964 * 0.05, abs=1e-6)
    assert found.low == pytest.approx(-found.high)


def test_pairs_that_always_end_one_to_one_leave_less_doubt_than_as_many_independent_games() -> None:
    even, wild = estimate([2] * 40 + [4] * 10), estimate([0] * 20 + [4] * 30)
    assert even is not None and wild is not None
    assert even.score == wild.score == 0.6
    assert even.error < wild.error / 2


def test_superiority_is_the_normal_probability_of_a_score_above_one_half() -> None:
    # By hand: 16 pairs, 12 won and 4 lost: mean 3/4, variance 3/16, standard error sqrt(3)/16; (1/4)/error = 2.3094.
    found = estimate([4] * 12 + [0] * 4)
    assert found is not None
    assert found.los == pytest.approx(statistics.NormalDist().cdf(4 / math.sqrt(3)), abs=1e-12)
    assert found.los == pytest.approx(0.98954, abs=1e-5)


def test_all_games_won_has_no_upper_bound_but_a_lower_one() -> None:
    found = estimate([4] * 10)
    assert found is not None
    assert found.elo is None and found.high is None
    # Wilson's lower end for 10 of 10: 1 / (1 + 1.96**2 / 10) = 0.7225
    assert found.low == pytest.approx(difference(0.72247), abs=0.01)
    assert found.los == pytest.approx(1 - 0.5**11)
    lost = estimate([0] * 10)
    assert lost is not None and lost.low is None and lost.high == pytest.approx(-found.low)
    assert estimate([]) is None


def test_wilson_interval_is_the_published_one() -> None:
    # Newcombe 1998, Statistics in Medicine 17:857, table I, method 3: 81 of 263 gives 0.2553 to 0.3662.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0 / 20, 20) == pytest.approx((0, 0.1611), abs=1e-4)


def test_bounds_are_walds_and_the_likelihood_ratio_is_the_one_that_fishtest_published() -> None:
    assert pytest.approx(2.9444, abs=1e-4) == BOUND
    # "Logistic (exact)" of the same page, elo1 rounded there to 2.716.
    assert log_likelihood_ratio(FISHTEST, Hypotheses(0, 2.716)) == pytest.approx(-0.53772, abs=1e-4)


def test_without_draws_the_likelihood_ratio_is_walds() -> None:
    wanted = 20 * math.log(expected_score(50) / 0.5) + 10 * math.log((1 - expected_score(50)) / 0.5)
    assert log_likelihood_ratio([10, 20], Hypotheses(0, 50)) == pytest.approx(wanted)


def test_the_sequential_test_stops_at_the_pair_that_decides_and_looks_at_no_later_one() -> None:
    good = [4, 2, 3, 4, 4, 2, 4, 3] * 20
    found = judge(good, Hypotheses(0, 100))
    assert found.accepted == "elo1" and found.pairs < len(good)
    assert found.llr >= BOUND
    assert judge(good[: found.pairs - 1], Hypotheses(0, 100)).accepted is None
    assert judge([*good[: found.pairs], *[0] * 500], Hypotheses(0, 100)) == found
    assert judge([4 - half for half in good], Hypotheses(0, 100)).accepted == "elo0"
    assert judge([], Hypotheses(0, 100)).accepted is None


def test_the_sequential_test_errs_in_at_most_one_of_twenty_matches_of_equal_players() -> None:
    draw = random.Random(1)
    wrong = 0
    for _ in range(60):
        pairs = draw.choices(range(5), (1, 2, 4, 2, 1), k=150)
        wrong += judge(pairs, Hypotheses(0, 80)).accepted == "elo1"
    assert wrong <= 6


@pytest.mark.parametrize("text", ["", "5", "5,0", "0,0", "a,b", "0,1,2", "nan,1", "0,inf", "-9999,0"])
def test_hypotheses_that_cannot_be_told_apart_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="elo0"):
        Hypotheses.parse(text)
    assert Hypotheses.parse("-5,10.5") == Hypotheses(-5, 10.5)


def test_ratings_of_two_are_their_elo_difference() -> None:
    # The prior adds one draw: 750.5 of 1001 points.
    one, two = ratings({(0, 1): (750, 250)}, 2)
    assert one.elo - two.elo == pytest.approx(difference(750.5 / 1001), abs=1e-6)
    assert one.elo == pytest.approx(-two.elo)
    # By hand: the variance of the difference is 1 / (n p q k^2), k = ln(10)/400; each has a quarter of it.
    share = 750.5 / 1001
    half = 1.959964 / (math.log(10) / 400) / math.sqrt(1001 * share * (1 - share)) / 2
    assert one.error == pytest.approx(half, rel=1e-4)


def test_ratings_agree_with_the_model_that_made_the_points() -> None:
    true = [200.0, 50.0, -50.0, -200.0]
    points = {
        (a, b): (100_000 * expected_score(true[a] - true[b]), 100_000 * expected_score(true[b] - true[a]))
        for a in range(4)
        for b in range(a + 1, 4)
    }
    assert [rating.elo for rating in ratings(points, 4)] == pytest.approx(true, abs=0.1)


def test_a_player_who_won_every_game_has_a_finite_rating_above_all_others() -> None:
    found = ratings({(0, 1): (6, 0), (0, 2): (6, 0), (1, 2): (3, 3)}, 3)
    assert found[0].elo > found[1].elo == pytest.approx(found[2].elo)
    assert all(math.isfinite(rating.elo) and math.isfinite(rating.error) for rating in found)
    assert [rating.elo for rating in ratings({}, 2)] == [0, 0]
