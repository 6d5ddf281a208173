"""The complete recipe from a seed to the shipped ResNet-18 and generic head."""

from __future__ import annotations

import dataclasses
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lab.train.descriptor_export import export_descriptor
from lab.train.generic_head import fit_generic
from lab.train.half_stored import store_half
from lab.train.joint import WholeBoard
from lab.train.patch_pool import PatchPool, draw_pool, load_pool
from lab.train.photographs import cut_photographs
from lab.train.quantise import quantise
from lab.train.resnet18 import CellNetwork, Recipe, accuracy, train
from lab.train.table_patches import cut_tables, whole_tables
from lab.train.traced_cells import cut_traced, with_share
from places.manifest import write_entry
from vision.reading.descriptors import DEFAULT, Network
from vision.reading.heads import load_generic

log = logging.getLogger(__name__)

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
    network = train(_shards(work, patches, seed).joined(real), recipe)
    network = polish(network, work, real, traced.network, scenes_share, patches=patches, tables=tables, recipe=recipe)
    held_out = _drawn(work, max(200, int(patches * HELD_OUT_SHARE)), HELD_OUT_SEED + seed)
    boards = traced.boards + whole_tables(tables, HELD_OUT_SEED + seed)
    finish(out, network, held_out.joined(traced.head), boards, photographs, command, seed)


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
    pool = _drawn(work, min(POLISH, patches), POLISH_SEED + recipe.seed).joined(real)
    if tables:
        simulated = _simulated(work, tables, POLISH_SEED + recipe.seed)
        pool = pool.joined(simulated).joined(simulated)
    pool = with_share(pool, traced, traced_share, np.random.default_rng(recipe.seed))
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
        "held_out_accuracy_fp32": round(accuracy(network, held_out), 4),
    }
    write_entry(out, "resnet18", "resnet18.onnx", facts)
    write_entry(out, "resnet18_fp16", "resnet18_fp16.onnx", facts)
    descriptor = Network(DEFAULT, out)
    near = cut_photographs(photographs, "train", HELD_OUT_SEED + seed, stones=6)
    head_accuracy = fit_generic(descriptor, held_out.joined(near), boards, out / "generic_head.npz")
    facts = {"data": DATA, "licence": LICENCE, "command": command, "held_out_accuracy": round(head_accuracy, 4)}
    write_entry(out, "generic_head", "generic_head.npz", facts)
    for split in ("valid", "test"):
        photos = cut_photographs(photographs, split, seed)
        if len(photos.labels):
            facts[f"stones_{split}_accuracy"] = round(photo_accuracy(descriptor, photos, out), 4)
    write_entry(out, "generic_head", "generic_head.npz", facts)


def photo_accuracy(descriptor: Network, photos: PatchPool, folder: Path) -> float:
    """Share of photographed patches that the network (in eight bits) and generic head read right."""
    head = load_generic(DEFAULT, folder).head
    found = head.probabilities(descriptor.describe(photos.images)).argmax(axis=1)
    return float((np.asarray(found) == photos.labels).mean())


def _shards(work: Path, patches: int, seed: int) -> PatchPool:
    pool = _drawn(work, min(patches, SHARD), seed)
    for index in range(1, -(-patches // SHARD)):
        pool = pool.joined(_drawn(work, min(SHARD, patches - index * SHARD), seed + index))
    return pool


def _simulated(work: Path, count: int, seed: int) -> PatchPool:
    """The cells of newly simulated tables, or those kept by an earlier run."""
    path = work / f"tables_{seed}_{count}.npz"
    if path.is_file():
        return load_pool(path)
    pool = cut_tables(count, seed)
    pool.save(path)
    return pool


def _drawn(work: Path, count: int, seed: int) -> PatchPool:
    path = work / f"patches_{seed}_{count}.npz"
    if path.is_file():
        return load_pool(path)
    pool = draw_pool(count, seed)
    pool.save(path)
    return pool
