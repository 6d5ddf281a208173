"""Stores ONNX weights in half precision but computes in full: half the size, nearly no loss."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

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
