"""Certificates of puzzles: one move wins, and what is said of every other move is checked by other means."""

from __future__ import annotations

import functools
import json
import threading
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents import puzzles
from agents.endgames import Solver
from agents.puzzles import Certificate
from agents.solve_cli import app
from agents.values import final_lead
from rules import AnyGame
from rules.options import rules_from_words

CERTIFIED = {"gomoku": 3, "reversi": 5, "morris": 4, "ganh": 4, "chess": 1}
LIKELY = {"gomoku": (8, 27, 40), "ganh": (20, 26, 8, 14), "chess": (5,)}
"""Seeds that are tried first, because their games hold a puzzle: most games hold none, and cost as much."""


def certified(game: AnyGame, most: int) -> list[tuple[Any, Certificate]]:
    """The first position with a proof of each random game that has one, until there are `most`."""
    ways, found = puzzles.certifiers(game), list[tuple[Any, Certificate]]()
    for seed in dict.fromkeys([*LIKELY.get(game.about.short_name, ()), *range(1, 120)]):
        for position in puzzles.played(game, seed, threading.Event()):
            if (proof := puzzles.certify(ways, position)) is not None:
                found.append((position, proof))
                break
        if len(found) == most:
            break
    return found


@functools.cache
def proofs(name: str) -> list[tuple[Any, Certificate]]:
    """The certified positions of a game; finding them costs seconds."""
    return certified(games.load(name), CERTIFIED[name])


@pytest.mark.parametrize("name", CERTIFIED)
def test_a_certificate_names_every_legal_move_and_its_line_is_played_to_a_win(name: str) -> None:
    game = games.load(name)
    assert len(proofs(name)) == CERTIFIED[name]
    for position, proof in proofs(name):
        legal = {game.format_move(position, move) for move in game.legal_moves(position)}
        assert {proof.move, *proof.others} == legal and proof.move not in proof.others
        here = position
        for text in proof.line:
            here = game.apply(here, game.parse_move(here, text))
        ended = game.outcome(here)
        if proof.proof != "table":  # a table's line may stop after some plies
            assert len(proof.line) == proof.plies
            assert ended is not None and ended.winner == game.to_move(position)


def test_every_other_disc_is_worth_what_the_certificate_says() -> None:
    reversi, solver = games.load("reversi"), Solver(16)
    for position, proof in proofs("reversi"):
        for text, other in proof.others.items():
            after = reversi.apply(position, reversi.parse_move(position, text))
            ended = reversi.outcome(after)
            if ended is None:
                score = solver.solve(after).score * (1 if after.side == position.side else -1)
            else:
                assert ended.scores is not None
                score = final_lead(ended.scores) * (1 if position.side == 0 else -1)
            assert score <= 0 and (other.result == "loses") == (score < 0) and other.amount == -score


def test_every_other_stone_of_gomoku_loses_to_fours_that_can_be_played_out() -> None:
    gomoku = games.load("gomoku")
    for position, proof in proofs("gomoku"):
        winner = 1 - gomoku.to_move(position)
        checked = 0
        for text, other in proof.others.items():
            assert other.result == "loses"
            if other.amount == 2:  # the reply makes five at once
                here = gomoku.apply(position, gomoku.parse_move(position, text))
                ended = gomoku.outcome(gomoku.apply(here, gomoku.parse_move(here, other.reply)))
                assert ended is not None and ended.winner == winner
                checked += 1
        assert checked or all(other.amount != 2 for other in proof.others.values())


@pytest.mark.parametrize("name", ["morris", "ganh"])
def test_no_other_move_wins_as_soon_by_plain_search(name: str) -> None:
    game = games.load(name)

    def wins(position: Any, plies: int, side: int) -> bool:
        ended = game.outcome(position)
        if ended is not None:
            return ended.winner == side
        if plies == 0:
            return False
        after = (wins(game.apply(position, move), plies - 1, side) for move in game.legal_moves(position))
        return any(after) if game.to_move(position) == side else all(after)

    checked = 0
    for position, proof in proofs(name):
        if proof.proof != "full_search" or proof.plies > 3:
            continue
        side = game.to_move(position)
        for move in game.legal_moves(position):
            text = game.format_move(position, move)
            assert wins(game.apply(position, move), proof.plies - 1, side) == (text == proof.move)
        checked += 1
        if checked == 2:
            return


def test_the_same_seed_makes_the_same_puzzle() -> None:
    reversi = games.load("reversi")
    assert certified(reversi, 2) == proofs("reversi")[:2]


UNPROVEN = {
    "gomoku": ["standard", "caro", "renju", "pro", "long_pro", "swap", "swap2", "opening=pro"],
    "morris": ["morabaraba", "russian", "one_time", "six", "three"],
    "dominoes": [""],
    "go": ["", "size=19"],
}


@pytest.mark.parametrize(("name", "by"), [(name, by) for name, all_of in UNPROVEN.items() for by in all_of])
def test_games_and_rules_without_puzzles(name: str, by: str) -> None:
    assert puzzles.certifiers(games.load(name, rules_from_words([by] if by else []))) == []


@pytest.mark.parametrize(
    ("name", "by"), [("gomoku", "first=white"), ("gomoku", "size=19"), ("morris", "lasker"), ("reversi", "two_corners")]
)
def test_rules_with_puzzles(name: str, by: str) -> None:
    assert puzzles.certifiers(games.load(name, rules_from_words([by])))


def test_a_quiet_start_is_no_puzzle() -> None:
    for name in CERTIFIED:
        game = games.load(name)
        assert puzzles.certify(puzzles.certifiers(game), game.initial()) is None


def test_the_command_answers_line_by_line() -> None:
    good = [json.dumps({"seed": seed}) for seed in range(8)]  # not every game holds a puzzle
    lines = [*good, '{"seed": -1}', '{"position": "nonsense"}', "no json", "[]", "{}"]
    result = CliRunner().invoke(app, ["certify", "--game", "reversi"], input="\n".join(lines) + "\n")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(lines)
    certificates = [one["certificate"] for one in answers[: len(good)]]
    assert any(certificates) and all(one["move"] for one in certificates if one)
    assert all("error" in one for one in answers[len(good) :])
    refused = CliRunner().invoke(app, ["certify", "--game", "dominoes"])
    assert refused.exit_code == 2 and "no puzzles can be proven" in refused.output
