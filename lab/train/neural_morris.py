"""The complete recipe from the public good moves to the shipped networks that play morris.

The paper's networks are exported with batch normalisation folded in: the same answers from fewer numbers."""

from __future__ import annotations

import copy
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.jobs import ALONE, Backend
from agents.morris_networks.good_moves import GoodMoves, held_out, read_good_moves
from agents.morris_networks.measure import measure
from agents.morris_networks.networks import FILES, load_networks
from lab.train.neural_morris_designs import AllMoves, OurDesign, PaperDesign, ResidualNetwork, ResidualUnit
from lab.train.neural_morris_fit import Progress, Recipe, fit, raw_answers
from lab.train.neural_morris_labels import labelled
from lab.train.neural_morris_taught import taught_by_ours
from lab.train.quantise import store_half
from places.weights import write_entry


class Scaling(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        factor, shift = factor_and_shift(norm)
        self.factor, self.shift = nn.Parameter(factor), nn.Parameter(shift)

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x * self.factor + self.shift
        return out


class FoldedUnit(nn.Module):
    """A residual unit whose second normalisation is folded into its first layer."""

    def __init__(self, unit: ResidualUnit) -> None:
        super().__init__()
        norm, _, first, inner, _, _, second = unit.layers
        assert isinstance(first, nn.Linear)
        factor, shift = factor_and_shift(inner)
        widened = nn.Linear(first.in_features, first.out_features)
        widened.weight = nn.Parameter(first.weight * factor[:, None])
        widened.bias = nn.Parameter(shift)
        self.layers = nn.Sequential(Scaling(norm), nn.ReLU(), widened, nn.ReLU(), second)

    def forward(self, x: Tensor) -> Tensor:
        """(n, units)."""
        out: Tensor = x + self.layers(x)
        return out


def factor_and_shift(norm: nn.Module) -> tuple[Tensor, Tensor]:
    """Factor and shift of a trained batch normalisation, computed in double precision."""
    assert isinstance(norm, nn.BatchNorm1d)
    assert norm.running_var is not None
    assert norm.running_mean is not None
    factor = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
    shift = norm.bias.double() - factor * norm.running_mean.double()
    return factor.float().detach(), shift.float().detach()


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
    good = read_good_moves(good_moves)
    apart = held_out(good.states, recipe.seed)
    if apart.all() or not apart.any():
        raise ValueError(f"{good_moves} holds too few states to keep a fifth of them apart")
    network = _trained(good.rows(~apart), good.rows(apart), recipe, work, progress, afresh, backend)
    export(network, out, recipe.design)
    data = DATA + OWN * bool(recipe.own) + TAUGHT * bool(recipe.taught)
    for name in FILES[recipe.design]:
        write_entry(out, name, f"{name}.onnx", {"data": data, "licence": LICENCE, "command": command})
    held = good.rows(apart)
    began_s = time.perf_counter()
    figures = measure(held, load_networks(recipe.design, out).answers(held.states))["all"]
    log.info("measured on %d held-out states in %.0f s", len(held), time.perf_counter() - began_s)
    facts: dict[str, str | float] = {"data": data, "licence": LICENCE, "command": command, "split_seed": recipe.seed}
    for name, value in figures.items():
        if isinstance(value, (int, float)):
            facts[f"held_out_{name}"] = value
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
    learnt = good.rows(~held_out(good.states, recipe.seed))
    apart = held_out(learnt.states, recipe.seed + 1)
    if apart.all() or not apart.any():
        raise ValueError(f"{good_moves} holds too few states to keep a fifth of them apart")
    network = _trained(learnt.rows(~apart), learnt.rows(apart), recipe, work, progress, afresh, backend)
    watched = learnt.rows(apart)
    return measure(watched, raw_answers(network, watched.states))["all"]


def _trained(
    learnt: GoodMoves, held: GoodMoves, recipe: Recipe, work: Path, progress: Progress, afresh: bool, backend: Backend
) -> PaperDesign | OurDesign:
    """The trained network, after labelling own positions or having some taught if the recipe asks for it."""
    own, taught = None, None
    if recipe.own:
        labelling = lambda done, total: progress(done, total, "labelling")  # noqa: E731
        own = labelled(
            learnt.states, recipe.own, recipe.seed, recipe.own_nodes, work / "own.npz", labelling, backend=backend
        )
    if recipe.taught:
        teaching = lambda done, total: progress(done, total, "asking ours")  # noqa: E731
        taught = taught_by_ours(learnt.states, recipe.taught, recipe.seed, work, teaching, backend=backend)
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
    examples = tuple(torch.from_numpy(np.zeros(shapes[name], dtype=np.int64)) for name in names)
    rows = {0: torch.export.Dim("n", min=1, max=4096)}
    dynamic: tuple[Any, ...] = (rows, rows)
    if len(names) > 2:
        dynamic = (rows, rows, (rows,) * (len(names) - 2))
    torch.onnx.export(
        part.eval(),
        examples,
        str(path),
        input_names=list(names),
        output_names=["choices"],
        dynamic_shapes=dynamic,
        dynamo=True,
        optimize=False,  # folded, the mixtures and pairs of points of our design would take a quarter more space
        external_data=False,
        verbose=False,
    )
