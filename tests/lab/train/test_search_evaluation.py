"""The recipe for evaluations: what it counts is what the kernels judge by, and the same seed gives the same weights."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import games
from agents import kernels
from agents.jobs import ALONE, Backend
from agents.kernels.memory import STATE
from daemon.cli.main import main
from games.chess.kernel import place
from games.chess.kernel.evaluation import weigh
from games.co_ganh.kernel.evaluation import evaluate as ganh_value
from games.draughts.kernel import place as place_draughts
from games.draughts.kernel.evaluation import evaluate as draughts_value
from games.draughts.kernel.weights import name_of
from games.nine_mens_morris.kernel.evaluation import evaluate as morris_value
from lab.train import search_evaluations, search_spsa
from lab.train.chess_features import listed
from lab.train.search_evaluations import EVALUATIONS, Evaluation, Weights
from lab.train.search_fit import Positions, fit, fit_group, make_evaluation, match, play, quality

U = np.uint64
RULES: list[tuple[str, dict[str, object]]] = [
    ("chess", {}),
    ("nine_mens_morris", {"flying": True, "diagonals": True}),
    ("co_ganh", {}),
    ("co_ganh", {"capture": "flip", "mo": True}),
    ("draughts", {}),
    ("draughts", {"set": "international"}),
    ("draughts", {"set": "russian"}),
]


def evaluation_of(name: str, rules: dict[str, object]) -> Evaluation:
    return search_evaluations.evaluation_of(games.load(name, rules))


def some_positions(evaluation: Evaluation, seed: int, count: int) -> list[Any]:
    draw, found, most = random.Random(seed), list[Any](), 120 if evaluation.game.name == "draughts" else 60
    while len(found) < count:
        position = evaluation.game.initial()
        for _ in range(draw.randrange(1, most)):
            if evaluation.game.outcome(position) is None:
                position = evaluation.game.apply(position, draw.choice(evaluation.random_moves(position)))
        if evaluation.game.outcome(position) is None:
            found.append(position)
    return found


def judged(search: Any, game: Any, position: Any) -> int:
    if game.name == "chess":
        place(search.memory, position)
        return int(weigh(search.memory, STATE))
    if game.name == "draughts":
        place_draughts(search.memory, game, position)
        return int(draughts_value(search.memory, STATE))
    men = U(position.men[position.side]), U(position.men[1 - position.side])
    if game.name == "co_ganh":
        return int(ganh_value(search.memory, *men))
    hands = position.hands[position.side], position.hands[1 - position.side]
    return int(morris_value(search.memory, *men, *hands, 0))


@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_what_is_counted_times_the_weights_is_what_the_kernel_says(name: str, rules: dict[str, object]) -> None:
    evaluation = evaluation_of(name, rules)
    drawn = np.random.default_rng(3).integers(max(evaluation.fewest, -50), 50, evaluation.shipped().shape)
    groups = set()
    for weights in (evaluation.shipped(), drawn):
        search, seen = evaluation.search(weights, 1), 0
        for position in some_positions(evaluation, 5, 40):
            if (counted := evaluation.counted(position)) is not None:
                seen += 1
                groups.add(counted.group)
                value = int(counted.features @ weights[counted.group])
                assert value == judged(search, evaluation.game, position), position
        assert seen > 8
    assert groups == set(range(len(evaluation.groups)))


@pytest.mark.parametrize(("name", "rules"), RULES, ids=str)
def test_the_search_by_the_shipped_weights_is_the_engines(name: str, rules: dict[str, object]) -> None:
    evaluation = evaluation_of(name, rules)
    ours, engines = evaluation.search(evaluation.shipped(), 1), kernels.search(evaluation.game, 8, 1)
    assert engines is not None
    for position in some_positions(evaluation, 8, 6):
        found = []
        for search in (ours, engines):
            search.begin(position, 3000, exact=False)
            found.append([search.deepen(depth) for depth in (1, 2, 3)])
        assert found[0] == found[1]


@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_text_can_be_pasted_into_the_module(name: str) -> None:
    evaluation = evaluation_of(name, {})
    weights = evaluation.shipped() + 1
    module = __import__(f"games.{name}.kernel.weights", fromlist=["x"])
    space: dict[str, Any] = {**vars(module)}
    exec(compile(evaluation.text(weights), "pasted", "exec"), space)
    pasted = {
        "chess": lambda: [[pair[phase] for phase in (0, 1) for pair in listed(space["OWN"])]],
        "nine_mens_morris": lambda: [[getattr(phase, x) for x in evaluation.features] for phase in space["OWN"][:3]],
        "co_ganh": lambda: [[space["OWN"].get("own" if x == "men" else x, 0) for x in evaluation.features]],
        "draughts": lambda: [[*phase.squares, *phase[1:]] for phase in space[name_of(8, flying=False)]],
    }[name]()
    assert pasted == weights.tolist()
    if name == "nine_mens_morris":
        assert space["OWN"][3] == module.OWN[3]


def test_weights_that_made_the_results_are_found_again() -> None:
    evaluation: Any = evaluation_of("nine_mens_morris", {})
    draw = np.random.default_rng(2)
    true = np.array([80, -40, 0, 15])
    features = draw.integers(-3, 4, (20_000, 4))
    chance = 1 / (1 + np.exp(-(features @ true) / evaluation.scale))
    points = (draw.random(len(features)) < chance).astype(float)
    points[::5] = np.round(chance[::5] * 2) / 2  # a fifth are drawn, where that is likely
    assert np.abs(fit_group(evaluation, features, points) - true).max() <= 8
    evaluation.fewest, evaluation.most = 0, 60
    bounded = fit_group(evaluation, features, points)
    assert bounded[1] == 0
    assert bounded[0] == 60


def test_only_games_kept_apart_are_judged_by() -> None:
    evaluation = evaluation_of("co_ganh", {})
    draw = np.random.default_rng(4)
    features = draw.integers(-3, 4, (4000, len(evaluation.features)))
    men = features[:, 0]
    points = np.where(men > 0, 1.0, np.where(men < 0, 0.0, 0.5))
    game = np.arange(len(men)) // 20
    points[game % 10 == 0] = 1 - points[game % 10 == 0]  # the contrary of what can be learnt
    positions = Positions([None] * len(men), np.zeros(len(men), np.int64), features, points, game)
    weights = fit(evaluation, positions, lambda _: None)
    assert weights[0, 0] > 50
    assert quality(weights, positions).winner_accuracy < 0.2


def test_the_same_seed_plays_the_same_games_in_any_number_of_processes() -> None:
    evaluation = evaluation_of("co_ganh", {"capture": "flip"})
    once, again, other = (
        play(evaluation, 30, 50, seed, backend, lambda _: None)
        for seed, backend in ((1, ALONE), (1, Backend("loky", 2)), (2, ALONE))
    )
    assert once.positions == again.positions
    assert np.array_equal(once.points, again.points)
    assert set(once.game) == set(range(30))
    assert once.positions != other.positions


def test_the_points_of_a_match_are_the_first_evaluations() -> None:
    evaluation = evaluation_of("co_ganh", {"capture": "flip"})
    shipped = evaluation.shipped()
    assert sum(match(evaluation, shipped, -shipped, 5, 100, 1, lambda _: None)) > 15
    assert sum(match(evaluation, -shipped, shipped, 5, 100, 1, lambda _: None)) < 5


@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_same_seed_gives_the_same_weights(name: str) -> None:
    made = [
        make_evaluation(name, {}, count=20, nodes=60, seed=3, backend=ALONE, match_games=2, match_nodes=60)
        for _ in range(2)
    ]
    assert np.array_equal(made[0].weights, made[1].weights)
    assert made[0].as_json() == made[1].as_json()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--game", "ludo"], "'ludo'"),
        (["--game", "reversi"], "reversi has no such evaluation; the games that have one are nine_mens_morris"),
        (["--game", "co_ganh", "--rule", "capture=eat"], "'eat'"),
        (["--game", "co_ganh", "--rule", "capture"], "'capture'"),
        (["--game", "gomoku"], "gomoku has no such evaluation"),
        (["--game", "chess", "--games", "3"], "--games"),
        (["--game", "chess", "--spsa", "3", "--games", "30"], "--spsa plays its own pairs"),
    ],
)
def test_an_unknown_game_or_rule_is_refused(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["train", "evaluation", *arguments])
    assert stopped.value.code == 2
    assert part in capsys.readouterr().err


def test_weights_tuned_by_matches_go_where_the_winners_are(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluation_of("co_ganh", {"capture": "flip"})
    shipped = evaluation.shipped()
    best = np.rint(1.5 * shipped)

    def met(_: Evaluation, a: Weights, b: Weights, *_more: object) -> list[int]:
        return [4 if np.sum((a - best) ** 2) < np.sum((b - best) ** 2) else 0]

    monkeypatch.setattr(search_spsa, "match", met)
    tuned = search_spsa.tune(evaluation, 200, 50, 1, lambda _: None)
    assert np.abs(tuned - best).sum() < np.abs(shipped - best).sum() / 2


def test_the_command_tunes_by_matches(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "evaluation", "--game", "ganh", "--rule", "capture=flip", "--spsa", "3", "--nodes", "50"]
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--match", "4", "--match-nodes", "50"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith("OWN_FLIPPING") and "4 games of these against the shipped" in said and "apart" not in said


def test_the_command_prints_weights_and_how_good_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "evaluation", "--game", "ganh", "--rule", "capture=flip", "--games", "20", "--nodes", "50"]
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--match", "4", "--match-nodes", "50", "--json"])
    assert stopped.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert found["text"].startswith("OWN_FLIPPING")
    assert found["match"]["games"] == 4
    assert set(found["new"]) == set(found["shipped"]) == {"log_loss", "winner_accuracy"}
