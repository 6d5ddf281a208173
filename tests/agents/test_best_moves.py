"""The best moves of a position: their order, their values in discs, men and plies, and the reasons."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents import merits
from agents.analysis import Analyst
from agents.best_moves import BestMoves
from agents.cli import app
from agents.endgames import Solver
from agents.values import final_lead
from rules import AnyGame
from rules.options import rules_from_words
from rules.turns import line_of_play

NEVER = threading.Event()


def found(game: AnyGame, moves: str, count: int = 3, time_s: float = 0.5) -> list[dict[str, object]]:
    position = line_of_play(game, moves.split())[-1]
    return BestMoves(game).find(position, count, time_s, NEVER)


def why(game: AnyGame, moves: str, move: str) -> list[str]:
    position = line_of_play(game, moves.split())[-1]
    return list(merits.of(game, position, game.parse_move(position, move)))


def test_a_mill_comes_first_and_only_its_best_capture_is_listed() -> None:
    best = found(games.load("morris"), "d2 f4 d3 f6", time_s=2.0)
    assert best[0]["why"] == ["closes_mill"] and best[0]["men"] == 1
    assert len([one for one in best if str(one["move"]).startswith("d1x")]) == 1


def test_a_forced_win_counts_its_plies_and_lost_moves_are_left_out() -> None:
    gomoku = games.load("gomoku")
    best = found(gomoku, "h8 a1 i8 a3 j8 a5")
    assert {one["move"] for one in best[:2]} == {"g8", "k8"}
    assert [one["ends"] for one in best[:2]] == [3, 3] and best[0]["why"] == ["open_four"]
    held = found(gomoku, "h8 h9 i8 i9 j8")
    assert {one["move"] for one in held} == {"g8", "k8"} and all(one["ends"] is None for one in held)


def test_the_ending_of_reversi_is_worth_what_the_solver_proves() -> None:
    reversi, checked = games.load("reversi"), 0
    position = reversi.initial()
    for number in range(200):
        if reversi.outcome(position) is not None:
            break
        if sum(map(int.bit_count, position.discs)) >= 55:
            solver = Solver(16)
            for one in BestMoves(reversi).find(position, 8, 5.0, NEVER):
                after = reversi.apply(position, reversi.parse_move(position, str(one["move"])))
                ended = reversi.outcome(after)
                if ended is None:
                    score = solver.solve(after).score * (1 if after.side == position.side else -1)
                else:
                    assert ended.scores is not None
                    score = final_lead(ended.scores) * (1 if position.side == 0 else -1)
                assert one["proven"] and (one["amount"], one["unit"]) == (score, "disc")
                checked += 1
        moves = reversi.legal_moves(position)
        position = reversi.apply(position, moves[number % len(moves)])
    assert checked > 10


RULE_SETS = {
    "gomoku": ["caro", "pro", "long_pro", "swap2"],
    "morris": ["lasker", "morabaraba", "six", "three"],
    "reversi": ["two_corners"],
}


@pytest.mark.parametrize(("name", "by"), [(name, by) for name, all_of in RULE_SETS.items() for by in all_of])
def test_under_other_rule_sets_moves_are_found_and_judged(name: str, by: str) -> None:
    game = games.load(name, rules_from_words([by]))
    search, analyst, position = BestMoves(game), Analyst(game, 0.05), game.initial()
    for ply in range(3):
        best = next(filter(None, (search.find(position, 3, time_s, NEVER) for time_s in (0.1, 1.0, 10.0))), [])
        assert best and {str(one["move"]) for one in best} <= {
            game.format_move(position, move) for move in game.legal_moves(position)
        }
        move = list(game.legal_moves(position))[5 * ply % len(game.legal_moves(position))]
        judged = analyst.judged(position, move, NEVER)
        assert judged.made.move == move and judged.best.move in game.legal_moves(position) and 0 <= judged.lost <= 1
        position = game.apply(position, move)
        if game.outcome(position) is not None:
            break


def test_five_between_two_enemy_stones_is_none_in_caro() -> None:
    moves = "h8 g8 i8 m8 j8 a1 k8 a3"
    assert why(games.load("gomoku"), moves, "l8") == ["five"]
    assert why(games.load("gomoku", rules_from_words(["caro"])), moves, "l8") == []


def test_hands_of_dominoes_stay_secret() -> None:
    dominoes = games.load("dominoes")
    answers = []
    for seed in (1, 2, 3):  # other hands, the same board
        position = dominoes.initial(seed)
        answers.append(BestMoves(dominoes).find(position, 8, 0.1, NEVER))
    assert answers[0] == answers[1] == answers[2]


def test_dominoes_are_worth_their_points() -> None:
    dominoes = games.load("dominoes")
    position = dominoes.initial(1)
    while not (best := BestMoves(dominoes).find(position, 3, 0.1, NEVER)):
        lay = next(move for move in dominoes.legal_moves(position) if dominoes.steps(position, move))
        position = dominoes.apply(position, lay)
    hidden = dominoes.view(dominoes.view(position, 0), 1)
    side = dominoes.to_move(position)
    for one in best:
        gains = dominoes.gains(hidden, dominoes.parse_move(hidden, str(one["move"])))
        assert gains is not None and one["unit"] == "point"
        assert one["amount"] == gains[side].total - gains[1 - side].total > 0
        assert one["why"] == ["if_held"]


@pytest.mark.parametrize(
    ("game", "moves", "move", "said"),
    [
        ("morris", "d2 f4 d3 f6", "f2", ["blocks_mill", "threatens_mills"]),
        ("morris", "d2 f4 d3", "f6", ["threatens_mill"]),
        ("gomoku", "h8 h9 i8 i9 j8 j9 k8 k9", "l8", ["five"]),
        ("gomoku", "h8 h9 i8 i9 j8 j9 k8", "l8", ["blocks_five"]),
        ("gomoku", "h8 a1 i8 a15", "j8", ["open_three"]),
        ("gomoku", "h8 g8 i8 a15 j8 c3", "k8", ["four"]),
        ("gomoku", "h8 h9 i8 i9 j8", "k8", ["blocks_four"]),
        ("gomoku", "h8", "a1", []),
        ("ganh", "", "a4-b4", []),
        ("reversi", "", "d3", []),
    ],
)
def test_reasons(game: str, moves: str, move: str, said: list[str]) -> None:
    assert why(games.load(game), moves, move) == said


def test_a_man_that_goes_to_and_fro_between_two_mills_makes_a_double_mill() -> None:
    morris = games.load("morris")
    position = morris.parse_position("light:" + board(morris, "a7 d7 g7 b6 f4", "a1 b2 c3 g1") + "0054")
    assert merits.of(morris, position, morris.parse_move(position, "f4-f6")) == ["double_mill"]
    assert "double_mill" not in merits.of(morris, position, morris.parse_move(position, "f4-f2"))


def test_a_man_that_can_step_back_into_its_mill_opens_it_unless_an_enemy_can_step_there_first() -> None:
    morris = games.load("morris")

    def said(theirs: str, move: str) -> list[str]:
        position = morris.parse_position("light:" + board(morris, "d5 d6 d7 g1", theirs) + "0044")
        return merits.of(morris, position, morris.parse_move(position, move))

    assert said("a1 b2 d3 f4", "d6-b6") == ["opens_mill"]
    assert said("a1 b2 d3 f4", "d7-g7") == ["opens_mill"]
    assert said("a1 b2 d3 f4", "g1-g4") == []  # the mill stays closed
    assert "opens_mill" not in said("a1 b2 d3 f6", "d6-b6")
    assert said("a1 b2 d3 f6", "d7-g7") == ["opens_mill"]


def board(game: AnyGame, mine: str, theirs: str) -> str:
    return "".join("M" if cell in mine.split() else "E" if cell in theirs.split() else "O" for cell in game.cells)


def test_corners_are_taken_and_given_away() -> None:
    reversi, seen = games.load("reversi"), set()
    position = reversi.initial()
    for number in range(60):
        if reversi.outcome(position) is not None:
            break
        for move in reversi.legal_moves(position):
            said = merits.of(reversi, position, move)
            seen |= set(said)
            corner = reversi.format_move(position, move) in ("a1", "h1", "a8", "h8")
            assert corner == ("takes_corner" in said) or reversi.outcome(reversi.apply(position, move)) is not None
        moves = reversi.legal_moves(position)
        position = reversi.apply(position, moves[(7 * number) % len(moves)])
    assert {"takes_corner", "gives_corner"} <= seen


def test_thinking_ends_when_it_is_told_to() -> None:
    gomoku, stop = games.load("gomoku"), threading.Event()
    search = BestMoves(gomoku)
    position = line_of_play(gomoku, "h8 h9 i8".split())[-1]
    search.find(position, 3, 0.1, stop)
    threading.Timer(0.2, stop.set).start()
    began_s = time.monotonic()
    assert search.find(position, 3, 60.0, stop)
    assert time.monotonic() - began_s < 3.0


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        ('{"moves": "d2 f4", "best": 2, "time_s": 0.2}', lambda told: len(told["best"]) == 2 and told["lead"] == 100),
        ('{"best": 99}', lambda told: "from 1 to 8" in told["error"]),
        ('{"best": 1, "time_s": 0}', lambda told: "between 0 and" in told["error"]),
        ('{"moves": "d2"}', lambda told: told["move"]),
    ],
)
def test_a_line_asks_for_the_best_moves_and_a_wrong_one_is_answered(line: str, answered: Callable[[Any], bool]) -> None:
    result = CliRunner().invoke(app, ["move", "--game", "morris", "--depth", "1", "--lines"], input=line + "\n")
    assert answered(json.loads(result.stdout))
