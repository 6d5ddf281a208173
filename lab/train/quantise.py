"""How a trained network is stored: exported, in eight bits, in half precision."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn

from lab.simulated.arrays import Float32Array
from lab.train.fused import fuse
from lab.train.narrowed import narrow
from lab.train.patches import PATCH_PX


def describe(network: nn.Module, images: NDArray[np.uint8]) -> Float32Array:
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


MIN_NUMBERS = 256
"""Numbers a constant must have to be stored in half precision: smaller ones cost nothing."""


def store_half(source: Path, target: Path, least: int = MIN_NUMBERS) -> None:
    """Writes the network with float32 constants of at least so many numbers as float16, cast up before use.

    Names of nodes and the exporter's notes are left out.
    """
    model = onnx.load(str(source))
    graph = model.graph
    stored, casts = [], []
    for constant in graph.initializer:
        values = np.asarray(numpy_helper.to_array(constant))
        if values.dtype != np.float32 or values.size < least:
            stored.append(constant)
            continue
        name = f"{constant.name}_half"
        stored.append(numpy_helper.from_array(values.astype(np.float16), name))
        casts.append(helper.make_node("Cast", [name], [constant.name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(stored)
    del graph.value_info[:]
    for part in (model, graph, *graph.node, *graph.input, *graph.output):
        del part.metadata_props[:]
    for node in graph.node:
        node.ClearField("name")
    onnx.checker.check_model(model)
    onnx.save(model, str(target))


log = logging.getLogger(__name__)

BATCH = 32


class _Batches(CalibrationDataReader):  # type: ignore[misc]
    """Hands out patches in batches, to find the range of every activation."""

    def __init__(self, patches: NDArray[np.uint8]) -> None:
        self._batches = iter([patches[start : start + BATCH] for start in range(0, len(patches), BATCH)])

    def get_next(self) -> dict[str, Any] | None:
        """The next batch by input name; None after the last."""
        batch = next(self._batches, None)
        return None if batch is None else {"patches": np.ascontiguousarray(batch)}


def quantise(source: Path, target: Path, patches: NDArray[np.uint8]) -> None:
    """Writes the network with eight-bit weights and activations, the latter's ranges taken from the patches.

    Weights that would overflow together leave a bit unused (`narrowed`).
    """
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        quantize_static(
            str(prepared),
            str(target),
            _Batches(patches),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            weight_type=QuantType.QInt8,
            activation_type=QuantType.QUInt8,
            op_types_to_quantize=["Conv", "Add", "MaxPool"],
            calibrate_method=CalibrationMethod.MinMax,
        )
        narrow(target, prepared)
    fuse(target)
    log.info("%s: %d bytes, from %d", target.name, target.stat().st_size, source.stat().st_size)
