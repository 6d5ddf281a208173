"""`--weights`: a table's reader by weights that are not the program's own, made on this computer where it has to."""

from __future__ import annotations

import subprocess
import sys

from vision.descriptors import IMAGENET, MAKE_IMAGENET, load_descriptor
from vision.weights import ROOT, WeightsError

COMMAND = (sys.executable, "-m", "daemon.cli", "train", "imagenet")
"""A process of its own, since it needs torch; it says on standard error what it does."""


def descriptor_for(weights: str) -> str | None:
    """The descriptor that `--weights` asks for, made first where it is absent (47 MB from the network, some minutes).

    None for "", the descriptor that the board's template names. Raises ValueError for another word, WeightsError.
    """
    if not weights:
        return None
    if weights != IMAGENET:
        raise ValueError(f'--weights is "{IMAGENET}" or left away, not {weights!r}')
    try:
        return load_descriptor(IMAGENET).name
    except WeightsError:
        if subprocess.run(COMMAND, cwd=ROOT).returncode:
            raise WeightsError(f"there are no ImageNet weights; {MAKE_IMAGENET} makes them, torch included") from None
    return load_descriptor(IMAGENET).name
