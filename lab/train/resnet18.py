"""The ResNet-18 that describes cells, from a seed to the shipped weights and the generic head."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.simulated.arrays import Rng
from lab.train import training_loop
from lab.train.joint import fit_board_means
from lab.train.patch_pool import PatchPool, cut_photographs, draw_pool
from lab.train.patches import CLASSES
from lab.train.table_patches import cut_tables, cut_traced, whole_tables, with_share
from lab.train.torchvision_import import import_torchvision
from lab.train.training_loop import accuracy, fit_generic, shifted, write_network
from system.weights import write_entry
from vision.reading.descriptors import DEFAULT, load_network
from vision.reading.heads import MEANS, OTHER, load_generic

LETTERS = ".WB" + OTHER
"""Letters in the order of `patches.CLASSES`."""
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

    def loss_of(network: CellNetwork, rows: NDArray[np.intp], chance: Rng) -> tuple[torch.Tensor, float]:
        return _loss(network, pool.rows(rows), chance)

    return training_loop.train(lambda: network or CellNetwork(), len(pool.labels), recipe, loss_of)


def _loss(network: CellNetwork, pool: PatchPool, chance: Rng) -> tuple[torch.Tensor, float]:
    target, wanted = torch.from_numpy(pool.labels), torch.from_numpy(pool.colours)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        described = network(torch.from_numpy(vary(pool.images, chance))).float()
    scores = network.classes(described)
    known = ~torch.isnan(wanted)
    apart = (network.colours(described) - torch.nan_to_num(wanted)) * known
    loss = nn.functional.cross_entropy(scores, target, label_smoothing=SMOOTHING)
    loss = loss + COLOUR_WEIGHT * apart.square().sum() / known.sum().clamp(min=1)
    return loss, float((scores.argmax(1) == target).float().mean())


def vary(images: NDArray[np.uint8], chance: Rng) -> NDArray[np.uint8]:
    """The patches mirrored, turned by quarters and shifted by up to two pixels, anew for each batch."""
    out = images[:, ::-1] if chance.random() < 0.5 else images
    out = out[:, :, ::-1] if chance.random() < 0.5 else out
    out = out.transpose(0, 2, 1, 3) if chance.random() < 0.5 else out
    return shifted(out, chance)


LICENCE = "MIT; trained in part on photographs under CC BY 4.0 (attribution: docs/models.md)"
DATA = (
    "drawn patches, simulated tables, path-traced scenes (lab/train); "
    "Stone Detection by hubbleunit, Roboflow Universe, CC BY 4.0"
)
SHARD = 50_000
"""Patches drawn from one seed."""
HELD_OUT_SEED = 1_000_000
POLISH_SEED = 2_000_000
POLISH = 40_000
"""Drawn patches that the second phase sees besides simulated tables and photographs."""
POLISH_RATE = 6e-4
HELD_OUT_SHARE = 0.1
RANGED = 512
"""Held-out patches that set the activation ranges of the eight-bit network."""


def make_resnet18(
    out: Path,
    work: Path,
    photographs: Path,
    *,
    patches: int,
    tables: int,
    epochs: float,
    seed: int,
    threads: int,
    scenes: Sequence[Path],
    scenes_share: float,
    command: str,
) -> None:
    """Writes resnet18.onnx, resnet18_fp16.onnx, generic_head.npz and their manifest entries into `out`.

    Cells of the path-traced `scenes` take that share of the second phase. `command` is recorded in the manifest as the
    way to reproduce the files. Raises LabelError, ValueError.
    """
    traced = cut_traced(scenes, seed)
    real = cut_photographs(photographs, "train", seed)
    recipe = Recipe(epochs=epochs, seed=seed, threads=threads)
    drawn = PatchPool.drawn(work / "patches", draw_pool, patches, seed, SHARD)
    network = train(PatchPool.joined([drawn, real]), recipe)
    # The second phase: one epoch at a low rate over simulated tables twice, photographs, and patches it has not seen.
    polish_seed = POLISH_SEED + seed
    pools = [PatchPool.drawn(work / "patches", draw_pool, min(POLISH, patches), polish_seed, POLISH), real]
    if tables:
        pools += [PatchPool.drawn(work / "tables", cut_tables, tables, polish_seed, tables)] * 2
    pool = with_share(PatchPool.joined(pools), traced.network, scenes_share, np.random.default_rng(seed))
    network = train(pool, dataclasses.replace(recipe, epochs=1.0, peak_rate=POLISH_RATE), network)
    # The heads are fitted to patches and boards that the network was not trained on: that gives honest probabilities.
    count, held_seed = max(200, int(patches * HELD_OUT_SHARE)), HELD_OUT_SEED + seed
    drawn = PatchPool.drawn(work / "patches", draw_pool, count, held_seed, count)
    held_out = PatchPool.joined([drawn, traced.head])
    ranged = np.random.default_rng(seed).permutation(len(held_out.labels))[:RANGED]
    write_network(network, out / "resnet18.onnx", held_out.images[ranged], out / "resnet18_fp16.onnx")
    facts: dict[str, str | float] = {"data": DATA, "licence": LICENCE, "command": command}
    exact: dict[str, str | float] = {"held_out_accuracy_fp32": round(accuracy(network, network.classes, held_out), 4)}
    write_entry(out, "resnet18", "resnet18.onnx", facts | exact)
    write_entry(out, "resnet18_fp16", "resnet18_fp16.onnx", facts | exact)
    descriptor = load_network(DEFAULT, out)
    pool = PatchPool.joined([held_out, cut_photographs(photographs, "train", held_seed, stones=6)])
    fit, arrays = fit_generic(descriptor.describe(pool.images), pool.labels, LETTERS)
    boards = traced.boards + whole_tables(tables, held_seed)
    if boards:  # without, each cell will be read by itself
        means = fit_board_means(descriptor, boards).arrays()
        arrays |= {MEANS + name: array for name, array in means.items()}
    np.savez_compressed(out / "generic_head.npz", **arrays)
    facts["held_out_accuracy"] = round(fit.accuracy(), 4)
    write_entry(out, "generic_head", "generic_head.npz", facts)
    head = load_generic(DEFAULT, out).head
    for split in ("valid", "test"):
        photos = cut_photographs(photographs, split, seed)
        if len(photos.labels):
            found = head.probabilities(descriptor.describe(photos.images)).argmax(axis=1)
            facts[f"stones_{split}_accuracy"] = round(float((np.asarray(found) == photos.labels).mean()), 4)
    write_entry(out, "generic_head", "generic_head.npz", facts)
