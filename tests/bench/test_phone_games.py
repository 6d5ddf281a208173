"""A short film before a real daemon, and what the bench makes of plies that were told wrongly."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import games
from lab.bench import phone_client, phone_games, short_films
from lab.bench.phone_games import figures_of, for_a_while, play
from lab.bench.short_films import RESIGNED, ShortFilm, film_of, short_game
from lab.simulated.player import Ply
from rules import Outcome
from tests.waiting import PATIENCE_S


def test_a_phone_films_two_plies_and_a_resignation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((phone_games, "FIRST_S"), (phone_games, "HEARD_S"), (phone_client, "ANSWER_S")):
        monkeypatch.setattr(module, name, PATIENCE_S)
    game = games.load("morris")
    short = short_game(game, seed=1, most=2)
    assert (len(short.moves), short.outcome.reason) == (2, RESIGNED)
    film = film_of(game, short, seed=1, pace=1.5, think_s=2.0, chance=False)
    told = play(film, tmp_path / "table")
    assert (told["plies"], told["told"], told["ended"]) == (2, 2, RESIGNED)
    assert [told[name] for name in ("wrong", "refused", "otherwise")] == [[], [], []]


def film(*moves: str) -> ShortFilm:
    plies = tuple(Ply(number, move, "", number % 2, 0.0, 0.0) for number, move in enumerate(moves))
    return ShortFilm(games.load("morris"), (), plies, {}, Outcome(1, "two_men_left"))


def stored(outcome: Outcome | None, *moves: tuple[int, str]) -> Any:
    return SimpleNamespace(plies=[SimpleNamespace(side=side, move=move) for side, move in moves], outcome=outcome)


def phone(*lines: tuple[str, ...]) -> Any:
    return SimpleNamespace(lines=lines, kinds=["move", "illegal"], sent=20, seconds=2.0)


def test_a_game_that_was_told_as_it_was_played() -> None:
    right = stored(Outcome(1, "two_men_left"), (0, "a7"), (1, "d6"))
    told = figures_of(film("a7", "d6"), phone(("a7",), ("a7", "d6")), [], right)
    assert (told["plies"], told["told"], told["wrong"], told["otherwise"]) == (2, 2, [], [])
    assert (told["complaints"], told["hz"], told["ended"]) == (["illegal"], 10.0, "two_men_left")


def test_a_wrong_ply_a_missed_one_and_another_end_are_told() -> None:
    wrong = stored(None, (0, "a7"), (1, "b6"), (1, "g7"))
    told = figures_of(film("a7", "d6", "g7", "f4"), phone(("a7", "b6", "g7")), [], wrong)
    assert (told["told"], told["ended"]) == (1, None)
    assert told["otherwise"] == ["Outcome(winner=1, reason='two_men_left', scores=None) told as None"]
    assert told["wrong"] == ["2: dark b6", "3: dark g7"]


def test_a_ply_that_was_wrong_for_a_while_is_told() -> None:
    lines = [("a7",), ("a7", "b6"), ("a7",), ("a7", "d6"), ("a7", "pass", "d6")]
    assert for_a_while(["a7", "d6"], lines) == ["2: b6 for a while"]
    assert for_a_while(["a7", "d6"], lines[:2]) == []  # it stayed so: the record tells


@pytest.mark.parametrize("name", ["go", "ganh"])
def test_the_shortest_game_ends_by_its_own_rules_and_passes_where_it_may(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short_films, "TRIES", 20)
    game = games.load(name)
    short = short_game(game, seed=1, most=20)
    position = short.start
    for move in short.moves:
        position = game.apply(position, game.parse_move(position, move))
    assert game.outcome(position) == short.outcome
    assert len(short.moves) <= 22


def test_passes_are_said_when_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_films, "TRIES", 1)
    game = games.load("go")
    short = short_game(game, seed=1, most=1)
    made = film_of(game, short, seed=1, pace=3.0, think_s=0.5, chance=False)
    assert [ply.move for ply in made.plies][1:] == ["pass", "pass"]
    assert list(made.said.values()) == [1, 2]
    assert all(0 < number <= len(made.pictures) for number in made.said)


def test_no_film_ends_by_passes_that_nobody_tells() -> None:
    short = short_game(games.load("dominoes"), seed=2, most=3)
    assert (short.outcome.reason, len(short.moves)) == (RESIGNED, 3)
