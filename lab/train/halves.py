"""The small network of dominoes' halves: drawn patches, training, export, head."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.simulated.arrays import Rng
from lab.train import training_loop
from lab.train.domino_scene import CLASSES, DOWN, LEFT, NONE, RIGHT, UP, SceneMaker
from lab.train.patch_pool import Pool
from lab.train.resnet import Residual, convolution
from lab.train.training_loop import accuracy, fit_generic, shifted, write_network
from system.weights import write_entry
from vision.reading.descriptors import load_network

log = logging.getLogger(__name__)
SHARD = 20_000
"""Patches drawn from one seed."""


@dataclasses.dataclass(frozen=True, eq=False)
class HalvesPool(Pool):
    partners: NDArray[np.int64]
    """(n,) directions of the other half."""


def draw_halves(count: int, seed: int) -> HalvesPool:
    """`count` newly drawn patches."""
    cv2.setNumThreads(1)
    maker, scenes, drawn = SceneMaker(seed), [], 0
    while drawn < count:
        scenes.append(maker.draw())
        drawn += len(scenes[-1][1])
    images, labels, partners = (np.concatenate(parts)[:count] for parts in zip(*scenes, strict=True))
    log.info("%d patches drawn", count)
    return HalvesPool(images, labels, partners)


LENGTH = 96
"""Length of a patch's description."""
WAYS = 5
PARTNER_WEIGHT = 0.5


@dataclasses.dataclass(frozen=True)
class Recipe(training_loop.Recipe):
    epochs: float = 4.0
    batch: int = 256
    peak_rate: float = 4e-3


class HalvesNetwork(nn.Module):
    """uint8 patches (n, 48, 48, 3) BGR to LENGTH numbers; pips and partner are linear in them."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            convolution(3, 16, 2),
            convolution(16, 32, 2),
            Residual(32),
            convolution(32, 64, 2),
            Residual(64),
            convolution(64, 96, 2),
            nn.Flatten(),
            nn.Linear(96 * 9, LENGTH),
            nn.ReLU(),
        )
        self.pips = nn.Linear(LENGTH, len(CLASSES))
        self.partners = nn.Linear(LENGTH, WAYS)

    def forward(self, patches: torch.Tensor) -> torch.Tensor:
        """(n, LENGTH) non-negative descriptors."""
        scaled = patches.float().permute(0, 3, 1, 2) * (1 / 64) - 2
        described: torch.Tensor = self.trunk(scaled)
        return described


def train(pool: HalvesPool, recipe: Recipe) -> HalvesNetwork:
    def loss_of(network: HalvesNetwork, rows: NDArray[np.intp], chance: Rng) -> tuple[torch.Tensor, float]:
        images, partners = vary(pool.images[rows], pool.partners[rows], chance)
        labels = torch.from_numpy(pool.labels[rows])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            described = network(torch.from_numpy(images)).float()
        scores = network.pips(described)
        wanted = nn.functional.one_hot(labels, len(CLASSES)).float()
        # One against the rest, as a head reads them; then the same odds jointly, normalised as a head normalises them.
        loss = nn.functional.binary_cross_entropy_with_logits(scores, wanted) * len(CLASSES) / 2
        loss = loss + nn.functional.nll_loss(_shares(scores), labels)
        ways = nn.functional.cross_entropy(network.partners(described), torch.from_numpy(partners))
        return loss + PARTNER_WEIGHT * ways, float((scores.argmax(1) == labels).float().mean())

    return training_loop.train(HalvesNetwork, len(pool.labels), recipe, loss_of)


def _shares(scores: torch.Tensor) -> torch.Tensor:
    """Logarithms of the one-against-the-rest odds, normalised so that the odds add up to 1."""
    odds = nn.functional.logsigmoid(scores)
    return odds - torch.logsumexp(odds, 1, keepdim=True)


def vary(
    images: NDArray[np.uint8], partners: NDArray[np.int64], chance: Rng
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The patches mirrored, turned, shifted by up to two pixels, and in other light, anew for each batch."""
    if chance.random() < 0.5:
        images, partners = images[:, ::-1], np.array((NONE, DOWN, RIGHT, UP, LEFT))[partners]
    if chance.random() < 0.5:
        images, partners = images[:, :, ::-1], np.array((NONE, UP, LEFT, DOWN, RIGHT))[partners]
    if chance.random() < 0.5:
        images, partners = images.transpose(0, 2, 1, 3), np.array((NONE, LEFT, DOWN, RIGHT, UP))[partners]
    moved = shifted(images, chance)
    gain = np.exp(chance.normal(0, 0.1, (len(images), 1, 1, 3)) + chance.normal(0, 0.2, (len(images), 1, 1, 1)))
    lit = np.clip(moved * gain.astype(np.float32), 0, 255)
    return np.ascontiguousarray(lit.astype(np.uint8)), partners


LICENCE = "MIT"
DATA = "drawn boards with domino tiles (lab/train); no photographs"
HELD_OUT_SEED = 1_000_000
HELD_OUT = 12_000


def make_halves(out: Path, work: Path, *, patches: int, epochs: float, seed: int, threads: int) -> None:
    """Writes halves.onnx, halves_head.npz and their manifest entries into `out`."""
    command = f"kibitzer train halves --patches {patches} --epochs {epochs} --seed {seed}"
    drawn = HalvesPool.drawn(work / "halves", draw_halves, patches, seed, SHARD)
    network = train(drawn, Recipe(epochs=epochs, seed=seed, threads=threads))
    count = max(400, min(HELD_OUT, patches // 4))
    held_out = HalvesPool.drawn(work / "halves", draw_halves, count, HELD_OUT_SEED + seed, SHARD)
    write_network(network, out / "halves.onnx", held_out.images[:512])
    facts: dict[str, str | float] = {"data": DATA, "licence": LICENCE, "command": command}
    exact: dict[str, str | float] = {"drawn_accuracy_fp32": round(accuracy(network, network.pips, held_out), 4)}
    write_entry(out, "halves", "halves.onnx", facts | exact)
    described = load_network("halves", out).describe(held_out.images)
    fit, arrays = fit_generic(described, held_out.labels, CLASSES)
    weights, bias = network.partners.weight.detach().numpy(), network.partners.bias.detach().numpy()
    np.savez_compressed(out / "halves_head.npz", **arrays, way_coefficients=weights, way_intercepts=bias)
    paired = ((described @ weights.T + bias).argmax(axis=1) == held_out.partners).mean()
    facts |= {"held_out_accuracy": round(fit.accuracy(), 4), "held_out_partner_accuracy": round(float(paired), 4)}
    write_entry(out, "halves_head", "halves_head.npz", facts)
    log.info("%s", facts)
