"""What the recipes of networks that describe patches share: the training loop, the files, the generic head."""

from __future__ import annotations

import dataclasses
import logging
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.simulated.arrays import Float32Array, Rng
from lab.train.patch_pool import Pool
from lab.train.patches import PATCH_PX
from lab.train.quantise import describe, export_descriptor, quantise, store_half
from vision.calibrating.fitting import Fit, fit_head

log = logging.getLogger(__name__)
LOG_EVERY = 100
SOFTNESS = 0.3
EXAMPLES = 200
"""Examples of the last class, OTHER, stored with a head, from which tables' own heads learn what is not a cell."""
SURE = 0.7
"""Probability needed to keep an example of OTHER: a plain sleeve over a whole patch looks like an empty cell, and would
make a table doubt its own empty cells."""

N = TypeVar("N", bound=nn.Module)
Loss = Callable[[N, NDArray[np.intp], Rng], tuple[torch.Tensor, float]]
"""The loss of the examples in some rows, varied at random, and the share of them that is right."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    epochs: float
    batch: int
    peak_rate: float
    decay: float = 0.02
    seed: int = 1
    threads: int = 1


def train(make: Callable[[], N], count: int, recipe: Recipe, loss_of: Loss[N]) -> N:
    """Trains the network on `count` examples, in an order that the seed decides, as its first weights."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    network = make()
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    steps = max(2, int(recipe.epochs * count / recipe.batch))
    optimiser = torch.optim.AdamW(network.parameters(), lr=recipe.peak_rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.peak_rate, total_steps=steps, pct_start=0.15)
    chance = np.random.default_rng(recipe.seed)
    order = np.empty(0, dtype=np.intp)
    started_s = time.monotonic()
    network.train()
    for step in range(steps):
        if len(order) < recipe.batch:
            order = np.concatenate([order, chance.permutation(count)])
        rows, order = order[: recipe.batch], order[recipe.batch :]
        loss, right = loss_of(network, rows, chance)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        if step % LOG_EVERY == 0:
            spent_s = time.monotonic() - started_s
            log.info("step %d of %d, loss %.3f, right %.3f, %.0f s", step, steps, float(loss.detach()), right, spent_s)
    return network.eval()


def shifted(images: NDArray[np.uint8], chance: Rng) -> NDArray[np.uint8]:
    """The patches, all shifted by up to two pixels."""
    down, right = chance.integers(0, 5, 2)
    padded = np.pad(images, ((0, 0), (2, 2), (2, 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(padded[:, down : down + PATCH_PX, right : right + PATCH_PX])


def accuracy(network: nn.Module, last: nn.Module, pool: Pool) -> float:
    """Share of the pool whose class the training's own last layer gets right."""
    with torch.inference_mode():
        scores = last(torch.from_numpy(describe(network, pool.images)))
    return float((scores.argmax(1).numpy() == pool.labels).mean())


def write_network(network: nn.Module, target: Path, ranged: NDArray[np.uint8], half: Path | None = None) -> None:
    """Writes the network in eight bits, with ranges from these patches; to `half` also in half precision."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / target.name
        export_descriptor(network, whole)
        quantise(whole, target, ranged)
        if half is not None:
            store_half(whole, half)


def fit_generic(described: Float32Array, labels: NDArray[np.int64], letters: str) -> tuple[Fit, dict[str, Any]]:
    """A head for descriptors of patches that the network was not trained on, and what its archive holds."""
    fit = fit_head(described, "".join(letters[label] for label in labels), letters, softness=SOFTNESS, remember=0)
    other = len(letters) - 1
    sure = fit.head.probabilities(described)[:, other] > SURE
    others = described[(labels == other) & sure][:EXAMPLES].astype(np.float16)
    log.info("generic head: %.4f of %d patches right while left out", fit.accuracy(), len(labels))
    return fit, {"others": others, **fit.head.arrays()}
