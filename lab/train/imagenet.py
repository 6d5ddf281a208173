"""torchvision's published ResNet-18 as a descriptor of cells, in eight bits, so that reading needs no torch.

The weights are downloaded once if allowed, or put there by hand, and always checked. They are kept where torchvision
itself keeps them, so that neither fetches what the other has.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.simulated.arrays import Float32Array
from lab.train.patch_pool import draw_pool
from lab.train.quantise import describe, export_descriptor, quantise
from lab.train.resnet import DEVIATION, MEAN
from lab.train.torchvision_import import import_torchvision
from system.weights import write_entry
from vision.reading.descriptors import IMAGENET, load_network

URL = "https://download.pytorch.org/models/resnet18-f37072fd.pth"
"""torchvision's ResNet18_Weights.IMAGENET1K_V1: 47 MB, BSD 3-Clause, trained on ImageNet-1k."""
SHA256 = "f37072fd47e89c5e827621c5baffa7500819f7896bbacec160b1a16c560e07ec"
"""Hexadecimal; its beginning is in the file's name."""
PATIENCE_S = 30.0
"""Seconds to wait for an answer from the network."""
CHUNK_BYTES = 1 << 18

Progress = Callable[[int, int], None]
"""Called with the bytes loaded and the total."""


class Missing(ValueError):
    """No published weights; the message says why, and what to do."""


def published_path() -> Path:
    """The path where torchvision keeps the file, by the environment variables that torch uses."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = Path(os.environ.get("TORCH_HOME") or cache / "torch").expanduser()
    return home / "hub" / "checkpoints" / URL.rpartition("/")[2]


def find_published(fetch: bool, progress: Progress = lambda done, total: None) -> Path:
    """The checked file; if absent and `fetch` is True, it is downloaded first. Raises Missing."""
    path = published_path()
    if not path.is_file():
        if not fetch:
            raise Missing(f"{path} is not on this machine; --weights imagenet fetches it from {URL}")
        _fetch(path, progress)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from error
    if digest != SHA256:
        raise Missing(f"{path} is not what its name says: its sha256 begins {digest[:8]}, not {SHA256[:8]}; delete it")
    return path


def _fetch(path: Path, progress: Progress) -> None:
    """Downloads the file, all or nothing. Raises Missing."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(URL, timeout=PATIENCE_S) as answer, partial.open("wb") as file:
            total = int(answer.headers.get("Content-Length") or 0)
            while chunk := answer.read(CHUNK_BYTES):
                file.write(chunk)
                progress(file.tell(), total)
        partial.replace(path)
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise Missing(f"{URL} cannot be had: {reason}; a file from elsewhere may be laid at {path}") from error
    finally:
        partial.unlink(missing_ok=True)


SIDE_PX = 96
"""Pixels on a side of the network's picture: a patch at twice its size. At 224 pixels a cell would cost five times as
much, and the patch has no more detail to show."""
RECIPE = f"{SIDE_PX} pixels, eight bits, 2"
"""Changes whenever the descriptors change: profiles then ask for another calibration."""
SEED, PATCHES = 1, 512
"""Seed and number of the drawn patches from which the ranges of the activations are taken."""


def load(fetch: bool) -> Any:
    """The network without its last layer. Raises Missing."""
    path = find_published(fetch)
    network = import_torchvision().models.resnet18(weights=None)
    try:
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    except (OSError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError) as error:
        raise Missing(f"{path} holds no ResNet-18: {str(error).splitlines()[0]}") from error
    network.fc = nn.Identity()
    return network.eval()


class ImageNetDescriptor(nn.Module):
    """uint8 patches (n, 48, 48, 3) BGR to 512 numbers; torchvision's preprocessing is part of it."""

    def __init__(self, trunk: Any) -> None:
        super().__init__()
        self.trunk = trunk
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
    network = ImageNetDescriptor(load(fetch)).eval()
    out.mkdir(parents=True, exist_ok=True)
    step("drawing patches")
    patches = draw_pool(PATCHES, SEED).images
    step("writing it in eight bits")
    with tempfile.TemporaryDirectory() as folder:
        export_descriptor(network, Path(folder) / "imagenet.onnx")
        quantise(Path(folder) / "imagenet.onnx", out / "imagenet.onnx", patches)
    facts: dict[str, str | float] = {
        "data": f"torchvision's ResNet18_Weights.IMAGENET1K_V1 ({URL})",
        "licence": "BSD 3-Clause (torchvision); trained on ImageNet-1k",
        "command": "kibitzer train imagenet",
        "known_as": hashlib.sha256(f"{SHA256} {RECIPE}".encode()).hexdigest(),
    }
    write_entry(out, IMAGENET, "imagenet.onnx", facts)
    step("comparing it with full precision")
    full, rounded = describe(network, patches[:128]), load_network(IMAGENET, out).describe(patches[:128])
    write_entry(out, IMAGENET, "imagenet.onnx", facts | {"cosine_to_fp32": round(_likeness(full, rounded), 5)})
    return out / "imagenet.onnx"


def _likeness(full: Float32Array, rounded: NDArray[np.float32]) -> float:
    """Mean cosine of the angle between descriptors in full precision and in eight bits."""
    lengths = np.linalg.norm(full, axis=1) * np.linalg.norm(rounded, axis=1) + 1e-12
    return float(((full * rounded).sum(axis=1) / lengths).mean())
