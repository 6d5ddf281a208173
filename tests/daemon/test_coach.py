"""The coach: what a hint says, whom it is for, and what becomes of the process that thinks."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from daemon.bus import hints
from daemon.commands.command import Coach, Resign
from daemon.words.translation import in_words
from tests.daemon.match_bench import Bench
from tests.daemon.readings import board_with
from tests.daemon.test_command_handlers import at, refuse, tell
from tests.waiting import wait_for

COACHES: list[hints.Coach] = []


@pytest.fixture(autouse=True)
def no_coach_is_left() -> Iterator[None]:
    yield
    while COACHES:
        COACHES.pop().close()


def running(program: str, deadline_s: float = 20.0, start_s: float = 20.0) -> hints.Coach:
    """A coach that asks this program."""
    COACHES.append(hints.Coach((sys.executable, "-c", program), deadline_s, start_s))
    return COACHES[-1]


def answering(text: str) -> hints.Coach:
    return running(f"print({text!r})")


def answered(bench: Bench) -> str:
    """What is said once no coach thinks any more."""

    def is_silent() -> bool:
        bench.match.poll()
        return not COACHES[-1].thinks

    wait_for(is_silent)
    return bench.heard[-1].text


def advised(bench: Bench) -> str:
    """Asks the coach and returns its final answer."""
    assert tell(bench, Coach()) == "Let me think."
    return answered(bench)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"move": "f4", "score": 12.0, "lead": 40}, "Dark is a little ahead. Try f4."),
        ({"move": "f4", "score": -12.0, "lead": 40}, "Light is a little ahead. Try f4."),
        ({"move": "f4", "score": 9, "lead": 40}, "The game is even. Try f4."),
        ({"move": "f4", "score": 40, "lead": 40}, "Dark is ahead. Try f4."),
        ({"move": "f4", "score": -121, "lead": 40}, "Light is far ahead. Try f4."),
        ({"move": "f4", "score": 0}, "The game is even. Try f4."),
        ({"move": "f4", "score": 12.0, "lead": None}, "Dark is ahead. Try f4."),
        ({"move": "f4", "score": 999_999}, "Dark wins in 1 move. Try f4."),
        ({"move": "f4", "score": -999_990}, "Light wins in 5 moves. Try f4."),
        ({"move": "f4", "score": None}, "Try f4."),
        ({"move": "d2", "score": 1.0}, "I have no opinion on this position."),
        ({"move": "f4", "score": "NaN"}, "Try f4."),
        ({"move": "f4", "score": 1, "lead": "much"}, "I have no opinion on this position."),
        ([], "I have no opinion on this position."),
    ],
)
def test_the_coach_says_who_stands_better_and_the_best_move(answer: object, said: str) -> None:
    bench = at(moves=["d2"], coach=answering(json.dumps(answer)))
    assert advised(bench) == said


def test_a_pass_is_advised_with_the_tile_to_put_away() -> None:
    game = games.load("dominoes")
    stuck = game.parse_position("red;pawns=0,0;bag=48;holds=4,3;hand_red=1-4,3-4,3-6,5-6;tiles=8H0-9H0")
    advice = hints.advice(game, stuck, json.dumps({"move": "pass:3-4"}))
    assert in_words(*advice.said) == "Pass, and put 3-4 away."


def test_a_coach_that_stalls_is_ended_at_its_deadline() -> None:
    coach = running("import time; time.sleep(600)", start_s=0.2)
    bench = at(moves=["d2"], coach=coach)
    assert advised(bench) == "I have no opinion on this position."
    assert not coach.thinks


def test_only_the_first_answer_of_a_process_may_take_long() -> None:
    program = """
import json, sys, time
for number, line in enumerate(sys.stdin):
    time.sleep(600 if number else 0.5)
    print(json.dumps({"move": "f4", "score": 1.0, "lead": 1}), flush=True)
"""
    bench = at(moves=["d2"], coach=running(program, 0.2))
    assert advised(bench) == "Dark is ahead. Try f4."
    assert advised(bench) == "I have no opinion on this position."


def test_advice_on_a_position_that_has_gone_is_not_given() -> None:
    bench = at(moves=["d2"], coach=answering(json.dumps({"move": "f4", "score": 1.0})))
    tell(bench, Coach())
    assert "already" in refuse(bench, Coach())
    bench.show(board_with(bench.game, W="d2", B="f6"))
    assert "changed while I was thinking" in answered(bench)


def test_a_coach_stays_for_further_questions_and_another_takes_the_place_of_one_that_died() -> None:
    program = """
import json, os, sys
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)["moves"].split()
    print(json.dumps({"move": ["f4", "d6"][len(asked) - 1], "score": os.getpid(), "lead": 1}), flush=True)
    if number == 1:
        break
"""
    bench = at(moves=["d2"], coach=running(program))
    assert advised(bench) == "Dark is far ahead. Try f4."
    first = COACHES[0]._process
    assert advised(bench) == "Dark is far ahead. Try f4." and COACHES[0]._process is first
    assert first is not None and first.wait(20) == 0
    assert advised(bench) == "Dark is far ahead. Try f4." and COACHES[0]._process is not first
    assert bench.match.advice is not None and bench.match.advice.move is not None
    bench.show(board_with(bench.game, W="d2", B="f6"))
    assert bench.match.advice is None  # it was for the position before


def test_no_hint_is_given_while_an_agent_is_to_move() -> None:
    bench = at(moves=["d2"], agents=(None, "level-1"), coach=answering("{}"))
    assert "people" in refuse(bench, Coach()) and not COACHES[0].thinks


def test_a_hint_asked_in_one_game_is_neither_spoken_in_the_next_nor_waited_for() -> None:
    coach = running("import time; time.sleep(600)", 600.0)
    before, after = at(moves=["d2"], coach=coach), at(moves=["d6"], coach=coach)
    before.match.game_id, after.match.game_id = "first", "second"
    tell(before, Coach())
    first = coach._process
    after.match.poll()
    assert "coach" not in [one.code for one in after.heard] and not coach.thinks
    tell(after, Coach())
    second = coach._process
    tell(after, Resign("light"))
    after.match.poll()  # the game is over: nobody needs advice
    assert [one.text for one in after.heard if one.code == "coach"] == ["Let me think."] and not coach.thinks
    assert first is not None and second is not None
    assert first.poll() is not None and second.poll() is not None


def test_a_hint_is_for_the_position_that_it_was_asked_in_and_not_for_another_of_as_many_plies() -> None:
    coach = answering(json.dumps({"move": "f4", "score": 1.0}))
    asked, other = at(moves=["d2"], coach=coach), at(moves=["d6"], coach=coach)
    tell(asked, Coach())
    answered(other)  # the last move was taken back, and another was made
    said = [one.text for one in other.heard if one.code == "coach"]
    assert said == ["The board has changed while I was thinking. Ask me again."]


def test_the_real_coach_is_asked_in_words_that_the_command_line_understands(tmp_path: Path) -> None:
    for game in games.names():
        bench = at(games.find(game).about.short_name)
        words = hints.command_words(bench.match.referee)
        assert words[words.index("--game") + 1] == game
        assert words[-1] == "--lines" and json.loads(hints.question(bench.match.referee)) == {"moves": ""}
