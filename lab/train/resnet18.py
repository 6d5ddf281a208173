"""Trains ResNet-18 to describe cells: class and colours are linear in its 512 numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.train import training_loop
from lab.train.descriptor_export import describe
from lab.train.patch_pool import PatchPool
from lab.train.patches import CLASSES, PATCH_PX
from lab.train.torchvision_import import import_torchvision

LENGTH = 512
COLOUR_WEIGHT = 3.0
SMOOTHING = 0.02


@dataclasses.dataclass(frozen=True)
class Recipe(training_loop.Recipe):
    epochs: float = 3.0
    batch: int = 128
    peak_rate: float = 2e-3


class CellNetwork(nn.Module):
    """uint8 patches (n, 48, 48, 3) BGR to 512 numbers; two linear layers on top serve as training targets."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk: nn.Module = import_torchvision().models.resnet18(weights=None)
        self.trunk.fc = nn.Identity()
        self.classes = nn.Linear(LENGTH, len(CLASSES))
        self.colours = nn.Linear(LENGTH, 6)

    def forward(self, patches: torch.Tensor) -> torch.Tensor:
        """(n, 512) descriptors."""
        scaled = patches.float().permute(0, 3, 1, 2) * (1 / 64) - 2
        described: torch.Tensor = self.trunk(scaled)
        return described


def train(pool: PatchPool, recipe: Recipe, network: CellNetwork | None = None) -> CellNetwork:
    """Trains the network, or a new one, on the pool; about 400 patches a second on one core."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    trained = network or CellNetwork()
    training_loop.run(trained, len(pool.labels), recipe, lambda rows, chance: _loss(trained, pool, rows, chance))
    return trained


def _loss(
    network: CellNetwork, pool: PatchPool, rows: NDArray[np.intp], chance: np.random.Generator
) -> tuple[torch.Tensor, float]:
    images, labels, colours = vary(pool.images[rows], chance), pool.labels[rows], pool.colours[rows]
    target = torch.from_numpy(labels)
    wanted = torch.from_numpy(colours)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        described = network(torch.from_numpy(images)).float()
    scores = network.classes(described)
    known = ~torch.isnan(wanted)
    apart = (network.colours(described) - torch.nan_to_num(wanted)) * known
    loss = nn.functional.cross_entropy(scores, target, label_smoothing=SMOOTHING)
    loss = loss + COLOUR_WEIGHT * apart.square().sum() / known.sum().clamp(min=1)
    return loss, float((scores.argmax(1) == target).float().mean())


def vary(images: NDArray[np.uint8], chance: np.random.Generator) -> NDArray[np.uint8]:
    """The patches mirrored, turned by quarters and shifted by up to two pixels, anew for each batch."""
    out = images[:, ::-1] if chance.random() < 0.5 else images
    out = out[:, :, ::-1] if chance.random() < 0.5 else out
    out = out.transpose(0, 2, 1, 3) if chance.random() < 0.5 else out
    down, right = chance.integers(0, 5, 2)
    padded = np.pad(out, ((0, 0), (2, 2), (2, 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(padded[:, down : down + PATCH_PX, right : right + PATCH_PX])


def accuracy(network: CellNetwork, pool: PatchPool) -> float:
    """Share of the pool whose class the training's own last layer gets right."""
    with torch.inference_mode():
        scores = network.classes(torch.from_numpy(describe(network, pool.images)))
    return float((scores.argmax(1).numpy() == pool.labels).mean())
