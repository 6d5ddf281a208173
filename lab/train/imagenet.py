"""torchvision's ResNet-18 with its published ImageNet weights, as a descriptor of cells.

A separate program, so that a comparison with it need not load torch:

    python -m lab.train.imagenet PATCHES.npy DESCRIBED.npy [--fetch]

Reads uint8 patches (n, side, side, 3) BGR and writes float32 (n, 512), the activations before the last layer, at 224
pixels as the network was trained. The last line of standard output is a JSON object: `milliseconds_per_patch`; or
`missing`, which says why the network is not available here. Without --fetch nothing is downloaded.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import places
from lab.simulated.arrays import Float32Array
from lab.train.published import Missing, find_published

BATCH = 25


def load(fetch: bool) -> Any:
    """The network without its last layer. Raises Missing."""
    try:
        import torch
        from torch import nn

        from lab.train.torchvision_import import import_torchvision

        vision = import_torchvision()
    except ImportError as error:
        raise Missing(f"{error.name} is not installed; {places.installs('train', 'train imagenet')}") from error
    path = find_published(fetch)
    network = vision.models.resnet18(weights=None)
    try:
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    except (OSError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError) as error:
        raise Missing(f"{path} holds no ResNet-18: {str(error).splitlines()[0]}") from error
    network.fc = nn.Identity()
    return network.eval()


def describe(network: Any, patches: NDArray[np.uint8]) -> Float32Array:
    """(n, 512) descriptors, on one thread."""
    import torch

    from lab.train.thesis import SIDE_PX, prepared

    torch.set_num_threads(1)
    rows = []
    with torch.inference_mode():
        for start in range(0, len(patches), BATCH):
            rows.append(network(prepared(patches[start : start + BATCH], SIDE_PX)))
    return np.asarray(torch.cat(rows).numpy(), dtype=np.float32)


def main() -> int:
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
