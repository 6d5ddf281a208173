"""The recipe for gomoku's network: the games it plays, and that the kernel judges as the network that was learnt."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

import games
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.by_threats import ThreatSearch
from games.gomoku.kernel.evaluation import evaluate, follow, guide
from games.gomoku.kernel.prover import write_stones
from games.gomoku.kernel.weights import write_network
from lab.train.search_fit import think

U = np.uint64
torch = pytest.importorskip("torch")
recipe: Any = pytest.importorskip("lab.train.gomoku")


@pytest.fixture(scope="module")
def played() -> Any:
    return recipe.play_chunk(1, range(12))


def test_the_same_seed_plays_the_same_games(played: Any) -> None:
    again = recipe.play_chunk(1, range(12))
    assert all(np.array_equal(*pair) for pair in zip(played, again, strict=True))
    assert len(played.worth) > 60
    assert ((played.worth >= 0) & (played.worth <= 1)).all()
    assert set(played.game) <= set(range(12))
    told = played.move != recipe.NO_MOVE
    assert 0.3 < told.mean() < 1
    assert not played.boards[told, played.move[told]].any()


def test_games_without_a_quiet_position_teach_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe, "is_quiet", lambda *_: False)
    none = recipe.play_chunk(1, range(1))
    assert none.boards.shape == (0, 225) and len(none.worth) == len(none.game) == 0


def think_and_keep(scores: list[int], search: Any, position: Any, nodes: int) -> Any:
    move, score = think(search, position, nodes)
    scores.append(score)
    return move, score


def test_a_random_stone_takes_the_result_from_what_was_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = games.load("gomoku")
    monkeypatch.setattr(recipe, "NODES", 60)
    for astray in (0.0, 0.5):
        monkeypatch.setattr(recipe, "ASTRAY", astray)
        before = after = 0
        for seed in range(10):
            searches = [ThreatSearch(game, 1, side) for side in (0, 1)]
            scores = list[int]()
            with monkeypatch.context() as patch:
                patch.setattr(recipe, "think", functools.partial(think_and_keep, scores))
                passed = list(recipe.play_game(game, searches, random.Random(seed)))
            by_score = [1 / (1 + np.exp(-np.clip(score, -1000, 1000) / recipe.LOGIT)) for score in scores]
            told = [
                worth in by_score and worth != 0.5 for _, worth, _ in passed
            ]  # an even score in a drawn game is both
            before, after = before + sum(told), after + len(told) - sum(told)
        assert after > 0
        assert (before > 0) == (astray > 0)


def test_the_kernel_judges_as_the_network_that_was_learnt(played: Any) -> None:
    fitted = recipe.fit(played, 2, 1, lambda _: None)
    torch.manual_seed(1)
    game: Any = games.load("gomoku")
    network = recipe.Network(game.size)
    with torch.no_grad():
        for part in network.parameters():
            part += 0.05 * torch.randn(part.shape)
        contents = torch.from_numpy(recipe.contents_of(played.boards, game.size))
        values, guides = (found.numpy() for found in network(contents))
    memory = ThreatSearch(game, 1, 0).memory
    write_network(memory, network.stored())
    for board, value, wanted in zip(played.boards, values, guides, strict=True):
        for mover in (0, 1):
            colours = (1, 2) if mover == 0 else (2, 1)
            stones = [sum(1 << int(cell) for cell in np.flatnonzero(board == colour)) for colour in colours]
            write_stones(memory, game.size, stones)
            assert abs(evaluate(memory, U(mover)) - recipe.LOGIT * value) < 4
            follow(memory, memory[layout.STONE_COUNT])
            for index in np.flatnonzero(board == 0):
                cell = U(layout.cell_of(int(index), game.size))
                assert abs(guide(memory, cell, U(mover)) - recipe.CHOICE * wanted[index]) < 4
    assert fitted.loss > 0
    assert fitted.stored.keys() == network.stored().keys()
