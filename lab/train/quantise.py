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
from lab.train.fused import Graph, fuse
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

    Weights that would overflow together leave a bit unused (`narrow`).
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


PAIR = np.iinfo(np.int16).max // np.iinfo(np.uint8).max - 2
"""Greatest sum of two weights of one sign: two less than fits, since `fused.move_zero` takes 1 from each."""


def narrow(path: Path, full: Path) -> None:
    """Rounds weights again where products of two would overflow 16 bits, from the like-named ones of `full`.

    A processor with AVX2 but without VNNI multiplies bytes by weights and adds the products in pairs, in 16 bits
    (`vpmaddubsw`). Sums that do not fit are clipped, and the network then describes the same cell differently than on
    other processors. Which weights are paired depends on the routine, so no two weights of an output channel with the
    same sign may be too great together. If the two greatest are alike, that leaves seven bits; a single great one costs
    the others nothing.
    """
    network, exact = Graph(onnx.load(str(path))), constants(full)
    for convolution in network.of_kind("Conv"):
        widened, *bias = [made for made in map(network.maker, convolution.input[1:]) if made is not None]
        name = widened.input[0]
        stored, steps = (network.constant(one) for one in widened.input[:2])
        weights = stored.astype(np.int64).reshape(len(stored), -1)
        full_weights = exact[name.removesuffix("_quantized")].reshape(weights.shape)
        before = steps.astype(np.float64)
        over = greatest_pairs(weights) > PAIR
        # One less: two weights that end in a half may both be rounded up.
        after = np.where(over, greatest_pairs(full_weights) / (PAIR - 1), before)
        wider = after / before
        rounded = np.where(over[:, None], np.rint(full_weights / after[:, None]), weights)
        network.change(name, rounded.reshape(stored.shape).astype(stored.dtype))
        network.change(widened.input[1], (steps * wider).astype(steps.dtype))
        for one in bias:
            numbers, its_steps = (network.constant(name) for name in one.input[:2])
            network.change(one.input[0], np.rint(numbers / wider).astype(numbers.dtype))
            network.change(one.input[1], (its_steps * wider).astype(its_steps.dtype))
    network.save(path)


def constants(path: Path) -> dict[str, NDArray[Any]]:
    return {stored.name: np.asarray(numpy_helper.to_array(stored)) for stored in onnx.load(str(path)).graph.initializer}


def greatest_pairs(rows: NDArray[Any]) -> NDArray[Any]:
    """(channels,) for weights (channels, n): the greatest absolute sum of two weights of the same sign."""
    ordered = np.sort(rows, axis=1)
    return np.asarray(np.maximum(ordered[:, -2:].sum(axis=1), -ordered[:, :2].sum(axis=1)))
