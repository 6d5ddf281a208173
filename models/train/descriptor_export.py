"""Exports a network that describes patches as ONNX, in the form that `vision.reading.descriptors` runs."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from models.train.patches import PATCH_PX


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
