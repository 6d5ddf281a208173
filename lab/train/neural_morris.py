"""The complete recipe from the public good moves to the shipped networks that play morris.

The paper's networks are exported with batch normalisation folded in: the same answers from fewer numbers."""

from __future__ import annotations

import copy
import logging
import tempfile
import time
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_linear_bn_eval

from agents.jobs import ALONE, Backend
from agents.morris_networks.good_moves import GoodMoves, held_out, read_good_moves
from agents.morris_networks.measure import measure
from agents.morris_networks.networks import FILES, load_networks
from lab.train.neural_morris_answers import labelled, taught_by_ours
from lab.train.neural_morris_designs import AllMoves, OurDesign, PaperDesign, ResidualNetwork, ResidualUnit
from lab.train.neural_morris_fit import Progress, Recipe, fit, raw_answers
from lab.train.quantise import store_half
from system.weights import write_entry


class Scaling(nn.Module):
    """A trained batch normalisation as a factor and a shift."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        assert isinstance(norm, nn.BatchNorm1d)
        assert norm.running_var is not None and norm.running_mean is not None
        factor = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
        shift = norm.bias.double() - factor * norm.running_mean.double()
        self.factor, self.shift = nn.Parameter(factor.float().detach()), nn.Parameter(shift.float().detach())

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x * self.factor + self.shift
        return out


class FoldedUnit(nn.Module):
    """A residual unit whose second normalisation is folded into its first layer."""

    def __init__(self, unit: ResidualUnit) -> None:
        super().__init__()
        norm, _, first, inner, _, _, second = unit.layers
        assert isinstance(first, nn.Linear) and isinstance(inner, nn.BatchNorm1d)
        widened = fuse_linear_bn_eval(first, inner)
        self.layers = nn.Sequential(Scaling(norm), nn.ReLU(), widened, nn.ReLU(), second)

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x + self.layers(x)
        return out


def folded(network: ResidualNetwork) -> ResidualNetwork:
    """A copy that gives the same answers but can no longer be trained."""
    made = copy.deepcopy(network).eval()
    made.units = nn.Sequential(*[FoldedUnit(unit) for unit in made.units if isinstance(unit, ResidualUnit)])
    norm, relu, last = made.last
    made.last = nn.Sequential(Scaling(norm), relu, last)
    return made.eval()


log = logging.getLogger(__name__)

DATA = "good moves of nine men's morris, published under MIT, but for the held-out fifth"
OWN = "; positions near them, labelled by our own search and endgame tables"
TAUGHT = "; of these only states near them, answered by the networks of ours, which learnt from them"
LICENCE = "MIT"
MIN_NUMBERS = 128
"""Numbers a constant must have to be stored in half precision: the paper's norms have 200 each."""
INPUTS = ("cells", "counts", "to", "origin")


def make_neural_morris(
    good_moves: Path,
    out: Path,
    work: Path,
    recipe: Recipe,
    command: str,
    progress: Progress,
    *,
    afresh: bool = False,
    backend: Backend = ALONE,
) -> dict[str, object]:
    """Trains a design, writes its ONNX files and manifest entries into `out`, and measures the exported networks.

    `backend` labels positions. Returns the figures of all held-out states. Raises ValueError, OSError.
    """
    learnt, held = _split(read_good_moves(good_moves), recipe.seed, good_moves)
    export(_trained(learnt, held, recipe, work, progress, afresh, backend), out, recipe.design)
    data = DATA + OWN * bool(recipe.own) + TAUGHT * bool(recipe.taught)
    facts: dict[str, str | float] = {"data": data, "licence": LICENCE, "command": command}
    for name in FILES[recipe.design]:
        write_entry(out, name, f"{name}.onnx", facts)
    began_s = time.perf_counter()
    figures = measure(held, load_networks(recipe.design, out).answers(held.states))["all"]
    log.info("measured on %d held-out states in %.0f s", len(held), time.perf_counter() - began_s)
    facts["split_seed"] = recipe.seed
    facts |= {f"held_out_{name}": value for name, value in figures.items() if isinstance(value, (int, float))}
    for name in FILES[recipe.design]:
        write_entry(out, name, f"{name}.onnx", facts)
    return figures


def try_recipe(
    good_moves: Path, work: Path, recipe: Recipe, progress: Progress, *, afresh: bool = False, backend: Backend = ALONE
) -> dict[str, object]:
    """Trains on four fifths of the training data, and measures on the last fifth: for choosing a recipe.

    The held-out states are not used, so that their figures remain those of states never seen. Raises ValueError,
    OSError.
    """
    good = read_good_moves(good_moves)
    learnt, watched = _split(good.rows(~held_out(good.states, recipe.seed)), recipe.seed + 1, good_moves)
    network = _trained(learnt, watched, recipe, work, progress, afresh, backend)
    return measure(watched, raw_answers(network, watched.states))["all"]


def _split(good: GoodMoves, seed: int, path: Path) -> tuple[GoodMoves, GoodMoves]:
    """Four fifths to learn from, and the fifth that a seed holds out."""
    apart = held_out(good.states, seed)
    if apart.all() or not apart.any():
        raise ValueError(f"{path} holds too few states to keep a fifth of them apart")
    return good.rows(~apart), good.rows(apart)


def _trained(
    learnt: GoodMoves, held: GoodMoves, recipe: Recipe, work: Path, progress: Progress, afresh: bool, backend: Backend
) -> PaperDesign | OurDesign:
    """The trained network, after labelling own positions or having some taught if the recipe asks for it."""
    own, taught, seed = None, None, recipe.seed
    if recipe.own:
        labelling = lambda done, total: progress(done, total, "labelling")  # noqa: E731
        own = labelled(learnt.states, recipe.own, seed, recipe.own_nodes, work, labelling, backend=backend)
    if recipe.taught:
        teaching = lambda done, total: progress(done, total, "asking ours")  # noqa: E731
        taught = taught_by_ours(learnt.states, recipe.taught, seed, work, teaching, backend=backend)
    return fit(learnt, held, recipe, work, progress, own=own, taught=taught, afresh=afresh)


def export(network: PaperDesign | OurDesign, out: Path, design: str) -> None:
    """Writes the networks of a design as ONNX with weights stored in half precision."""
    parts: list[torch.nn.Module]
    if isinstance(network, OurDesign):
        parts = [AllMoves(network)]
    else:
        parts = [folded(part) for part in (network.arrival, network.origin, network.removed)]
    out.mkdir(parents=True, exist_ok=True)
    for number, (name, part) in enumerate(zip(FILES[design], parts, strict=True)):
        names = INPUTS[: 2 + number]
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "whole.onnx"
            _export(part, names, whole)
            store_half(whole, out / f"{name}.onnx", MIN_NUMBERS)


def _export(part: torch.nn.Module, names: tuple[str, ...], path: Path) -> None:
    """Exports int64 `cells` (n, 24), `counts` (n, 4) and earlier choices (n,) in; logarithms of probabilities out."""
    shapes = {"cells": (2, 24), "counts": (2, 4), "to": (2,), "origin": (2,)}
    rows = {0: torch.export.Dim("n", min=1, max=4096)}
    earlier = ((rows,) * (len(names) - 2),) if len(names) > 2 else ()
    torch.onnx.export(
        part.eval(),
        tuple(torch.zeros(shapes[name], dtype=torch.int64) for name in names),
        str(path),
        input_names=list(names),
        output_names=["choices"],
        dynamic_shapes=(rows, rows, *earlier),
        dynamo=True,
        optimize=False,  # folded, the mixtures and pairs of points of our design would take a quarter more space
        external_data=False,
        verbose=False,
    )
