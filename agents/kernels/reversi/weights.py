"""Loads the trained patterns from the file in `models/`, in the kernel's form."""

from __future__ import annotations

import functools
import hashlib
import tomllib

import numpy as np

import places
from agents.kernels.reversi.memory import STAGE_WORDS, STAGES, Memory

MODELS = places.PROGRAM / "models"
NAME = "reversi_patterns"


@functools.cache
def weights() -> Memory:
    """All weights, four of 16 bits per word, for `memory.WEIGHTS`. Raises ValueError for a file with another digest."""
    entries = tomllib.loads((MODELS / "manifest.toml").read_text(encoding="utf-8"))
    if NAME not in entries:
        return np.zeros(STAGES * STAGE_WORDS, dtype=np.uint64)
    path = MODELS / entries[NAME]["file"]
    if hashlib.sha256(path.read_bytes()).hexdigest() != entries[NAME]["sha256"]:
        raise ValueError(f"{path.name} is not the file that models/manifest.toml vouches for; get it or train it again")
    with np.load(path) as stored:
        return np.ascontiguousarray(stored["weights"].reshape(-1)).view(np.uint64)
