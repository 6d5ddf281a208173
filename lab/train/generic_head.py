"""Fits the head that reads uncalibrated boards, on drawn patches and photographs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lab.train.joint import WholeBoard, fit_board_means
from lab.train.patch_pool import PatchPool
from lab.train.patches import OTHER
from vision.calibrating.fitting import fit_head
from vision.reading.descriptors import Descriptor
from vision.reading.heads import MEANS
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
