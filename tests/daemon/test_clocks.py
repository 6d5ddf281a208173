"""The game clock: which side is charged, when it warns, and what it forgives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.game.clocks import MAX_STEP_S, Due, GameClock, TimeControl, Used
from daemon.game.effects import PlyTimes

GAME = TimeControl("game", 300.0, 2.0)
MOVE = TimeControl("move", 60.0)


def wait(clock: GameClock, start_s: float, seconds: float) -> float:
    """Checks the clock every second for that many seconds, as a daemon does; returns the time then."""
    for step in range(1, int(seconds) + 1):
        clock.due(start_s + step)
    clock.due(start_s + seconds)
    return start_s + seconds


def test_the_side_to_move_pays_for_its_turn_and_gets_its_increment() -> None:
    clock = GameClock(GAME)
    clock.run(0, 100.0)
    now = wait(clock, 100.0, 12.5)
    assert clock.made(0, now) == PlyTimes(12.5, (289.5, 300.0))
    clock.run(1, now)
    now = wait(clock, now, 3)
    assert clock.made(1, now) == PlyTimes(3.0, (289.5, 299.0))


def test_a_pass_brings_no_increment() -> None:
    clock = GameClock(GAME)
    clock.run(0, 0.0)
    assert clock.made(0, 1.0, "pass", seen=False) == PlyTimes(1.0, (299.0, 300.0))


def test_with_time_for_each_move_every_turn_begins_with_all_of_it() -> None:
    clock = GameClock(MOVE)
    clock.run(0, 0.0)
    now = wait(clock, 0.0, 45)
    assert clock.made(0, now) == PlyTimes(45.0, (15.0, 60.0))
    clock.run(1, now)
    assert clock.left_s == (60.0, 60.0)


def test_without_a_time_control_time_is_measured_and_nothing_is_ever_due() -> None:
    clock = GameClock(TimeControl())
    clock.run(0, 0.0)
    now = wait(clock, 0.0, 5)
    assert clock.due(now + 1) is None
    assert clock.made(0, now + 1) == PlyTimes(6.0, None)
    assert clock.left_s is None


def test_a_clock_that_stands_charges_nobody() -> None:
    clock = GameClock(GAME)
    clock.run(0, 0.0)
    clock.run(None, 4.0)
    now = wait(clock, 4.0, 500)
    clock.run(0, now)
    assert clock.made(0, now + 1.0).spent_s == 5.0


def test_what_is_used_in_a_turn_is_kept_over_a_pause() -> None:
    clock = GameClock(GAME)
    clock.run(1, 0.0)
    clock.run(None, 3.0)
    assert clock.left_s == (300.0, 297.0)
    clock.run(1, 50.0)
    assert clock.turn_s == 3.0


@pytest.mark.parametrize("jump_s", [MAX_STEP_S + 0.1, 3600.0, 1e9])
def test_a_computer_that_slept_charges_a_few_seconds_at_most(jump_s: float) -> None:
    clock = GameClock(GAME)
    clock.run(0, 10.0)
    clock.due(10.0 + jump_s)
    assert clock.turn_s == MAX_STEP_S


def test_time_that_goes_backwards_gives_nothing_back() -> None:
    clock = GameClock(GAME)
    clock.run(0, 100.0)
    clock.due(102.0)
    clock.due(50.0)
    clock.due(51.0)
    assert clock.turn_s == 3.0


def test_each_warning_is_due_once_and_then_the_end_of_the_time() -> None:
    clock = GameClock(TimeControl("game", 70.0))
    clock.run(0, 0.0)
    dues = [(second, due) for second in range(100) if (due := clock.due(float(second))) is not None]
    assert dues == [(10, Due(0, 60.0)), (60, Due(0, 10.0)), (70, Due(0, 0.0))]
    assert clock.left_s == (-29.0, 70.0)


def test_of_warnings_that_come_together_only_the_most_pressing_is_due() -> None:
    clock = GameClock(TimeControl("move", 4.0, warn_s=(3.0, 2.0, 1.0)))
    clock.run(0, 0.0)
    assert clock.due(3.5) == Due(0, 1.0)
    assert clock.due(3.6) is None


def test_a_warning_at_all_the_time_there_is_or_more_is_none() -> None:
    clock = GameClock(TimeControl("move", 60.0, warn_s=(3600.0, 60.0)))
    clock.run(0, 0.0)
    assert clock.due(1.0) is None


def test_who_began_a_turn_with_little_time_is_not_warned_of_it_again() -> None:
    clock = GameClock(TimeControl("game", 70.0))
    clock.run(0, 0.0)
    now = wait(clock, 0.0, 15)
    clock.made(0, now)
    clock.run(1, now)
    clock.made(1, now)
    clock.run(0, now)
    assert clock.due(now + 2.0) is None
    assert clock.left_s == (53.0, 70.0)


def test_time_that_is_up_is_told_once_and_not_in_every_turn_after() -> None:
    clock = GameClock(TimeControl("game", 4.0, warn_s=()))
    clock.run(0, 0.0)
    assert clock.due(5.0) == Due(0, 0.0)
    clock.made(0, 5.0)
    clock.run(1, 5.0)
    clock.made(1, 6.0)
    clock.run(0, 6.0)
    assert clock.due(9.0) is None


def test_a_takeback_shows_what_the_clocks_showed_then() -> None:
    clock = GameClock(GAME)
    shown = [clock.left_s]
    now = 0.0
    for ply in range(6):
        clock.run(ply % 2, now)
        now = wait(clock, now, 3 + ply)
        clock.made(ply % 2, now)
        clock.run(None, now)
        shown.append(clock.left_s)
    clock.run(0, now)
    wait(clock, now, 9)
    clock.run(None, now + 9)
    for ply in (5, 2, 0):
        clock.take_back(ply)
        assert clock.left_s == shown[ply]


def test_corrected_plies_take_their_times_along_by_their_text() -> None:
    clock = GameClock(GAME)
    now = 0.0
    for side, text in ((0, "a"), (1, "b"), (0, "c")):
        clock.run(side, now)
        now = wait(clock, now, 10 * (side + 1))
        clock.made(side, now, text)
    # "b" was the first side's move too, after an unseen pass.
    times = clock.rewrite(1, [Used(1, 0, "pass", False), Used(0, 0, "b"), Used(1, 0, "c")])
    assert times == [PlyTimes(0.0, (292.0, 300.0)), PlyTimes(20.0, (274.0, 300.0)), PlyTimes(10.0, (274.0, 292.0))]


def test_plies_taken_back_and_put_back_have_their_times_again() -> None:
    clock = GameClock(GAME)
    clock.run(0, 0.0)
    first = clock.made(0, 4.0, "a")
    clock.take_back(0)
    assert clock.rewrite(0, [Used(0, 0, "a")]) == [first]


def test_a_resumed_clock_goes_on_where_the_record_ends() -> None:
    clock, again = GameClock(GAME), []
    now = 0.0
    for ply in range(5):
        clock.run(ply % 2, now)
        now = wait(clock, now, 7)
        again.append(Used(ply % 2, clock.made(ply % 2, now).spent_s))
    clock.run(1, now)
    resumed = GameClock(GAME, again)
    resumed.run(1, 1e6)
    assert resumed.left_s == clock.left_s


@settings(max_examples=60)
@given(
    kind=st.sampled_from(["game", "move"]),
    turns=st.lists(st.tuples(st.integers(0, 1), st.floats(0, 4.9), st.booleans()), max_size=30),
)
def test_no_second_is_lost_or_charged_twice(kind: str, turns: list[tuple[int, float, bool]]) -> None:
    clock, now, charged = GameClock(TimeControl(kind, 100.0, 1.5)), 0.0, [0.0, 0.0]  # type: ignore[arg-type]
    for side, seconds, stands in turns:
        clock.run(None if stands else side, now)
        now += seconds
        clock.due(now)
        spent = clock.made(side, now).spent_s
        assert spent == pytest.approx(0.0 if stands else seconds, abs=1e-6)
        charged[side] += spent - 1.5
    expected = [100.0 - one if kind == "game" else 100.0 for one in charged]
    clock.run(None, now)
    assert clock.left_s == pytest.approx(expected, abs=1e-6)
