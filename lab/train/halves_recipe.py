"""The complete recipe from a seed to the shipped network and head for halves of domino tiles."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import numpy as np

from lab.train.descriptor_export import export_descriptor
from lab.train.domino_scene import CLASSES
from lab.train.halves import HalvesNetwork, Recipe, accuracy, train
from lab.train.halves_pool import HalvesPool, shards_of_halves
from lab.train.quantise import quantise
from places.weights import write_entry
from vision.calibrating.fitting import fit_head
from vision.reading.descriptors import Network

log = logging.getLogger(__name__)

LICENCE = "MIT"
DATA = "drawn boards with domino tiles (lab/train); no photographs"
HELD_OUT_SEED = 1_000_000
HELD_OUT = 12_000
EXAMPLES = 200
"""Descriptors of OTHER stored with the head, from which tables' own heads learn what is not a cell."""
SURE = 0.7
SOFTNESS = 0.3


def make_halves(out: Path, work: Path, *, patches: int, epochs: float, seed: int, threads: int) -> None:
    """Writes halves.onnx, halves_head.npz and their manifest entries into `out`."""
    command = f"kibitzer train halves --patches {patches} --epochs {epochs} --seed {seed}"
    network = train(shards_of_halves(work, patches, seed), Recipe(epochs=epochs, seed=seed, threads=threads))
    held_out = shards_of_halves(work, max(400, min(HELD_OUT, patches // 4)), HELD_OUT_SEED + seed)
    finish(out, network, held_out, command)


def finish(out: Path, network: HalvesNetwork, held_out: HalvesPool, command: str) -> None:
    """Exports, quantises and measures a trained network, and fits the head to its eight-bit descriptors."""
    with tempfile.TemporaryDirectory() as folder:
        export_descriptor(network, Path(folder) / "halves.onnx")
        quantise(Path(folder) / "halves.onnx", out / "halves.onnx", held_out.images[:512])
    facts: dict[str, str | float] = {"data": DATA, "licence": LICENCE, "command": command}
    write_entry(out, "halves", "halves.onnx", facts | {"drawn_accuracy_fp32": round(accuracy(network, held_out), 4)})
    described = Network("halves", out).describe(held_out.images)
    labels = "".join(CLASSES[label] for label in held_out.labels)
    fit = fit_head(described, labels, CLASSES, softness=SOFTNESS, remember=0)
    sure = fit.head.probabilities(described)[:, -1] > SURE
    others = described[(held_out.labels == len(CLASSES) - 1) & sure][:EXAMPLES].astype(np.float16)
    weights, bias = network.partners.weight.detach().numpy(), network.partners.bias.detach().numpy()
    arrays = fit.head.arrays() | {"others": others, "way_coefficients": weights, "way_intercepts": bias}
    np.savez_compressed(out / "halves_head.npz", **arrays)
    right = ((described @ weights.T + bias).argmax(axis=1) == held_out.partners).mean()
    facts |= {"held_out_accuracy": round(fit.accuracy(), 4), "held_out_partner_accuracy": round(float(right), 4)}
    write_entry(out, "halves_head", "halves_head.npz", facts)
    log.info("%s", facts)
