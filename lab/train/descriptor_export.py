"""A network that describes patches: run as trained, and exported as ONNX for `vision.reading.descriptors`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.train.patches import PATCH_PX


def describe(network: nn.Module, images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(n, length) descriptors in full precision."""
    with torch.inference_mode():
        rows = [
            network(torch.from_numpy(np.ascontiguousarray(images[i : i + 256]))) for i in range(0, len(images), 256)
        ]
    return np.asarray(torch.cat(rows).float().numpy())


def export_descriptor(network: nn.Module, path: Path) -> None:
    """Writes the network with uint8 `patches` (n, 48, 48, 3) in and float32 `descriptors` (n, length) out."""
    example = torch.zeros((2, PATCH_PX, PATCH_PX, 3), dtype=torch.uint8)
    torch.onnx.export(
        network.eval(),
        (example,),
        str(path),
        input_names=["patches"],
        output_names=["descriptors"],
        dynamic_shapes={"patches": {0: torch.export.Dim("n", min=1, max=4096)}},
        dynamo=True,
        external_data=False,
        verbose=False,
    )
