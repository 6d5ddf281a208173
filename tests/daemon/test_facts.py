"""`kibitzer games facts`: measured in random games, and by formula."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import games
from daemon.cli import facts
from daemon.cli.games import app


def told(*words: str) -> dict[str, object]:
    done = CliRunner().invoke(app, ["facts", *words, "--json", "--games", "4"])
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_facts_that_lie_between_one_and_the_most(name: str) -> None:
    found = facts.measured(games.load(name), 2, 1)
    assert 1 < found.branching < found.most and found.error >= 0
    assert 2 * found.plies == found.positions
    assert "".join(facts.lines_of(found)).startswith(found.game)


def test_the_same_seed_measures_the_same_and_another_does_not() -> None:
    assert told("ganh", "--seed", "3") == told("ganh", "--seed", "3") != told("ganh", "--seed", "4")


def test_what_is_measured_is_what_is_counted() -> None:
    found = told("reversi")
    assert found["most"] <= 60 and 55 <= found["plies"] <= 66  # type: ignore[operator]
    branching = float(found["branching"])  # type: ignore[arg-type]
    assert found["visited"] == {
        "1": pytest.approx(1 + branching),
        "2": pytest.approx(1 + branching + branching**2),
        "3": pytest.approx(1 + branching + branching**2 + branching**3),
    }
    assert found["bound"]["positions"] == 2 * 16 * 3**60  # type: ignore[index]


def test_a_game_without_a_bound_says_so_and_a_wrong_rule_is_refused() -> None:
    assert "no bound is computed" in CliRunner().invoke(app, ["facts", "dominoes", "--games", "2"]).output
    wrong = CliRunner().invoke(app, ["facts", "ganh", "--rule", "capture=none"])
    assert wrong.exit_code == 2 and "capture" in wrong.output
