"""The training loop of the networks that describe patches."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.simulated.arrays import Rng
from lab.train.patch_pool import Pool
from lab.train.quantise import describe

log = logging.getLogger(__name__)
LOG_EVERY = 100

Loss = Callable[[NDArray[np.intp], Rng], tuple[torch.Tensor, float]]
"""The loss of the examples in some rows, varied at random, and the share of them that is right."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    epochs: float
    batch: int
    peak_rate: float
    decay: float = 0.02
    seed: int = 1
    threads: int = 1


def run(network: nn.Module, count: int, recipe: Recipe, loss_of: Loss) -> None:
    """Trains the network on `count` examples, in an order that the seed decides."""
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
        loss, right = loss_of(rows, chance)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        if step % LOG_EVERY == 0:
            spent_s = time.monotonic() - started_s
            log.info("step %d of %d, loss %.3f, right %.3f, %.0f s", step, steps, float(loss.detach()), right, spent_s)
    network.eval()


def accuracy(network: nn.Module, last: nn.Module, pool: Pool) -> float:
    """Share of the pool whose class the training's own last layer gets right."""
    with torch.inference_mode():
        scores = last(torch.from_numpy(describe(network, pool.images)))
    return float((scores.argmax(1).numpy() == pool.labels).mean())
