"""Training of the morris networks: symmetry, the same answers in both forms, resumption after a stop, export."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from agents.jobs import Backend  # noqa: E402
from agents.morris_networks import NONE  # noqa: E402
from agents.morris_networks.good_moves import GoodMoves, States, as_rows, held_out, state_of  # noqa: E402
from agents.morris_networks.legality import is_legal  # noqa: E402
from agents.morris_networks.networks import FILES, load_networks  # noqa: E402
from games.nine_mens_morris import NineMensMorris  # noqa: E402
from lab.train import neural_morris  # noqa: E402
from lab.train.cli import draw_curves, read_curve  # noqa: E402
from lab.train.neural_morris import export, folded, try_recipe  # noqa: E402
from lab.train.neural_morris_answers import Labels, labelled  # noqa: E402
from lab.train.neural_morris_designs import OurDesign, PaperDesign, ResidualNetwork, make_design  # noqa: E402
from lab.train.neural_morris_fit import Recipe, Run, fit, raw_answers  # noqa: E402
from system.weights import write_entry  # noqa: E402
from tests.agents.random_games import positions  # noqa: E402


def good_moves(count: int) -> GoodMoves:
    """The first legal move in each of `count` random positions."""
    game = NineMensMorris()
    found = positions(game, 2, count)
    states = [state_of(game, position) for position in found]
    moves = [as_rows(game.legal_moves(position))[0] for position in found]
    cells, counts = (np.concatenate([getattr(state, name) for state in states]) for name in ("cells", "counts"))
    return GoodMoves(States(cells, counts), np.array(moves, dtype=np.int8))


def of(good: GoodMoves) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.from_numpy(good.states.cells), torch.from_numpy(good.states.counts), torch.from_numpy(good.moves)


def likely(network: OurDesign, good: GoodMoves) -> np.ndarray:
    cells, counts, _ = of(good)
    with torch.inference_mode():
        all_moves = network.all_moves(cells, counts).numpy()
    return np.asarray(all_moves[(np.arange(len(good)), *good.moves.astype(np.intp).T)])


def test_our_design_knows_all_symmetries_but_for_the_names_of_points() -> None:
    torch.manual_seed(1)
    network, good = OurDesign().eval(), good_moves(12)
    before = likely(network, good)
    for number in range(16):
        assert np.allclose(likely(network, good.turned(np.full(12, number))), before, atol=1e-4)


def test_all_moves_at_once_are_the_choices_one_after_the_other() -> None:
    torch.manual_seed(1)
    network, good = OurDesign().eval(), good_moves(12)
    with torch.inference_mode():
        choices = network(*of(good))
        all_moves = network.all_moves(*of(good)[:2])
    one_by_one = sum(values[torch.arange(12), of(good)[2][:, number].long()] for number, values in enumerate(choices))
    assert np.allclose(likely(network, good), one_by_one, atol=1e-4)
    assert np.allclose(all_moves.exp().sum(dim=(1, 2, 3)), 1.0, atol=1e-3)


@pytest.mark.parametrize("design", ["ours", "paper"])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(design: str) -> None:
    recipe, good = Recipe(design, epochs=2, batch=6), good_moves(18)
    whole, first, second = Run(recipe, good), Run(recipe, good), Run(recipe, good)
    losses = [whole.advance() for _ in range(4)]
    again = [first.advance() for _ in range(2)]
    second.restore(first.state())
    again += [second.advance() for _ in range(2)]
    assert again == losses


def test_both_designs_together_fit_into_ten_megabytes_in_half_precision() -> None:
    numbers = {name: sum(one.numel() for one in make_design(name, 0.1).parameters()) for name in ("ours", "paper")}
    assert 2 * numbers["ours"] < 5_000_000
    assert 2 * sum(numbers.values()) < 10_000_000


def test_a_stopped_run_of_another_recipe_is_refused_by_the_name_of_what_differs() -> None:
    good = good_moves(18)
    run = Run(Recipe("ours", epochs=2, batch=6), good)
    with pytest.raises(ValueError, match="had batch 6, not 9"):
        Run(Recipe("ours", epochs=2, batch=9), good).restore(run.state())


def test_training_learns_what_it_is_shown_and_never_what_is_held_out(tmp_path: Path) -> None:
    good = good_moves(60)
    apart = held_out(good.states, 1)
    learnt = good.rows(~apart)
    told: list[int] = []
    recipe = Recipe("ours", epochs=12, batch=24)
    network = fit(learnt, good.rows(apart), recipe, tmp_path, lambda done, total, how: told.append(done))
    assert told == list(range(1, len(told) + 1))
    curve = (tmp_path / "ours.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(curve) == 12
    assert likely(network, learnt).mean() > likely(make_design("ours", 0.1).eval(), learnt).mean() + 2


def test_a_trial_learns_nothing_from_what_is_held_out_and_measures_on_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = good_moves(80)
    apart = held_out(good.states, 1)
    shown: list[GoodMoves] = []

    def looked_at(learnt: GoodMoves, held: GoodMoves, *rest: object, **more: object) -> OurDesign:
        shown.extend([learnt, held])
        return OurDesign(layers=1).eval()

    monkeypatch.setattr(neural_morris, "read_good_moves", lambda _path: good)
    monkeypatch.setattr(neural_morris, "fit", looked_at)
    figures = try_recipe(tmp_path, tmp_path, Recipe("ours", epochs=1), lambda *_: None)
    secret = {row.tobytes() for row in good.states.cells[apart]}
    seen = [row.tobytes() for part in shown for row in part.states.cells]
    assert len(shown[0]) and len(shown[1]) == figures["states"]
    assert len(seen) == (~apart).sum() and not secret & set(seen)


def test_positions_are_labelled_by_our_own_search_the_same_after_a_stop(tmp_path: Path) -> None:
    states = good_moves(60).states
    told: list[tuple[int, int]] = []
    whole = labelled(states, 40, 1, 200, tmp_path / "whole.npz", lambda *now: told.append(now), size=20)
    labelled(states, 5, 1, 200, tmp_path / "own.npz", lambda *_: None, size=20)
    again = labelled(
        states, 40, 1, 200, tmp_path / "own.npz", lambda *_: None, backend=Backend("threading", 2), size=20
    )
    copied = pickle.loads(pickle.dumps(Labels(states, 1, 200, 5).chunk))  # as other processes get it
    assert (copied(0).moves == Labels(states, 1, 200, 5).chunk(0).moves).all()
    assert told[-1] == (40, 40) and len(whole) == 40
    assert (again.states.cells == whole.states.cells).all() and (again.moves == whole.moves).all()
    for seed in (1, 2):
        assert not held_out(whole.states, seed).any()
    assert is_legal(whole.states, whole.moves).all()


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_own_positions_are_learnt_from_before_the_good_moves_and_as_many_as_wanted_among_them(share: float) -> None:
    own, good = good_moves(24), good_moves(36).rows(slice(24, 36))
    run = Run(Recipe("ours", epochs=2, batch=6, own=24, own_epochs=1, own_share=share), good, own)
    mine = {row.tobytes() for row in own.states.cells}
    sources = []
    for step in range(run.steps):
        run.step = step
        sources.append([row.tobytes() in mine for row in run._batch().states.cells])
    among = round(6 * share / (1 - share))
    assert sources == [[True] * 6] * 4 + [[False] * 6 + [True] * among] * 4


def test_learning_curves_are_drawn_and_other_files_refused(tmp_path: Path) -> None:
    curve, picture = tmp_path / "ours.jsonl", tmp_path / "curve.png"
    held = {"states": 9, "accuracy": 40.0, "legality": 99.9}
    lines = [json.dumps({"design": "ours", "epoch": epoch, "held_out": held}) for epoch in (1, 2)]
    curve.write_text("\n".join(lines), encoding="utf-8")
    draw_curves([read_curve(curve)], picture)
    assert cv2.imread(str(picture)) is not None
    with pytest.raises(ValueError, match="is no learning curve"):
        read_curve(picture)


def test_folded_norms_change_no_answer() -> None:
    torch.manual_seed(3)
    network = ResidualNetwork(2, 0, 24, 0.0)
    cells, counts, _ = of(good_moves(40))
    with torch.no_grad():
        for _ in range(5):
            network(cells, counts)
        wanted = network.eval()(cells, counts)
        assert torch.allclose(folded(network)(cells, counts), wanted, atol=1e-5)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore:# The axis name:UserWarning")
@pytest.mark.parametrize("design", ["ours", "paper"])
def test_exported_networks_answer_as_those_that_were_trained(design: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = OurDesign(layers=1).eval() if design == "ours" else PaperDesign(blocks=(1, 1, 2)).eval()
    good = good_moves(40)
    export(network, tmp_path, design)
    for name in FILES[design]:
        write_entry(tmp_path, name, f"{name}.onnx", {})
    loaded = load_networks(design, tmp_path)
    assert (loaded.answers(good.states) == raw_answers(network, good.states)).mean() > 0.8
    game = NineMensMorris()
    for position in positions(game, 3, 10):
        legal = as_rows(game.legal_moves(position))
        choice = loaded.choose(state_of(game, position), legal)
        shares = loaded.probabilities(state_of(game, position), legal)
        assert np.isclose(shares.sum(), 1.0, atol=1e-4)
        assert design == "paper" or choice.row == shares.argmax()
        assert choice.masked >= 0
    assert (good.moves <= NONE).all()
