"""`--weights`: a table's reader by weights that are not the program's own, made on this computer where it has to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from calibration.labels import LabelError
from calibration.template import BoardTemplate
from vision.reading.descriptors import IMAGENET, MAKE_IMAGENET, load_descriptor
from vision.reading.heads import GENERIC
from vision.reading.weights import ROOT, WeightsError

WEIGHTS_HELP = 'Fit to other weights: "imagenet", torchvision\'s published ResNet-18, fetched once (47 MB).'
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


def check_labels(descriptor: str | None, boards: Sequence[str], template: BoardTemplate) -> None:
    """Raises LabelError where a kind of man is in no photo and nothing is known of it in general either."""
    if descriptor is None or descriptor in GENERIC:
        return
    missing = [name for letter, name in template.classes.items() if not any(letter in cells for cells in boards)]
    if missing:
        raise LabelError(f"no {' and no '.join(missing)} is labelled; {descriptor} knows only what the photos show")
