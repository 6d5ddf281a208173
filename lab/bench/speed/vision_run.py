"""The vision bench of one game: cost of a whole board, and accuracy lost by eight bits."""

from __future__ import annotations

from pathlib import Path

from calibration.annotations import read_annotated
from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate
from lab.bench.speed.precision import Precision, compare, photographed, simulated
from lab.bench.speed.scenes import still_scene
from lab.bench.speed.vision_report import BoardCost, ratios_of, targets_of
from lab.bench.speed.whole_board import Step, full_precision, measure
from vision.reading.descriptors import load_descriptor


def bench_vision(
    name: str, folder: Path, *, rounds: int, cells: int, reference: bool, photos: Path | None, labels: Path | None,
    step: Step,
) -> BoardCost:  # fmt: skip
    """Measures one game completely. Raises GameError, SourceError, NoReference, WeightsError, LabelError."""
    scene, corners_px = still_scene(name)
    template = scene.template
    shown = [] if photos is None or labels is None else labels_of(labels, photos, template)
    read, theirs = measure(scene, corners_px, folder, rounds=rounds, reference=reference, step=step)
    eight_bits = load_descriptor(template.descriptor)
    full, what = full_precision(template.descriptor, folder)
    precision: list[Precision] = []
    if cells:
        pictures = simulated(template, cells)
        precision.append(compare(pictures, "simulated pictures", template, eight_bits, full, step))
    if photos is not None:
        source = f"photos of {photos.name}"
        precision.append(compare(photographed(shown, photos), source, template, eight_bits, full, step))
    ratios = ratios_of(read, theirs)
    return BoardCost(
        game=template.game,
        pictures=scene.what,
        cells=len(template.cell_names),
        network=template.descriptor,
        full_precision=what,
        read_ms=read,
        reference_ms=theirs,
        ratios=ratios,
        precision=precision,
        targets=targets_of(template.game, read, ratios, precision),
    )


def labels_of(labels: Path, photos: Path, template: BoardTemplate) -> list[Label]:
    """The cells in the photos: from a file of labels, or a folder of annotated moves. Raises LabelError."""
    return list(read_annotated(labels, photos, template) if labels.is_dir() else read_labels(labels, template))
