"""Trains the small network that reads halves of domino tiles: how many pips, and where the other half lies."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.train import training_loop
from lab.train.descriptor_export import describe
from lab.train.domino_camera import PATCH_PX
from lab.train.domino_scene import CLASSES, DOWN, LEFT, NONE, RIGHT, UP
from lab.train.halves_pool import HalvesPool

LENGTH = 96
"""Length of a patch's description."""
WAYS = 5
PARTNER_WEIGHT = 0.5


@dataclasses.dataclass(frozen=True)
class Recipe(training_loop.Recipe):
    epochs: float = 4.0
    batch: int = 256
    peak_rate: float = 4e-3


def _convolution(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        return torch.relu(value + self.second(self.first(value)))


class HalvesNetwork(nn.Module):
    """uint8 patches (n, 48, 48, 3) BGR to LENGTH numbers; pips and partner are linear in them."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            _convolution(3, 16, 2),
            _convolution(16, 32, 2),
            _Block(32),
            _convolution(32, 64, 2),
            _Block(64),
            _convolution(64, 96, 2),
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
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    network = HalvesNetwork()
    training_loop.run(network, len(pool.labels), recipe, lambda rows, chance: _loss(network, pool, rows, chance))
    return network


def _loss(
    network: HalvesNetwork, pool: HalvesPool, rows: NDArray[np.intp], chance: np.random.Generator
) -> tuple[torch.Tensor, float]:
    images, partners = vary(pool.images[rows], pool.partners[rows], chance)
    labels = torch.from_numpy(pool.labels[rows])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        described = network(torch.from_numpy(images)).float()
    scores = network.pips(described)
    wanted = nn.functional.one_hot(labels, len(CLASSES)).float()
    # One against the rest, as a head reads them; then the same odds jointly, normalised as a head normalises them.
    loss = nn.functional.binary_cross_entropy_with_logits(scores, wanted) * len(CLASSES) / 2
    loss = loss + nn.functional.nll_loss(_shares(scores), labels)
    loss = loss + PARTNER_WEIGHT * nn.functional.cross_entropy(network.partners(described), torch.from_numpy(partners))
    return loss, float((scores.argmax(1) == labels).float().mean())


def _shares(scores: torch.Tensor) -> torch.Tensor:
    """Logarithms of the one-against-the-rest odds, normalised so that the odds add up to 1."""
    odds = nn.functional.logsigmoid(scores)
    return odds - torch.logsumexp(odds, 1, keepdim=True)


def vary(
    images: NDArray[np.uint8], partners: NDArray[np.int64], chance: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The patches mirrored, turned, shifted by up to two pixels, and in other light, anew for each batch."""
    if chance.random() < 0.5:
        images, partners = images[:, ::-1], _renamed(partners, (NONE, DOWN, RIGHT, UP, LEFT))
    if chance.random() < 0.5:
        images, partners = images[:, :, ::-1], _renamed(partners, (NONE, UP, LEFT, DOWN, RIGHT))
    if chance.random() < 0.5:
        images, partners = images.transpose(0, 2, 1, 3), _renamed(partners, (NONE, LEFT, DOWN, RIGHT, UP))
    down, right = chance.integers(0, 5, 2)
    padded = np.pad(images, ((0, 0), (2, 2), (2, 2), (0, 0)), mode="edge")
    moved = padded[:, down : down + PATCH_PX, right : right + PATCH_PX]
    gain = np.exp(chance.normal(0, 0.1, (len(images), 1, 1, 3)) + chance.normal(0, 0.2, (len(images), 1, 1, 1)))
    lit = np.clip(moved * gain.astype(np.float32), 0, 255)
    return np.ascontiguousarray(lit.astype(np.uint8)), partners


def _renamed(partners: NDArray[np.int64], names: tuple[int, ...]) -> NDArray[np.int64]:
    return np.asarray(np.array(names)[partners], dtype=np.int64)


def accuracy(network: HalvesNetwork, pool: HalvesPool) -> float:
    """Share of the pool whose class the training's own last layer gets right."""
    with torch.inference_mode():
        scores = network.pips(torch.from_numpy(describe(network, pool.images)))
    return float((scores.argmax(1).numpy() == pool.labels).mean())
