"""torchvision's published ResNet-18 as a descriptor, in a process of its own, since it needs torch."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import places
import processes
from calibration.arrays import Patches
from vision.reading.descriptors import Descriptors

COMMAND = (sys.executable, "-m", "lab.train.imagenet")
ROOT = places.PROGRAM


class NotPresent(RuntimeError):
    """The network is not available on this machine; the message says why."""


def describe_imagenet(patches: Patches, fetch: bool) -> tuple[Descriptors, float]:
    """(n, 512) descriptors in full precision at 224 pixels, and milliseconds a patch on one core.

    If `fetch` is True, torchvision may load the weights from its own site. Raises NotPresent.
    """
    with TemporaryDirectory(prefix="kibitzer-imagenet-") as folder:
        given, made = Path(folder) / "patches.npy", Path(folder) / "described.npy"
        np.save(given, patches)
        command = [*COMMAND, str(given), str(made), *(["--fetch"] if fetch else [])]
        process = processes.run(command, cwd=ROOT, capture_output=True, text=True)
        try:
            answer = json.loads(process.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            last = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise NotPresent(last) from None
        if "missing" in answer:
            raise NotPresent(str(answer["missing"]))
        return np.load(made), float(answer["milliseconds_per_patch"])
