"""The best moves at the table: who may see them, what they say, and what becomes of the process that looks for them."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import games
from agents import merits
from daemon.bus import best_moves, hints
from daemon.bus.best_moves import BestMoves, valued
from daemon.commands.command import Best, Coach, CommandError, parse_command
from daemon.match.recovery import is_practice
from daemon.page.view import View, best_of
from daemon.record.journal import Journal
from daemon.record.ranking import results
from daemon.record.record import Beginning, GameRecord
from daemon.words.translation import in_words
from rules import Outcome
from tests.daemon.match_bench import Bench
from tests.daemon.readings import board_with
from tests.daemon.test_coach import no_coach_is_left, running  # noqa: F401
from tests.daemon.test_command_handlers import at, refuse, tell
from wording import Sentence

ONE = {"move": "f4", "score": 500, "ends": None, "amount": None, "unit": "", "men": 0, "why": ["blocks_mill"]}
ANSWERING = """
import json, sys
for line in sys.stdin:
    if line.strip():
        print({answer!r}, flush=True)
"""


def answering(*best: dict[str, Any], **more: object) -> hints.Coach:
    return running(ANSWERING.format(answer=json.dumps({"best": best, "lead": 400} | more)))


def shown(bench: Bench, wait_s: float = 10.0) -> list[str]:
    """The moves that are drawn, once there are any."""
    end_s = time.monotonic() + wait_s
    while not bench.match.best_moves and time.monotonic() < end_s:
        bench.match.poll()
        time.sleep(0.01)
    return [one.text for one in bench.match.best_moves]


def both_wish(bench: Bench) -> None:
    for side in ("light", "dark"):
        tell(bench, Best(True, side))


def test_two_people_see_them_once_both_want_to() -> None:
    bench = at(moves=["d2"], coach=answering(ONE))
    assert "light" in refuse(bench, Best(True, "mauve"))
    assert tell(bench, Best(True, "light")).startswith("Light wants to see the best moves.")
    assert not bench.match.best.are_shown(bench.match.referee) and shown(bench, 0.3) == []
    assert [way.get("side") for way in best_of(bench.match)["ways"]] == ["dark", None]  # type: ignore[attr-defined]
    assert tell(bench, Best(True, "dark")) == "The best moves are shown to both."
    assert shown(bench) == ["f4"]
    assert tell(bench, Best(False)) == "The best moves are hidden." and bench.match.best_moves == ()


def test_a_game_against_an_agent_becomes_practice_and_the_note_comes_first() -> None:
    bench = at(moves=["d2", "f4"], agents=(None, "level-1"), coach=answering({**ONE, "move": "d6"}))
    assert not bench.match.best.are_shown(bench.match.referee)
    assert "practice" in tell(bench, Best(True))
    assert bench.heard[-1].code == "practice" and shown(bench) == ["d6"]
    bench.match.best.wishes = frozenset()
    assert tell(bench, Best(True)) == "The best moves are shown."  # it is practice already


def test_they_stay_hidden_if_the_note_of_practice_cannot_be_written() -> None:
    bench = at(moves=["d2", "f4"], agents=(None, "level-1"), coach=answering(ONE))
    bench.notebook.full = True
    assert "cannot write" in refuse(bench, Best(True))
    assert not bench.match.best.practice and not bench.match.best.are_shown(bench.match.referee)


def test_an_agent_that_sits_down_later_is_not_played_against_with_help() -> None:
    bench = at(moves=["d2"], coach=answering(ONE))
    both_wish(bench)
    assert shown(bench) == ["f4"]
    bench.match.referee.agents = (None, "level-8")
    assert bench.match.best_moves == () and not bench.match.best.are_shown(bench.match.referee)


def test_agents_may_be_watched_with_them_and_a_puzzle_never() -> None:
    bench = at(agents=("level-1", "level-2"), coach=answering(ONE))
    assert tell(bench, Best(True)) == "The best moves are shown."
    assert not bench.match.best.practice
    bench.match.best.forbidden = True
    assert bench.match.best_moves == () and "puzzle" in refuse(bench, Best(True))


def test_they_go_with_the_position_and_come_for_the_next() -> None:
    program = """
import json, sys
for line in sys.stdin:
    if line.strip():
        move = ["f4", "d6"][len(json.loads(line)["moves"].split()) - 1]
        print(json.dumps({"best": [{"move": move, "score": 1, "proven": True}], "lead": 400}), flush=True)
"""
    bench = at(moves=["d2"], coach=running(program))
    both_wish(bench)
    assert shown(bench) == ["f4"]
    bench.show(board_with(bench.game, W="d2", B="f6"))
    assert bench.match.best_moves == ()
    assert shown(bench) == ["d6"]


@pytest.mark.parametrize(
    "answer", ["", "[]", "{}", '{"best": 3}', '{"best": [{}]}', '{"best": [{"move": "d2", "score": 1}]}', "x" * 70_000]
)
def test_an_answer_that_is_none_shows_nothing(answer: str) -> None:
    bench = at(moves=["d2"], coach=running(ANSWERING.format(answer=answer)))
    both_wish(bench)
    assert shown(bench, 0.5) == []


def test_a_hint_is_answered_while_the_best_moves_are_looked_for() -> None:
    program = """
import json, sys, threading
for line in sys.stdin:
    if not line.strip():
        continue
    if "best" in json.loads(line):
        sys.stdin.readline()  # thinks until another line comes
        print(json.dumps({"best": [], "lead": 400}), flush=True)
    else:
        print(json.dumps({"move": "f4", "score": 9, "lead": 40}), flush=True)
"""
    bench = at(moves=["d2"], coach=running(program))
    both_wish(bench)
    bench.match.poll()
    time.sleep(0.5)
    assert tell(bench, Coach()) == "Let me think."
    end_s = time.monotonic() + 10
    while bench.heard[-1].text != "The game is even. Try f4." and time.monotonic() < end_s:
        bench.match.poll()
        time.sleep(0.01)
    assert bench.heard[-1].text == "The game is even. Try f4."


def test_longer_searches_follow_until_the_settings_say_enough() -> None:
    program = """
import json, sys
for line in sys.stdin:
    if line.strip():
        asked = json.loads(line)
        print(json.dumps({"best": [{"move": "f4", "score": 1000 * asked["time_s"]}], "lead": 400}), flush=True)
"""
    bench = at(moves=["d2"], coach=running(program))
    bench.match.best.seconds = 1.5
    both_wish(bench)
    seen: list[str] = []
    end_s = time.monotonic() + 10
    while time.monotonic() < end_s and (not seen or seen[-1] != "winning advantage"):
        bench.match.poll()
        words = [in_words(one.value) for one in bench.match.best_moves]
        seen += [word for word in words if word not in seen]
        time.sleep(0.005)
    assert seen == ["small advantage", "clear advantage", "winning advantage"]  # 0.3, 0.9 and 1.5 s... by the lead
    assert bench.match.best._next_s == 0.0


@pytest.mark.parametrize(
    ("told", "label", "said"),
    [
        ({"score": 999_995, "ends": 5}, "★3", "wins in 3 moves"),
        ({"score": -999_996, "ends": -4}, "†2", "loses in 2 moves"),
        ({"score": 400, "amount": 4, "unit": "disc"}, "+4", "4 discs ahead"),
        ({"score": -100, "amount": -1, "unit": "disc"}, "−1", "1 disc behind"),
        ({"score": 100_200, "amount": 2, "unit": "disc", "proven": True}, "+2", "wins by 2 discs"),
        ({"score": 0, "amount": 0, "unit": "disc", "proven": True}, "=", "draws"),
        ({"score": 0, "amount": 0, "unit": "disc"}, "=", "even"),
        ({"score": 500, "men": 1}, "+1", "clear advantage, wins 1 man"),
        ({"score": -500, "men": -2}, "−2", "clear disadvantage, loses 2 men"),
        ({"score": 1300, "men": 0}, "+++", "winning advantage"),
        ({"score": -150}, "−", "small disadvantage"),
        ({"score": 50}, "=", "even"),
        ({"score": 7, "amount": 7, "unit": "point", "proven": True}, "+7", "7 points"),
        ({"score": 0, "proven": True}, "=", "draws"),
    ],
)
def test_values_that_people_understand(told: dict[str, Any], label: str, said: str) -> None:
    signs, words = valued(told, 400)
    assert (signs, in_words(words)) == (label, said)


def test_every_reason_has_words() -> None:
    assert list(best_moves.REASONS) == list(merits.CODES)
    assert all(isinstance(said, Sentence) for said in best_moves.REASONS.values())


def test_practice_does_not_count_in_the_ranking_and_stays_practice_after_a_restart(tmp_path: Path) -> None:
    with contextlib.closing(Journal(tmp_path / "journal.sqlite")) as journal:
        for game_id in ("earnest", "practice"):
            GameRecord(journal, game_id, Beginning("nine_mens_morris", {}, ["Ann", "level-1"], {}, "")).begin()
            if game_id == "practice":
                journal.note(game_id, "practice", "The best moves are shown.")
            journal.finish(game_id, Outcome(0, "resigned"))
        assert len(results(journal)) == len(results(journal, "nine_mens_morris")) == 1
        assert is_practice(journal.game("practice")) and not is_practice(journal.game("earnest"))


def test_the_page_is_told_nothing_of_them_while_they_are_hidden() -> None:
    bench = at(moves=["d2"], coach=answering(ONE))
    best = BestMoves()
    assert best.moves(bench.match.referee, bench.match.mark) == ()
    told = best_of(bench.match)
    assert not told["shown"] and told["moves"] == []
    drawing = View().board(bench.match)
    assert drawing is not None and 'class="best' not in drawing()


@pytest.mark.parametrize(
    "words", [{"command": "best"}, {"command": "best", "shown": 1}, {"command": "best", "side": "x"}]
)
def test_a_wish_is_true_or_false(words: dict[str, object]) -> None:
    with pytest.raises(CommandError):
        parse_command(words)


def test_a_process_that_ends_without_an_answer_is_asked_again_but_not_for_ever(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    bench = at(moves=["d2"], coach=running(f"open({str(tries)!r}, 'a').write('x')"))
    both_wish(bench)
    assert shown(bench, 2.0) == []
    assert tries.read_text() == "x" * best_moves.TRIES and bench.match.best.has_looked(bench.match.mark)


def test_every_game_can_be_asked(tmp_path: Path) -> None:
    for game in games.names():
        bench = at(games.find(game).about.short_name)
        line = json.loads(hints.question(bench.match.referee, {"best": 3, "time_s": 0.3}))
        assert line["best"] == 3
    assert threading.active_count() < 50
