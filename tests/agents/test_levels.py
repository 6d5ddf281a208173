"""Levels 1 to 8: their files are complete, and the agents play as the files say."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from agents import levels, players, registry
from agents.agent import AgentError, Answer, Limits
from agents.registry import load_agent

NEVER = threading.Event()
WHOLE = "[levels]\n" + "\n".join(f'{number} = "random"' for number in levels.NUMBERS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(games, "file_of", lambda _name, path: tmp_path / Path(path).name)
    levels.of.cache_clear()
    yield tmp_path
    levels.of.cache_clear()


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_eight_levels_that_can_play_it(name: str) -> None:
    game = games.load(name)
    texts = [levels.player(game, number).text for number in levels.NUMBERS]
    assert len(set(texts)) == len(texts) == 8
    for number in levels.NUMBERS:
        assert load_agent(f"level-{number}", game)
        assert game.name in registry.games_of(f"level-{number}")


def test_files_are_of_games_that_there_are() -> None:
    files = Path(games.__file__).parent.glob("*/levels/*.toml")
    assert {(path.parents[1].name, path.stem) for path in files} == {(name, name) for name in games.shipped()}


def test_a_game_without_a_file_has_the_usual_levels(folder: Path) -> None:
    assert [spec.text for spec in levels.of("ganh")] == [players.parse(text).text for text in levels.USUAL]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("levels", r"co_ganh.toml has no table \[levels\]"),
        ("[other]", "keys 1 to 8"),
        (WHOLE.replace("8 =", "9 ="), "keys 1 to 8"),
        (f'{WHOLE}\n9 = "random"', "no level 9"),
        (WHOLE.replace('3 = "random"', "3 = 3"), "level 3 is a player's text, not 3"),
        (WHOLE.replace('3 = "random"', '3 = "level-2"'), "level 3 is an agent that is no level"),
        (WHOLE.replace('3 = "random"', '3 = "deepblue"'), "level 3: there is no agent 'deepblue'"),
        (WHOLE.replace('3 = "random"', '3 = "alphabeta:depth=x"'), "level 3: depth is a whole number"),
        ("\xff\xfe" + WHOLE, r"/co_ganh\.toml has no table"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_level(folder: Path, text: str, said: str) -> None:
    (folder / "co_ganh.toml").write_text(text, encoding="latin-1")
    with pytest.raises(AgentError, match=said):
        levels.of("co_ganh")


def test_a_player_that_does_not_play_the_game_is_refused(folder: Path) -> None:
    (folder / "co_ganh.toml").write_text(WHOLE.replace('2 = "random"', '2 = "greedy"'), encoding="utf-8")
    assert "co_ganh" not in registry.games_of("level-2")
    with pytest.raises(AgentError, match="level-2 does not play"):
        load_agent("level-2", games.load("ganh"))


class _Asked:
    """An agent that records the limits it was given, and whether it was stopped."""

    limits = Limits()
    stopped = False

    def choose(self, position: object, limits: Limits, stop: threading.Event) -> Answer:
        self.limits, self.stopped = limits, stop.is_set()
        return Answer(None, None, 0, 0, 0.0, ())


@pytest.mark.parametrize(
    ("own", "given", "passed"),
    [
        ("alphabeta:depth=3", Limits(), Limits(depth=3)),
        ("alphabeta:depth=3", Limits(time_s=2), Limits(depth=3)),
        ("alphabeta:depth=3", Limits(depth=2), Limits(depth=2)),
        ("alphabeta:nodes=500", Limits(depth=9, nodes=900), Limits(depth=9, nodes=500)),
        ("alphabeta:time_s=0.3", Limits(time_s=2), Limits(time_s=0.3)),
        ("alphabeta:time_s=3", Limits(time_s=2), Limits(time_s=2)),
    ],
)
def test_the_lesser_limits_hold_and_time_alone_does_not_change_how_is_searched(
    folder: Path, own: str, given: Limits, passed: Limits
) -> None:
    (folder / "co_ganh.toml").write_text(WHOLE.replace('4 = "random"', f'4 = "{own}"'), encoding="utf-8")
    level, asked = load_agent("level-4", games.load("ganh")), _Asked()
    level._player = asked  # type: ignore[attr-defined]
    level.choose(games.load("ganh").initial(), given, NEVER)
    assert asked.limits == passed
    assert not asked.stopped


def test_the_clock_stops_a_level_that_has_a_depth(folder: Path) -> None:
    (folder / "co_ganh.toml").write_text(WHOLE.replace('4 = "random"', '4 = "minimax:depth=40"'), encoding="utf-8")
    game = games.load("ganh")
    answer = load_agent("level-4", game).choose(game.initial(), Limits(time_s=0.1), NEVER)
    assert answer.move in game.legal_moves(game.initial())
    assert answer.depth == 0


def test_the_seed_reaches_the_player_behind_the_level(folder: Path) -> None:
    (folder / "co_ganh.toml").write_text(WHOLE, encoding="utf-8")
    game = games.load("ganh")
    chosen = [
        load_agent("level-1", game, {"seed": seed}).choose(game.initial(), Limits(), NEVER).move
        for seed in (1, 1, 2, 3, 4)
    ]
    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 1


@pytest.mark.parametrize("given", ["0", "-3", "true", '"much"', "1000000"])
def test_a_lead_that_is_no_score_is_refused(folder: Path, given: str) -> None:
    (folder / "reversi.toml").write_text(f"{WHOLE}\nlead = {given}\n")
    levels.lead.cache_clear()
    with pytest.raises(AgentError, match="lead is a number between 0 and 1000000"):
        levels.lead("reversi")
    (folder / "reversi.toml").write_text(WHOLE)
    assert levels.lead("reversi") is None
    levels.lead.cache_clear()
