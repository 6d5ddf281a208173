"""The ResNet-18 that describes cells, from a seed to the shipped weights and the generic head."""

from __future__ import annotations

import dataclasses
import functools
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.simulated.arrays import Rng
from lab.train import training_loop
from lab.train.joint import WholeBoard, fit_board_means
from lab.train.patch_pool import PatchPool, cut_photographs, draw_pool
from lab.train.patches import CLASSES, OTHER, PATCH_PX
from lab.train.quantise import export_descriptor, quantise, store_half
from lab.train.table_patches import cut_tables, whole_tables
from lab.train.torchvision_import import import_torchvision
from lab.train.traced_cells import cut_traced, with_share
from lab.train.training_loop import accuracy
from places.weights import write_entry
from vision.calibrating.fitting import fit_head
from vision.reading.descriptors import DEFAULT, Descriptor, load_network
from vision.reading.heads import MEANS, load_generic
from vision.reading.heads import OTHER as OTHER_LETTER

LETTERS = ".WB" + OTHER_LETTER
"""Letters in the order of `patches.CLASSES`."""
SOFTNESS = 0.3
EXAMPLES = 200
"""Examples of OTHER stored with the head, from which tables' own heads learn what is not a cell."""

SURE = 0.7
"""Probability needed to keep an example of OTHER: a plain sleeve over a whole patch looks like an empty cell, and would
make a table doubt its own empty cells."""

log = logging.getLogger(__name__)


def fit_generic(descriptor: Descriptor, pool: PatchPool, boards: Sequence[WholeBoard], path: Path) -> float:
    """Writes the generic head, descriptors of OTHER, and the joint model of the classes of one board.

    Returns the share of patches read right while left out. Patches and boards that the network was not trained on give
    honest probabilities; without boards each cell will be read by itself.
    """
    described = descriptor.describe(pool.images)
    labels = "".join(LETTERS[label] for label in pool.labels)
    fit = fit_head(described, labels, LETTERS, softness=SOFTNESS, remember=0)
    sure = fit.head.probabilities(described)[:, OTHER] > SURE
    others = described[(pool.labels == OTHER) & sure][:EXAMPLES].astype(np.float16)
    means = fit_board_means(descriptor, boards).arrays() if boards else {}
    together = {MEANS + name: array for name, array in means.items()}
    np.savez_compressed(path, others=others, **fit.head.arrays(), **together)  # type: ignore[arg-type]
    log.info("generic head: %.4f of %d patches right while left out", fit.accuracy(), len(labels))
    return fit.accuracy()


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


def _loss(network: CellNetwork, pool: PatchPool, rows: NDArray[np.intp], chance: Rng) -> tuple[torch.Tensor, float]:
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


def vary(images: NDArray[np.uint8], chance: Rng) -> NDArray[np.uint8]:
    """The patches mirrored, turned by quarters and shifted by up to two pixels, anew for each batch."""
    out = images[:, ::-1] if chance.random() < 0.5 else images
    out = out[:, :, ::-1] if chance.random() < 0.5 else out
    out = out.transpose(0, 2, 1, 3) if chance.random() < 0.5 else out
    down, right = chance.integers(0, 5, 2)
    padded = np.pad(out, ((0, 0), (2, 2), (2, 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(padded[:, down : down + PATCH_PX, right : right + PATCH_PX])


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
    network = train(PatchPool.joined([_shards(work, patches, seed), real]), recipe)
    network = polish(network, work, real, traced.network, scenes_share, patches=patches, tables=tables, recipe=recipe)
    held_out = _drawn(work, max(200, int(patches * HELD_OUT_SHARE)), HELD_OUT_SEED + seed)
    boards = traced.boards + whole_tables(tables, HELD_OUT_SEED + seed)
    finish(out, network, PatchPool.joined([held_out, traced.head]), boards, photographs, command, seed)


def polish(
    network: CellNetwork,
    work: Path,
    real: PatchPool,
    traced: PatchPool,
    traced_share: float,
    *,
    patches: int,
    tables: int,
    recipe: Recipe,
) -> CellNetwork:
    """The second phase: one epoch at a low rate over simulated tables twice, photographs, and patches it has not seen.

    Path-traced cells, if there are any, are added with their share.
    """
    seed = POLISH_SEED + recipe.seed
    pools = [_drawn(work, min(POLISH, patches), seed), real]
    if tables:
        simulated = PatchPool.kept(work / f"tables_{seed}_{tables}.npz", functools.partial(cut_tables, tables, seed))
        pools += [simulated, simulated]
    pool = with_share(PatchPool.joined(pools), traced, traced_share, np.random.default_rng(recipe.seed))
    return train(pool, dataclasses.replace(recipe, epochs=1.0, peak_rate=POLISH_RATE), network)


def finish(
    out: Path,
    network: CellNetwork,
    held_out: PatchPool,
    boards: Sequence[WholeBoard],
    photographs: Path,
    command: str,
    seed: int,
) -> None:
    """Exports, quantises and measures a trained network, and fits the heads to it.

    `held_out` are patches and `boards` whole boards that the network was not trained on.
    """
    ranged = np.random.default_rng(seed).permutation(len(held_out.labels))[:RANGED]
    with tempfile.TemporaryDirectory() as folder:
        export_descriptor(network, Path(folder) / "resnet18.onnx")
        quantise(Path(folder) / "resnet18.onnx", out / "resnet18.onnx", held_out.images[ranged])
        store_half(Path(folder) / "resnet18.onnx", out / "resnet18_fp16.onnx")
    facts: dict[str, str | float] = {
        "data": DATA,
        "licence": LICENCE,
        "command": command,
        "held_out_accuracy_fp32": round(accuracy(network, network.classes, held_out), 4),
    }
    write_entry(out, "resnet18", "resnet18.onnx", facts)
    write_entry(out, "resnet18_fp16", "resnet18_fp16.onnx", facts)
    descriptor = load_network(DEFAULT, out)
    near = cut_photographs(photographs, "train", HELD_OUT_SEED + seed, stones=6)
    head_accuracy = fit_generic(descriptor, PatchPool.joined([held_out, near]), boards, out / "generic_head.npz")
    facts = {"data": DATA, "licence": LICENCE, "command": command, "held_out_accuracy": round(head_accuracy, 4)}
    write_entry(out, "generic_head", "generic_head.npz", facts)
    for split in ("valid", "test"):
        photos = cut_photographs(photographs, split, seed)
        if len(photos.labels):
            facts[f"stones_{split}_accuracy"] = round(photo_accuracy(descriptor, photos, out), 4)
    write_entry(out, "generic_head", "generic_head.npz", facts)


def photo_accuracy(descriptor: Descriptor, photos: PatchPool, folder: Path) -> float:
    """Share of photographed patches that the network (in eight bits) and generic head read right."""
    head = load_generic(DEFAULT, folder).head
    found = head.probabilities(descriptor.describe(photos.images)).argmax(axis=1)
    return float((np.asarray(found) == photos.labels).mean())


def _shards(work: Path, patches: int, seed: int) -> PatchPool:
    sizes = [min(SHARD, patches - start) for start in range(0, patches, SHARD)]
    return PatchPool.joined([_drawn(work, size, seed + number) for number, size in enumerate(sizes)])


def _drawn(work: Path, count: int, seed: int) -> PatchPool:
    return PatchPool.kept(work / f"patches_{seed}_{count}.npz", functools.partial(draw_pool, count, seed))
