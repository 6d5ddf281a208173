"""The morris networks in the repository: as good as the manifest says, small, and able to play under all rules."""

from __future__ import annotations

import threading
import tomllib

import numpy as np
import pytest

from agents.agent import Limits
from agents.morris_networks import DESIGNS
from agents.morris_networks.good_moves import GoodMoves, held_out, read_good_moves
from agents.morris_networks.measure import measure
from agents.morris_networks.networks import FILES, load_networks
from agents.neural import Neural, NeuralOptions
from games.nine_mens_morris import MorrisRules, NineMensMorris
from places.weights import MODELS
from tests.conftest import DATA

GOOD_MOVES = DATA / "morris" / "good-moves.train.txt"
MANIFEST = tomllib.loads((MODELS / "manifest.toml").read_text(encoding="utf-8"))
SAMPLED = 8
"""One in so many held-out positions is asked; `kibitzer eval-neural` measures the figures on all of them."""


@pytest.fixture(scope="module")
def good_moves() -> GoodMoves:
    if not GOOD_MOVES.is_file():
        pytest.skip(f"{GOOD_MOVES} is not there")
    return read_good_moves(GOOD_MOVES)


@pytest.mark.parametrize("design", DESIGNS)
def test_held_out_figures_of_a_sample_agree_with_the_manifest(design: str, good_moves: GoodMoves) -> None:
    entry, good = MANIFEST[FILES[design][0]], good_moves
    kept = np.flatnonzero(held_out(good.states, entry["split_seed"]))
    good = good.rows(np.isin(np.arange(len(good)), kept[::SAMPLED]))
    found = measure(good, load_networks(design).answers(good.states))["all"].as_json()
    assert found.pop("states") == len(good) == -(-entry["held_out_states"] // SAMPLED)
    wanted = {name: entry[f"held_out_{name}"] for name in found}
    for name, percent in wanted.items():
        deviation = 100 * ((percent / 100) * (1 - percent / 100) / len(good)) ** 0.5
        assert found[name] == pytest.approx(percent, abs=4 * deviation + 100 / len(good)), name
    assert wanted["accuracy"] > 38.5
    assert wanted["legality"] > 99.9


def test_all_networks_of_morris_have_less_than_ten_megabytes() -> None:
    files = [MODELS / MANIFEST[name]["file"] for names in FILES.values() for name in names]
    assert sum(path.stat().st_size for path in files) < 10_000_000


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    "rules", [MorrisRules(), MorrisRules(flying=True, mill_protected=True)], ids=["plain", "flying"]
)
def test_a_game_against_itself_is_legal_and_ends(design: str, rules: MorrisRules) -> None:
    game = NineMensMorris(rules)
    player = Neural(game, NeuralOptions(design=design))
    position = game.initial()
    for _ in range(600):
        if game.outcome(position) is not None:
            return
        answer = player.choose(position, Limits(), threading.Event())
        assert answer.move in game.legal_moves(position)
        position = game.apply(position, answer.move)
    pytest.fail("600 plies, and no end")
