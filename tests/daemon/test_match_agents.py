"""The match asks agents, survives their faults, and lets others stand in for them."""

from __future__ import annotations

import pytest

from agents.messages import LimitsPart
from daemon.bus.requests import PATIENCE_S, REFUSALS, REFUSED_PATIENCE_S
from daemon.config.seats import Seat, stand_in
from tests.daemon.match_bench import Bench, bench_of
from tests.daemon.readings import board_with


@pytest.fixture
def bench() -> Bench:
    return bench_of("morris", "alphabeta")


def test_state_after_a_move_is_complete_and_asks_the_agent(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    state = bench.post.states[-1]
    assert (state.moves, state.ply, state.to_move, state.awaiting) == (["d2"], 1, 1, "agent")
    assert state.board == board_with(bench.game, W="d2")
    assert state.players[1].agent == "alphabeta"
    assert state.rules["men"] == "9"


def test_agents_answer_is_announced_and_published_as_to_be_carried_out(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.answer("f4")
    assert bench.heard[-1].code == "agent_move"
    assert (bench.post.states[-1].awaiting, bench.post.states[-1].agent_move) == ("carry_out", "f4")


def test_agents_answer_is_written_before_it_is_announced(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    written_when_heard: list[list[object]] = []
    bench.match.listeners.insert(0, lambda _one: written_when_heard.append(list(bench.notebook.written)))
    bench.answer("f4")
    assert written_when_heard == [["d2", "agent_move"]]


def test_state_that_asks_an_agent_lists_the_legal_moves(bench: Bench) -> None:
    assert bench.post.states[-1].legal_moves == []
    bench.show(board_with(bench.game, W="d2"))
    assert len(bench.post.states[-1].legal_moves) == 23
    assert "d2" not in bench.post.states[-1].legal_moves


def test_late_reply_for_an_old_position_is_dropped(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.answer("f4", sequence=bench.post.states[-1].sequence - 1)
    assert bench.match.referee.agent_move is None


def test_illegal_answers_are_counted_never_spoken_and_told_of_once(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    for _ in range(5 * REFUSALS):
        bench.answer("d2")
    assert bench.match.requests.refused == 5 * REFUSALS
    assert [one.code for one in bench.heard] == ["move"]
    bench.now_s[0] += REFUSED_PATIENCE_S + 1.5
    for _ in range(5 * REFUSALS):
        bench.eyes.poll()
        bench.post.answer("d2")
    assert [one.code for one in bench.heard] == ["move", "trouble"]
    assert "d2" not in bench.heard[-1].text
    assert bench.notebook.written == ["d2", "trouble"]


def test_agent_that_answers_illegally_is_not_asked_again_and_again_at_once(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    published = len(bench.post.states)
    for _ in range(100):
        bench.answer("d2")
    assert len(bench.post.states) == published + REFUSALS


def test_legal_answer_counts_beside_and_after_illegal_ones(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    for _ in range(2 * REFUSALS):
        bench.answer("d2")
    bench.post.answer("zz")
    bench.post.answer("f4")
    bench.answer("f6")
    assert (bench.heard[-1].code, bench.heard[-1].move) == ("agent_move", "f4")


def test_patience_with_a_silent_agent_doubles(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    for _ in range(3600):
        bench.wait(1.0)
    assert 8 <= [one.code for one in bench.heard].count("trouble") <= 20
    assert bench.post.states[-1].awaiting == "agent"


def test_silent_agent_is_asked_again_and_the_players_are_told(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    asked = bench.post.states[-1].sequence
    bench.eyes.poll()
    assert bench.post.states[-1].sequence == asked
    bench.wait(PATIENCE_S + 1.5)
    assert bench.heard[-1].code == "trouble"
    assert bench.post.states[-1].sequence > asked
    assert bench.post.states[-1].awaiting == "agent"


def test_agent_that_says_why_it_has_no_move_is_asked_again_once_at_once_and_the_reason_is_told(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    asked = bench.post.states[-1].sequence
    for _ in range(5):
        bench.fail("neural_morris.onnx: its sha256\u202eis wrong")
    told = [one.text for one in bench.heard if one.code == "trouble"]
    assert told == ["Alpha-beta search finds no move: neural_morris.onnx: its sha256is wrong. I ask again."]
    assert bench.post.states[-1].sequence == asked + 1
    bench.wait(2 * PATIENCE_S + 1.5)
    assert bench.heard[-1].text == told[0] and bench.post.states[-1].sequence == asked + 2


def stand_in_at(bench: Bench, level: str = "level-5") -> None:
    """Lets Kibitzer's own player stand in for the agent."""
    bench.match.stand_in = lambda seat: Seat(level, {}, seat.limits) if seat.agent == "alphabeta" else None
    bench.show(board_with(bench.game, W="d2"))


def test_at_the_second_fault_another_plays_instead_and_it_is_said_once_and_recorded(bench: Bench) -> None:
    stand_in_at(bench)
    for wait_s in (PATIENCE_S + 1.5, 2 * PATIENCE_S + 1.5, PATIENCE_S + 0.5):
        bench.wait(wait_s)
    told = [(one.code, one.text) for one in bench.heard[1:]]
    instead = "Alpha-beta search does not answer. Kibitzer's own player at level 5 plays instead."
    assert told == [("trouble", "Alpha-beta search does not answer. I ask again."), ("stand_in", instead)]
    state = bench.post.states[-1]
    assert (state.players[1].agent, state.awaiting, state.players[0].agent) == ("level-5", "agent", None)
    bench.post.answer("f4")
    bench.eyes.poll()  # an answer of the agent that has lost its seat
    assert bench.post.states[-1].awaiting == "agent"
    bench.answer("f4", agent="level-5")
    assert bench.post.states[-1].agent_move == "f4"
    assert bench.notebook.written == ["d2", "trouble", "stand_in", "agent_move"]


def test_two_failures_are_enough_without_a_long_wait_but_one_is_not(bench: Bench) -> None:
    stand_in_at(bench)
    bench.fail("it died")
    bench.wait(REFUSED_PATIENCE_S + 1.5)
    assert bench.post.states[-1].players[1].agent == "alphabeta"
    bench.fail("it died")
    assert (
        bench.heard[-1].text
        == "Alpha-beta search finds no move: it died. Kibitzer's own player at level 5 plays instead."
    )
    assert bench.post.states[-1].players[1].agent == "level-5"


def test_faults_at_different_positions_do_not_add_up(bench: Bench) -> None:
    stand_in_at(bench)
    bench.fail("it died")
    bench.answer("f4")
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 g4", B="f4"))
    bench.fail("it died")
    assert bench.heard[-1].text == "Alpha-beta search finds no move: it died. I ask again."


def test_an_agent_that_has_played_and_gone_is_stood_in_for_and_one_that_never_came_is_waited_for(bench: Bench) -> None:
    bench.match.is_absent = lambda agent: agent == "alphabeta"
    stand_in_at(bench)
    bench.wait(100.0)
    assert bench.heard[-1].code == "move"
    bench.answer("f4")
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 g4", B="f4"))
    for wait_s in (PATIENCE_S + 1.5, 2 * PATIENCE_S + 1.5):
        bench.wait(wait_s)
    assert bench.heard[-1].code == "stand_in"


@pytest.mark.parametrize(
    ("agent", "options", "instead"),
    [
        ("external", {"engine": "gnugo"}, "level-5"),
        ("external", {"engine": "gnugo", "level": "7"}, "level-7"),
        ("level-8", {}, "level-7"),
        ("level-1", {}, None),
        (None, {}, None),
    ],
)
def test_who_stands_in_is_of_the_level_of_who_fails(agent: str | None, options: dict[str, str], instead: str) -> None:
    limits = LimitsPart(time_s=2.0)
    found = stand_in(Seat(agent, options, limits, "left"))
    assert found == (Seat(instead, {}, limits, "left") if instead else None)


def test_reason_of_a_failure_is_forgotten_with_the_next_move(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.fail("no memory")
    bench.answer("f4")
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 g4", B="f4"))
    told = [one.code for one in bench.heard].count("trouble")
    bench.eyes.poll()
    assert bench.post.states[-1].awaiting == "agent" and [one.code for one in bench.heard].count("trouble") == told
    bench.wait(PATIENCE_S + 1.5)
    assert bench.heard[-1].text == "Alpha-beta search does not answer. I ask again."


def test_agents_move_made_before_it_was_spoken_counts_once_it_is(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    assert bench.show(board_with(bench.game, W="d2", B="f4")) == ["illegal"]
    bench.answer("f4")
    assert bench.notebook.written == ["d2", "illegal", "agent_move", "f4"]


def test_a_move_asked_for_by_one_agent_is_not_made_for_another_that_takes_its_place(bench: Bench) -> None:
    bench.show(board_with(bench.game, W="d2"))
    bench.answer("f4")
    agent = bench.match.seats[1].agent
    bench.match.retune(seats=(Seat(), Seat(agent, {"seed": "1"})))
    assert bench.post.states[-1].agent_move == "f4"
    bench.match.retune(seats=(Seat(), Seat("mascot")))
    state = bench.post.states[-1]
    assert (state.awaiting, state.agent_move, state.players[1].agent) == ("agent", None, "mascot")
