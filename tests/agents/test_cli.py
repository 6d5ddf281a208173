"""`kibitzer move` and `kibitzer perft`, as a person or a script uses them."""

from __future__ import annotations

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

import games
from agents import worker
from agents.cli import app
from rules.turns import line_of_play


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def answer(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_move_is_one_object_with_all_its_fields() -> None:
    found = answer("move", "--game", "morris", "--agent", "alphabeta", "--moves", "d2 f4", "--depth", "4")
    assert list(found) == ["move", "score", "lead", "nodes", "depth", "seconds", "pv", "masked", "from_book"]
    game = games.load("morris")
    line_of_play(game, ["d2", "f4", *found["pv"]])
    assert (found["depth"], found["pv"][0]) == (4, found["move"])


def test_a_position_may_be_given_instead_of_moves_and_time_is_kept() -> None:
    text = "EMOOMMOOEEOOMOOOOEEOMEOO1156"
    for position in (text, f"light:{text}", f"dark:{text}"):
        found = answer("move", "--game", "nine_mens_morris", "--position", position, "--nodes", "5000")
        assert found["nodes"] <= 5001
    assert answer("move", "--game", "morris", "--time-s", "0.2")["seconds"] < 0.5


def test_the_seed_repeats_a_random_move() -> None:
    moves = [
        answer("move", "--game", "morris", "--agent", "random", "--seed", str(seed))["move"] for seed in (1, 1, 2, 3)
    ]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 1
    assert answer("move", "--game", "morris", "--agent", "random")["score"] is None


def test_the_moves_may_begin_with_either_side_where_that_is_open() -> None:
    assert answer("move", "--game", "morris", "--rule", "first=auto", "--moves", "d2,f4", "--depth", "2")["move"]


def test_without_json_a_person_reads_one_line() -> None:
    done = run("move", "--game", "morris", "--depth", "2")
    assert done.exit_code == 0
    assert "positions" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_perft_counts_as_published() -> None:
    arguments = ("--rule", "flying=true", "--rule", "mill_protected=true", "--removals-as-plies")
    found = answer("perft", "--game", "morris", "--depth", "4", *arguments)
    assert (found["nodes"], found["depth"], found["game"]) == (255024, 4, "nine_mens_morris")
    assert found["seconds"] >= 0
    by_kernel = answer("perft", "--game", "reversi", "--depth", "7")
    assert list(by_kernel) == ["game", "depth", "nodes", "seconds"] and by_kernel["nodes"] == 55092


@pytest.mark.parametrize("name", games.names())
def test_perft_counts_in_every_game_whoever_searches_it(name: str) -> None:
    game = games.load(name)
    counted = answer("perft", "--game", name, "--depth", "1")["nodes"]
    assert counted == len(list(game.legal_moves(game.initial()))) > 0


@pytest.mark.parametrize("agent", ["level-1", "level-3", "minimax", "mcts"])
def test_any_agent_may_be_asked(agent: str) -> None:
    found = answer("move", "--game", "ganh", "--agent", agent, "--nodes", "20", "--seed", "4")
    assert found["pv"][0] == found["move"]
    game = games.load("ganh")
    assert game.parse_move(game.initial(), found["move"])


def test_a_player_may_be_one_word_and_is_the_strongest_where_none_is_named() -> None:
    shallow = answer("move", "--game", "morris", "--agent", "alphabeta:depth=2,table_mb=1")
    assert shallow["depth"] == 2
    assert answer("move", "--game", "morris", "--agent", "alphabeta:depth=2", "--depth", "1")["depth"] == 1
    by_playouts = answer("move", "--game", "go", "--nodes", "20")
    assert (by_playouts["nodes"], by_playouts["depth"]) == (20, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["move", "--game", "ludo"], "no game 'ludo'"),
        (["move", "--game", "morris", "--agent", "nope"], "no agent 'nope'"),
        (["move", "--game", "morris", "--moves", "d2 d2"], "ply 2, 'd2': d2 is occupied"),
        (["move", "--game", "morris", "--moves", "z9"], "'z9'"),
        (["move", "--game", "morris", "--position", "MMM"], "'MMM'"),
        (["move", "--game", "morris", "--moves", "d2", "--position", "MMM"], "not both"),
        (["move", "--game", "morris", "--position", "MM" + "O" * 20 + "EE0022"], "the game is over"),
        (["move", "--game", "morris", "--rule", "flying"], "'flying'"),
        (["move", "--game", "morris", "--rule", "men=99"], "not 99"),
        (["move", "--game", "morris", "--option", "heuristic=nope"], "no heuristic 'nope'; it has best"),
        (["move", "--game", "morris", "--agent", "mcts", "--option", "c=-1"], "not '-1'"),
        (["move", "--game", "morris", "--agent", "greedy"], "greedy does not play"),
        (["move", "--game", "morris", "--option", "seed=x"], "not 'x'"),
        (["move", "--game", "morris", "--option", "seed"], "'seed'"),
        (["move", "--game", "morris", "--time-s", "nan"], "nan"),
        (["move", "--game", "morris", "--time-s", "-1"], "-1"),
        (["perft", "--game", "ludo", "--depth", "1"], "no game 'ludo'"),
        (["perft", "--game", "morris", "--depth", "1", "--position", "x"], "'x'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(("application", "words"), [(app, ["move"]), (app, ["perft"]), (worker.app, [])])
def test_help_teaches(application: typer.Typer, words: list[str]) -> None:
    done = CliRunner().invoke(application, [*words, "--help"])
    assert done.exit_code == 0
    assert "--" in done.stdout


def test_lines_are_answered_one_by_one_and_a_bad_one_is_told_and_ends_nothing() -> None:
    asked = [{"moves": "d2"}, {"moves": "d2 d2"}, {"position": "nonsense"}, [], {"moves": "d2 f4"}]
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    done = CliRunner().invoke(app, ["move", "--game", "morris", "--agent", "random", "--lines"], input=lines)
    told = [json.loads(line) for line in done.output.splitlines()]
    assert done.exit_code == 0 and [next(iter(one)) for one in told] == ["move", "error", "error", "error", "move"]
    assert told[0]["lead"] == 100
