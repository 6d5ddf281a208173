"""`kibitzer rules`: every game is explained to who has never played it, in every language, with boards."""

from __future__ import annotations

import dataclasses

import pytest
from typer.testing import CliRunner

import games
from daemon.cli import rules as rules_cli
from daemon.page.setup import example_picture
from daemon.words.translation import LANGUAGES, in_words, speak
from rules.turns import example_of


def explained(*words: str) -> str:
    done = CliRunner().invoke(rules_cli.app, [*words])
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


@pytest.mark.parametrize("name", games.names())
def test_every_game_says_how_it_is_played_with_each_option_and_rule_set(name: str) -> None:
    game, said = games.load(name), explained(name)
    assert len(game.about.in_short) >= 3
    for sentence in game.about.in_short:
        assert in_words(sentence) in said
    for option in dataclasses.fields(game.rules):
        assert f" {option.name} " in said
    for rule_set in game.about.rule_sets:
        assert f" {rule_set} " in said


@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_rule_is_told_in_every_language(name: str, language: str) -> None:
    english = explained(name)
    said = explained(name, "--language", language)
    speak("en")
    game = games.load(name)
    assert not [one for one in game.about.in_short if in_words(one) in said]
    assert said != english


@pytest.mark.parametrize("name", [one for one in games.names() if games.find(one).about.examples])
def test_every_example_is_a_legal_move_that_is_drawn(name: str) -> None:
    game = games.load(name)
    for rule in game.about.examples:
        assert rule < len(game.about.in_short)
        before, move = example_of(game, rule)
        assert game.steps(before, move)
        assert 'class="hint"' in example_picture(name, rule)


def test_rules_by_a_name_are_told_first_and_a_strange_game_is_refused() -> None:
    assert "Black may not make" in explained("gomoku", "--rule", "renju")[:200]
    assert "Whoever has three in a line wins" in explained("morris", "--rule", "three")
    assert "makes both its own" in explained("ganh", "--rule", "capture=flip")
    refused = CliRunner().invoke(rules_cli.app, ["ludo"])
    assert refused.exit_code == 2 and "there is no game 'ludo'" in refused.stderr
