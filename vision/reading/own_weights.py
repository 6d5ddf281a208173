"""`--weights`: selects weights other than the shipped ones, and makes them on this computer if they are absent."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import processes
from calibration.labels import LabelError
from calibration.template import BoardTemplate
from places.weights import ROOT, WeightsError
from vision.reading.descriptors import IMAGENET, MAKE_IMAGENET, load_descriptor
from vision.reading.heads import GENERIC

WEIGHTS_HELP = 'Fit to other weights: "imagenet", torchvision\'s published ResNet-18, fetched once (47 MB).'
COMMAND = (sys.executable, "-m", "daemon.cli", "train", "imagenet")
"""Run as a separate process because it needs torch; it reports its progress on standard error."""


def descriptor_for(weights: str) -> str | None:
    """The descriptor named by `--weights`, made first if absent (downloads 47 MB, takes some minutes).

    None for "": then the board's template names it. Raises ValueError for any other word, WeightsError.
    """
    if not weights:
        return None
    if weights != IMAGENET:
        raise ValueError(f'--weights is "{IMAGENET}" or left away, not {weights!r}')
    try:
        return load_descriptor(IMAGENET).name
    except WeightsError:
        if processes.run(COMMAND, cwd=ROOT).returncode:
            raise WeightsError(f"there are no ImageNet weights; {MAKE_IMAGENET} makes them, torch included") from None
    return load_descriptor(IMAGENET).name


def check_labels(descriptor: str | None, boards: Sequence[str], template: BoardTemplate) -> None:
    """Raises LabelError if a class is labelled in no photo and no shipped head knows it for this descriptor."""
    if descriptor is None or descriptor in GENERIC:
        return
    missing = [name for letter, name in template.classes.items() if not any(letter in cells for cells in boards)]
    if missing:
        raise LabelError(f"no {' and no '.join(missing)} is labelled; {descriptor} knows only what the photos show")
