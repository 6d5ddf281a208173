"""Go at the table: passes are told, captures are taken by hand in any order, and dead stones are counted."""

from __future__ import annotations

import dataclasses
import time

import games
from daemon.belief.belief import Belief
from daemon.belief.gap_search import GapSearch
from daemon.belief.look import Look
from daemon.commands.command import Agree, Count, Pass, Undo
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from rules import Step
from rules.turns import carry_out
from tests.daemon.readings import judged, reading_of
from tests.daemon.test_command_handlers import at, refuse, tell

GAME = games.load("go")
TWELVE = ["OOOOOOX..", "OOOOOO...", "XXXXXX...", *["........."] * 6]
"""Twelve white stones with one liberty, G8."""


def board(*rows: str) -> str:
    return "".join(rows).translate(str.maketrans("XO", "BW"))


def see(referee: Referee, shown: str) -> list[Announcement]:
    effects = judged(referee, reading_of(referee.game, shown))
    return [one for one in effects if isinstance(one, Announcement)]


def test_a_stone_of_the_wrong_colour_is_no_pass_and_a_stone() -> None:
    referee = Referee(GAME)
    (told,) = see(referee, carry_out(GAME.board(GAME.initial()), [Step("place", 40, None, "W")]))
    assert (told.code, told.rule) == ("illegal", "not_your_turn")
    ways = GapSearch(GAME, GAME.initial(), board("OO......X", *["........."] * 8)).ways()
    assert not ways  # two white stones and one black one need a pass


def test_twelve_stones_are_taken_in_any_order_and_the_rest_is_asked_for() -> None:
    position = GAME.parse_position(f"{'/'.join(TWELVE)} b - 0,0 0")
    referee = Referee(GAME, (None, None), [position])
    for rows in (["OOOOOOX..", "OOOOOOX.."], [".O.OO.X..", "OO..OOX.."], ["......X..", ".O....X.."]):
        (told,) = see(referee, board(*rows, *TWELVE[2:]))
        assert told.code == "unfinished" and "off the board" in told.text, told.text
    (told,) = see(referee, board("......X..", "......X..", *TWELVE[2:]))
    assert told.code == "move" and referee.position.prisoners == (12, 0)


def test_stones_of_a_capture_may_follow_after_the_answer_and_are_asked_for() -> None:
    position = GAME.parse_position(f"{'/'.join(TWELVE)} b - 0,0 0")
    referee = Referee(GAME, (None, None), [position])
    told = see(referee, board(".OOOOOX..", "OOOOOOX..", *TWELVE[2:8], "O........"))
    assert [one.code for one in told] == ["move", "move", "unfinished"]
    assert told[-1].text.startswith("Take the pieces on B9, C9")


def test_a_crowded_board_is_explained_as_quickly_as_an_empty_one() -> None:
    game = games.load("go", {"size": 19})
    position, moves = game.initial(), 0
    while moves < 200:
        legal = game.worth_trying(position)
        position, moves = game.apply(position, legal[moves * 7919 % len(legal)]), moves + 1

    def explained(start: object) -> float:
        steps = game.steps(start, game.legal_moves(start)[0])
        reading = reading_of(game, carry_out(game.board(start), steps))
        belief, began_s = Belief.at(game, start), time.process_time()
        assert len(belief.after(Look(1.0, reading)).told.plies) == 1
        return time.process_time() - began_s

    explained(game.initial())
    assert explained(position) < 10 * explained(game.initial()) + 0.5


def test_the_count_is_marked_agreed_and_kept_in_the_record() -> None:
    bench = at("go", ["E5", "A1"])
    referee, cell = bench.match.referee, GAME.cells.index("A1")
    assert "goes on" in refuse(bench, Count("A1"))
    tell(bench, Pass())
    tell(bench, Pass())
    before = cell in GAME.dead(referee.position)
    assert "A1 counts as" in tell(bench, Count("A1"))
    assert (cell in GAME.dead(referee.position)) != before
    dead = "A1" in referee.moves[-1]
    assert dead != before and referee.outcome == GAME.outcome(referee.position)
    assert "Does white, too?" in tell(bench, Agree("black"))
    assert "has agreed" in refuse(bench, Agree("black"))
    tell(bench, Count("A1"))  # a new mark asks both again
    assert referee.agreed == frozenset()
    assert "The count is agreed." in tell(bench, Agree())
    assert "agreed already" in refuse(bench, Count("A1"))
    tell(bench, Undo())
    assert referee.outcome is None and dataclasses.asdict(referee.position)["passes"] == 1
