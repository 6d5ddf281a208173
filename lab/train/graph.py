"""An ONNX graph that is being rewritten."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper, shape_inference

Node = Any
"""onnx.NodeProto; the package has no types of its own."""


class Graph:
    """An ONNX graph that is being rewritten, with look-up of nodes by their inputs and outputs."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.graph = model.graph
        shaped = shape_inference.infer_shapes(model).graph
        self._shapes = {
            value.name: tuple(size.dim_value for size in value.type.tensor_type.shape.dim)
            for value in (*shaped.value_info, *shaped.input, *shaped.output)
        }

    def maker(self, name: str) -> Node | None:
        """The node that produces a value; None for inputs and constants."""
        return next((node for node in self.graph.node if name in node.output), None)

    def takers(self, name: str) -> list[Node]:
        return [node for node in self.graph.node if name in node.input]

    def only_taker(self, name: str, kind: str) -> Node | None:
        """The one node that consumes a value, if it is of that kind; else None."""
        takers = self.takers(name)
        return takers[0] if len(takers) == 1 and takers[0].op_type == kind else None

    def of_kind(self, kind: str) -> list[Node]:
        return [node for node in self.graph.node if node.op_type == kind]

    def map_of(self, name: str) -> tuple[int, int]:
        """Height and width of a value's maps; zeros if unknown."""
        shape = self._shapes.get(name, ())
        return (int(shape[2]), int(shape[3])) if len(shape) == 4 else (0, 0)

    def constant(self, name: str) -> NDArray[Any]:
        """A stored array. Raises ValueError if there is none of that name."""
        for stored in self.graph.initializer:
            if stored.name == name:
                return np.asarray(numpy_helper.to_array(stored))
        raise ValueError(f"{name} is not stored in the network")

    def store(self, name: str, array: NDArray[Any]) -> str:
        if not any(stored.name == name for stored in self.graph.initializer):
            self.graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def change(self, name: str, array: NDArray[Any]) -> None:
        next(stored for stored in self.graph.initializer if stored.name == name).CopyFrom(
            numpy_helper.from_array(array, name)
        )

    def add(self, kind: str, takes: list[str], makes: str, **attributes: Any) -> str:
        self.graph.node.append(helper.make_node(kind, takes, [makes], **attributes))
        return makes

    def drop(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.graph.node.remove(node)

    def save(self, path: Path) -> None:
        """Writes the graph with its nodes in order and without unused parts."""
        self._prune()
        self._sort()
        del self.graph.value_info[:]
        onnx.checker.check_model(self._model)
        onnx.save(self._model, str(path))

    def _prune(self) -> None:
        results = {value.name for value in self.graph.output}
        while idle := [node for node in self.graph.node if not self._needed(node, results)]:
            self.drop(idle)
        taken = {name for node in self.graph.node for name in node.input}
        for stored in [one for one in self.graph.initializer if one.name not in taken]:
            self.graph.initializer.remove(stored)

    def _needed(self, node: Node, results: set[str]) -> bool:
        return any(name in results or self.takers(name) for name in node.output)

    def _sort(self) -> None:
        known = {""} | {one.name for one in (*self.graph.initializer, *self.graph.input)}
        waiting, ordered = list(self.graph.node), []
        while waiting:
            ready = [node for node in waiting if known.issuperset(node.input)]
            if not ready:
                raise ValueError(f"nothing makes the inputs of {waiting[0].name}")
            known |= {name for node in ready for name in node.output}
            ordered += ready
            waiting = [node for node in waiting if node not in ready]
        del self.graph.node[:]
        self.graph.node.extend(ordered)
