"""Computes an eight-bit network in full precision, to measure the cost of its rounding.

A separate program, so that measuring need not load onnx:

    python -m lab.train.widened NETWORK.onnx WIDENED.onnx

The weights stay as they were rounded, since only those are shipped; the sums between them are no longer rounded.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

MOVING = ("Reshape", "Transpose")
"""Nodes that change no value: if their input is not rounded, neither is their output."""


def widen(source: Path, target: Path) -> None:
    """Writes the same network without rounding, its weights as float32."""
    model = onnx.load(str(source))
    graph = model.graph
    constants = {stored.name: np.asarray(numpy_helper.to_array(stored)) for stored in graph.initializer}
    names: dict[str, str] = {}
    exact: set[str] = set()
    kept = []
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = names.get(name, name)
        if all(name in constants for name in node.input):
            constants |= _computed(node, constants)
        elif node.op_type == "QuantizeLinear":
            names[node.output[0]] = node.input[0]
            exact.add(node.input[0])
        elif node.op_type == "DequantizeLinear" and node.input[0] in exact:
            names[node.output[0]] = node.input[0]
        else:
            if node.op_type in MOVING and node.input[0] in exact:
                exact.add(node.output[0])
            kept.append(node)
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(kept)
    taken = {name for node in kept for name in node.input}
    graph.initializer.extend(numpy_helper.from_array(constants[name], name) for name in sorted(taken & set(constants)))
    onnx.checker.check_model(model)
    onnx.save(model, str(target))


def _computed(node: Any, constants: dict[str, Any]) -> dict[str, Any]:
    given = {name: constants[name] for name in node.input}
    made = ReferenceEvaluator(node).run(None, given)
    return {name: np.asarray(value) for name, value in zip(node.output, made, strict=True)}


if __name__ == "__main__":
    widen(Path(sys.argv[1]), Path(sys.argv[2]))
