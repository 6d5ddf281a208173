"""The recipe for judgements: its features are those of the kernels, and the same seed gives the same weights."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import games
from agents import kernels
from agents.kernels.co_ganh.evaluation import evaluate as ganh_value
from agents.kernels.gomoku import judgement as gomoku
from agents.kernels.gomoku.negamax import evaluate as gomoku_value
from agents.kernels.gomoku.prover import write_stones
from agents.kernels.nine_mens_morris.evaluation import evaluate as morris_value
from daemon.cli.main import main
from models.train import judgements
from models.train.judged import Judgement, drawn_move
from models.train.judged_gomoku import PAIRS, GomokuJudgement
from models.train.judgement import make_judgement
from models.train.judgement_fit import fit, fit_group, quality
from models.train.judgement_games import Positions, begun, match, play, play_on

U = np.uint64
RULES: list[tuple[str, dict[str, object]]] = [
    ("gomoku", {}),
    ("gomoku", {"first": "white", "size": "19", "exact_five": True}),
    ("nine_mens_morris", {"flying": True}),
    ("co_ganh", {}),
    ("co_ganh", {"capture": "flip", "mo": True}),
]


def judgement_of(name: str, rules: dict[str, object]) -> Judgement:
    return judgements.of(games.load(name, rules))


def some_positions(judgement: Judgement, seed: int, count: int) -> list[Any]:
    draw, found = random.Random(seed), list[Any]()
    while len(found) < count:
        position = judgement.game.initial()
        for _ in range(draw.randrange(1, 60)):
            if judgement.game.outcome(position) is None:
                position = judgement.game.apply(position, drawn_move(judgement, position, draw))
        if judgement.game.outcome(position) is None:
            found.append(position)
    return found


def judged(search: Any, game: Any, position: Any) -> int:
    """The kernel's value of a position without a search."""
    if game.name == "gomoku":
        write_stones(search.memory, game.size, position.stones)
        return int(gomoku_value(search.memory, U(game.colour(position))))
    men = U(position.men[position.side]), U(position.men[1 - position.side])
    if game.name == "co_ganh":
        return int(ganh_value(search.memory, *men))
    hands = position.hands[position.side], position.hands[1 - position.side]
    return int(morris_value(search.memory, *men, *hands, 0))


@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_what_is_counted_times_the_weights_is_what_the_kernel_says(name: str, rules: dict[str, object]) -> None:
    judgement = judgement_of(name, rules)
    drawn = np.random.default_rng(3).integers(max(judgement.fewest, -50), 50, judgement.shipped().shape)
    if name == "gomoku":
        drawn[0, -1] = gomoku.TURN  # a compiled constant
    groups = set()
    for weights in (judgement.shipped(), drawn):
        search, seen = judgement.search(weights, 1), 0
        for position in some_positions(judgement, 5, 40):
            if (counted := judgement.counted(position)) is not None:
                seen += 1
                groups.add(counted.group)
                value = int(counted.features @ weights[counted.group])
                assert value == judged(search, judgement.game, position), position
        assert seen > 8
    assert groups == set(range(len(judgement.groups)))


@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_the_search_by_the_shipped_weights_is_the_engines(name: str, rules: dict[str, object]) -> None:
    judgement = judgement_of(name, rules)
    ours, engines = judgement.search(judgement.shipped(), 1), kernels.search(judgement.game, 8, 1)
    assert engines is not None
    for position in some_positions(judgement, 8, 6):
        found = []
        for search in (ours, engines):
            search.begin(position, 3000, exact=False)
            found.append([search.deepen(depth) for depth in (1, 2, 3)])
        assert found[0] == found[1]


def test_no_pair_of_the_shipped_judgement_is_left_out() -> None:
    assert set(gomoku.PAIRS) <= set(PAIRS)


@pytest.mark.parametrize("name", judgements.JUDGEMENTS)
def test_the_text_can_be_pasted_into_the_module(name: str) -> None:
    judgement = judgement_of(name, {})
    weights = judgement.shipped() + 1
    module = __import__(f"agents.kernels.{name}.judgement", fromlist=["x"])
    space: dict[str, Any] = {**vars(module)}
    exec(compile(judgement.text(weights), "pasted", "exec"), space)
    pasted = {
        "gomoku": lambda: [[*(space["PAIRS"].get(pair, 0) for pair in PAIRS), space["TURN"]]],
        "nine_mens_morris": lambda: [[getattr(phase, x) for x in judgement.features] for phase in space["OWN"][:3]],
        "co_ganh": lambda: [[space["OWN"].get("own" if x == "men" else x, 0) for x in judgement.features]],
    }[name]()
    assert pasted == weights.tolist()
    if name == "nine_mens_morris":
        assert space["OWN"][3] == module.OWN[3]


def test_weights_that_made_the_results_are_found_again() -> None:
    judgement: Any = judgement_of("nine_mens_morris", {})
    draw = np.random.default_rng(2)
    true = np.array([80, -40, 0, 15])
    features = draw.integers(-3, 4, (20_000, 4))
    chance = 1 / (1 + np.exp(-(features @ true) / judgement.scale))
    points = (draw.random(len(features)) < chance).astype(float)
    points[::5] = np.round(chance[::5] * 2) / 2  # every fifth game is drawn if its result was uncertain
    assert np.abs(fit_group(judgement, features, points) - true).max() <= 8
    judgement.fewest, judgement.most = 0, 60
    bounded = fit_group(judgement, features, points)
    assert bounded[1] == 0
    assert bounded[0] == 60


def test_a_random_move_takes_the_result_from_what_was_before_it() -> None:
    judgement: Any = judgement_of("gomoku", {})
    searches, shortened = [judgement.search(judgement.shipped(), 1)] * 2, 0
    for seed in range(8):
        for astray in (0.0, 0.3):
            draw = random.Random(seed)
            start = begun(judgement, draw)
            passed, _ = play_on(judgement, start, 50, searches, draw, astray)
            counts = [position.count for position in passed]
            assert counts == list(range(counts[0], counts[0] + len(counts))) if counts else astray
            assert astray or counts[0] == start.count
            shortened += not counts or counts[0] > start.count
    assert shortened


def test_only_games_kept_apart_are_judged_by() -> None:
    judgement = judgement_of("co_ganh", {})
    draw = np.random.default_rng(4)
    features = draw.integers(-3, 4, (4000, len(judgement.features)))
    men = features[:, 0]
    points = np.where(men > 0, 1.0, np.where(men < 0, 0.0, 0.5))
    game = np.arange(len(men)) // 20
    points[game % 10 == 0] = 1 - points[game % 10 == 0]  # the opposite of what can be learnt
    positions = Positions([None] * len(men), np.zeros(len(men), np.int64), features, points, game)
    weights = fit(judgement, positions, lambda _: None)
    assert weights[0, 0] > 50
    assert quality(weights, positions).winner_accuracy < 0.2


def test_the_same_seed_plays_the_same_games_in_any_number_of_processes() -> None:
    judgement = judgement_of("co_ganh", {"capture": "flip"})
    once, again, other = (
        play(judgement, 30, 50, seed, jobs, lambda _: None) for seed, jobs in ((1, 1), (1, 2), (2, 1))
    )
    assert once.positions == again.positions
    assert np.array_equal(once.points, again.points)
    assert set(once.game) == set(range(30))
    assert once.positions != other.positions


def test_the_points_of_a_match_are_the_first_judgements() -> None:
    judgement = judgement_of("co_ganh", {"capture": "flip"})
    shipped = judgement.shipped()
    assert sum(match(judgement, shipped, -shipped, 5, 100, 1, lambda _: None)) > 15
    assert sum(match(judgement, -shipped, shipped, 5, 100, 1, lambda _: None)) < 5


@pytest.mark.parametrize("name", judgements.JUDGEMENTS)
def test_the_same_seed_gives_the_same_weights(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GomokuJudgement, "finishing", 20)
    made = [
        make_judgement(name, {}, count=20, nodes=60, seed=3, jobs=1, match_games=2, match_nodes=60) for _ in range(2)
    ]
    assert np.array_equal(made[0].weights, made[1].weights)
    assert made[0].as_json() == made[1].as_json()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--game", "chess"], "'chess'"),
        (["--game", "reversi"], "reversi has no judgement of this kind; the games that have are gomoku"),
        (["--game", "co_ganh", "--rule", "capture=eat"], "'eat'"),
        (["--game", "co_ganh", "--rule", "capture"], "'capture'"),
        (["--game", "gomoku", "--rule", "swap2=true"], "swap2"),
        (["--game", "gomoku", "--games", "3"], "--games"),
    ],
)
def test_an_unknown_game_or_rule_is_refused(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["train", "judgement", *arguments])
    assert stopped.value.code == 2
    assert part in capsys.readouterr().err


def test_the_command_prints_weights_and_how_good_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "judgement", "--game", "ganh", "--rule", "capture=flip", "--games", "20", "--nodes", "50"]
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--match", "4", "--match-nodes", "50", "--json"])
    assert stopped.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert found["text"].startswith("OWN_FLIPPING")
    assert found["match"]["games"] == 4
    assert set(found["new"]) == set(found["shipped"]) == {"log_loss", "winner_accuracy"}
