"""torchvision's published ResNet-18 as a descriptor of cells, in eight bits, so that reading needs no torch."""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from lab.train import imagenet
from lab.train.patch_pool import draw_pool
from lab.train.published import SHA256, URL
from lab.train.quantise import export_descriptor, quantise
from lab.train.thesis import DEVIATION, MEAN
from places.weights import write_entry
from vision.reading.descriptors import IMAGENET, load_network

log = logging.getLogger(__name__)

SIDE_PX = 96
"""Pixels on a side of the network's picture: a patch at twice its size. At 224 pixels a cell would cost five times as
much, and the patch has no more detail to show."""
RECIPE = f"{SIDE_PX} pixels, eight bits, 2"
"""Changes whenever the descriptors change: profiles then ask for another calibration."""
SEED, PATCHES = 1, 512
"""Seed and number of the drawn patches from which the ranges of the activations are taken."""


class ImageNetDescriptor(nn.Module):
    """uint8 patches (n, 48, 48, 3) BGR to 512 numbers; torchvision's preprocessing is part of it."""

    def __init__(self, trunk: Any) -> None:
        super().__init__()
        self.trunk: nn.Module = trunk
        self.grey: torch.Tensor
        """(1, 3, 1, 1) mean colour of the pictures it was trained on."""
        self.register_buffer("grey", torch.from_numpy(255 * MEAN.reshape(1, 3, 1, 1)))
        with torch.no_grad():  # fold the scale of the colours into the first weights: one pass over the picture less
            trunk.conv1.weight /= torch.from_numpy(255 * DEVIATION.reshape(1, 3, 1, 1))

    def forward(self, patches: torch.Tensor) -> torch.Tensor:
        """(n, 512) non-negative descriptors."""
        colours = patches.float().flip(3).permute(0, 3, 1, 2) - self.grey
        large = nn.functional.interpolate(colours, size=(SIDE_PX, SIDE_PX), mode="bilinear", align_corners=False)
        described: torch.Tensor = self.trunk(large)
        return described


def make_imagenet(out: Path, fetch: bool, step: Callable[[str], None] = lambda what: None) -> Path:
    """Writes imagenet.onnx and its manifest entry into the folder; about a minute on one core. Raises Missing."""
    network = ImageNetDescriptor(imagenet.load(fetch)).eval()
    out.mkdir(parents=True, exist_ok=True)
    step("drawing patches")
    patches = draw_pool(PATCHES, SEED).images
    step("writing it in eight bits")
    with tempfile.TemporaryDirectory() as folder:
        export_descriptor(network, Path(folder) / "imagenet.onnx")
        quantise(Path(folder) / "imagenet.onnx", out / "imagenet.onnx", patches)
    write_entry(out, IMAGENET, "imagenet.onnx", facts())
    step("comparing it with full precision")
    write_entry(
        out, IMAGENET, "imagenet.onnx", facts() | {"cosine_to_fp32": round(_likeness(network, out, patches), 5)}
    )
    return out / "imagenet.onnx"


def facts() -> dict[str, str | float]:
    return {
        "data": f"torchvision's ResNet18_Weights.IMAGENET1K_V1 ({URL})",
        "licence": "BSD 3-Clause (torchvision); trained on ImageNet-1k",
        "command": "kibitzer train imagenet",
        "known_as": hashlib.sha256(f"{SHA256} {RECIPE}".encode()).hexdigest(),
    }


def _likeness(network: ImageNetDescriptor, folder: Path, patches: Any) -> float:
    """Mean cosine of the angle between descriptors in eight bits and in full precision."""
    some = patches[:128]
    with torch.inference_mode():
        full = network(torch.from_numpy(np.ascontiguousarray(some))).numpy().astype(np.float64)
    rounded = load_network(IMAGENET, folder).describe(some).astype(np.float64)
    lengths = np.linalg.norm(full, axis=1) * np.linalg.norm(rounded, axis=1) + 1e-12
    return float(((full * rounded).sum(axis=1) / lengths).mean())
