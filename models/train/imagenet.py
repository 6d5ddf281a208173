"""torchvision's ResNet-18 with its published ImageNet weights, as a descriptor of cells.

A program of its own, so that whoever compares with it need not load torch:

    python -m models.train.imagenet PATCHES.npy DESCRIBED.npy [--fetch]

Reads uint8 patches (n, side, side, 3) BGR and writes float32 (n, 512), the activations before the last layer, at 224
pixels as the network was trained. The last line of standard output is an object of JSON: `milliseconds_per_patch`; or
`missing`, which says why there is no such network here. Without --fetch nothing is loaded from the network.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BATCH = 25


class Missing(RuntimeError):
    """No published weights; the message says why."""


def load(fetch: bool) -> Any:
    """The network without its last layer. Raises Missing."""
    try:
        import torch
        from torch import nn

        from models.train.torchvision_import import import_torchvision

        vision = import_torchvision()
    except ImportError as error:
        raise Missing(f"{error.name} is not installed; `./kibitzer bench --help` installs it") from error
    weights = vision.models.ResNet18_Weights.IMAGENET1K_V1
    path = Path(torch.hub.get_dir()) / "checkpoints" / Path(weights.url).name
    if not path.is_file() and not fetch:
        raise Missing(f"{path} is not on this machine; --weights imagenet fetches it from {weights.url}")
    try:
        if not path.is_file():
            torch.hub.download_url_to_file(weights.url, str(_made(path)), promised_digest(path), progress=False)
        check(path)
        network = vision.models.resnet18(weights=weights)
    except (OSError, RuntimeError) as error:
        raise Missing(f"{weights.url} cannot be had: {error}") from error
    network.fc = nn.Identity()
    return network.eval()


def check(path: Path) -> None:
    """Raises RuntimeError where a file is not the one whose digest begins its name, as torchvision's do."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if not digest.startswith(promised_digest(path)):
        raise RuntimeError(f"{path} is not what its name says: its sha256 begins {digest[:8]}; delete it")


def promised_digest(path: Path) -> str:
    """The first digits of the sha256, as in resnet18-f37072fd.pth."""
    return path.stem.rpartition("-")[2]


def describe(network: Any, patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(n, 512) descriptors, on one thread."""
    import torch

    from models.train.thesis import SIDE_PX, prepared

    torch.set_num_threads(1)
    rows = []
    with torch.inference_mode():
        for start in range(0, len(patches), BATCH):
            rows.append(network(prepared(patches[start : start + BATCH], SIDE_PX)))
    return np.asarray(torch.cat(rows).numpy(), dtype=np.float32)


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def main() -> int:
    """Describes the patches, or says why not."""
    try:
        network = load("--fetch" in sys.argv[3:])
    except Missing as reason:
        sys.stdout.write(json.dumps({"missing": str(reason)}) + "\n")
        return 0
    patches = np.load(Path(sys.argv[1]), allow_pickle=False)
    began_s = time.process_time()
    np.save(Path(sys.argv[2]), describe(network, patches))
    spent_ms = 1000 * (time.process_time() - began_s)
    sys.stdout.write(json.dumps({"milliseconds_per_patch": spent_ms / len(patches)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
