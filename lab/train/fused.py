"""Rewrites a network in eight bits so that ONNX Runtime does the same sums in two thirds of the time.

`onnxruntime.quantization` leaves a network slower and rougher than necessary:

- It rounds before every rectifier as well as after it. The first rounding spends half of its 256 steps on values that
  the rectifier then throws away, and makes two passes over memory. Here only the second is kept, which clips by itself.
- Pooling stands between rectifier and rounding, in full precision. The greatest of rounded values is the rounded
  greatest: here pooling comes after.
- The picture is scaled in full precision and rounded back to the bytes it was. Here the bytes are used directly.
- A convolution to maps of two by two places multiplies mostly with the border, one picture at a time, so that every
  picture brings all weights through the cache again. Here it is one matrix product for the whole batch. ONNX Runtime
  computes the matrices from the shipped weights when it loads the network, so that the file does not grow.
- Weights whose zero point is 0 are multiplied by a separate routine that uses the processor's vectors. With any other
  zero point they are multiplied as matrices, which is quicker on a processor with matrix tiles (AMX).

All but the first change no weight and no rounding: the same whole numbers are added, provided none of their sums is
clipped (`quantise.narrow`). Different routines may still round a result differently.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper, shape_inference

log = logging.getLogger(__name__)

MAX_WEIGHTS = 4
"""Largest size of a matrix, as a multiple of its convolution's weights.

ResNet-18's last convolutions, to two by two places, are within it. Those of three by three places (nine times) would
make large boards a tenth faster still, but take 50 MB more, and nearly twice the time for a single cell.
"""


def fuse(path: Path) -> None:
    """Rewrites the network file that `quantise` has made."""
    network = Graph(onnx.load(str(path)))
    before = len(network.graph.node)
    round_after_rectifiers(network)
    pool_after_rounding(network)
    take_bytes(network)
    multiply_small_maps(network)
    move_zero(network)
    network.save(path)
    log.info("%s: %d nodes, from %d", path.name, len(network.graph.node), before)


def round_after_rectifiers(network: Graph) -> None:
    for rectifier in network.of_kind("Relu"):
        widened = network.maker(rectifier.input[0])
        rounded = None if widened is None else network.maker(widened.input[0])
        if widened is None or rounded is None or widened.op_type != "DequantizeLinear":
            continue
        if network.only_taker(widened.output[0], "Relu") is not None:
            rectifier.input[0] = rounded.input[0]
            network.drop([widened] if len(network.takers(rounded.output[0])) > 1 else [widened, rounded])


def pool_after_rounding(network: Graph) -> None:
    for pooling in network.of_kind("MaxPool"):
        rounding = network.only_taker(pooling.output[0], "QuantizeLinear")
        before = network.maker(pooling.input[0])
        if rounding is None or before is None or before.op_type == "DequantizeLinear":
            continue
        steps = list(rounding.input[1:])
        name = pooling.input[0]
        rounded = network.add("QuantizeLinear", [name, *steps], f"{name}_rounded")
        pooling.input[0] = network.add("DequantizeLinear", [rounded, *steps], f"{name}_widened")


def take_bytes(network: Graph) -> None:
    """Feeds the picture's bytes to the first convolution if scaling and rounding would reproduce them unchanged."""
    cast = next((node for node in network.takers("patches") if node.op_type == "Cast"), None)
    turned = None if cast is None else network.only_taker(cast.output[0], "Transpose")
    scaled = None if turned is None else network.only_taker(turned.output[0], "Mul")
    moved = None if scaled is None else network.only_taker(scaled.output[0], "Sub")
    rounding = None if moved is None else network.only_taker(moved.output[0], "QuantizeLinear")
    widening = None if rounding is None else network.only_taker(rounding.output[0], "DequantizeLinear")
    if turned is None or scaled is None or moved is None or rounding is None or widening is None:
        return
    gain, offset = network.constant(scaled.input[1]), network.constant(moved.input[1])
    step, zero = network.constant(rounding.input[1]), network.constant(rounding.input[2])
    grey = np.arange(256, dtype=np.float32)
    if np.array_equal(np.rint((grey * gain - offset) / step) + zero, grey):
        turned.input[0], widening.input[0] = "patches", turned.output[0]
        network.drop([scaled, moved, rounding])


def multiply_small_maps(network: Graph) -> None:
    """Turns convolutions into matrix products if their maps are so small that the matrix stays within MAX_WEIGHTS."""
    for convolution in network.of_kind("Conv"):
        rows, columns = (network.map_of(name) for name in (convolution.input[0], convolution.output[0]))
        places, results = rows[0] * rows[1], columns[0] * columns[1]
        taps = int(np.prod(_attribute(convolution, "kernel_shape")))
        few = 0 < places * results <= MAX_WEIGHTS * taps and places <= taps
        if few and _attribute(convolution, "group", 1) == 1:
            _multiply(network, convolution, rows, columns)


def move_zero(network: Graph) -> None:
    """Takes 1 from the weights of convolutions and from their zero points; rounding to -127 to 127 left room for it."""
    for convolution in network.of_kind("Conv"):
        widened = network.maker(convolution.input[1])
        if widened is None or widened.op_type != "DequantizeLinear" or len(network.takers(widened.input[0])) > 1:
            continue
        weights, zeros = (network.constant(widened.input[place]) for place in (0, 2))
        if weights.dtype == np.int8 and weights.min() >= -127 and not zeros.any():
            network.change(widened.input[0], weights - np.int8(1))
            network.change(widened.input[2], zeros - np.int8(1))


def _multiply(network: Graph, convolution: Node, source: tuple[int, int], target: tuple[int, int]) -> None:
    """Rewrites one convolution as a matrix product, between rounded maps laid out as rows."""
    after = network.takers(convolution.output[0])
    last = after[0] if len(after) == 1 else convolution
    rounding = network.only_taker(last.output[0], "QuantizeLinear") if last.op_type == "Relu" else last
    before, widened = (network.maker(convolution.input[place]) for place in (0, 1))
    bias = network.maker(convolution.input[2])
    if rounding is None or rounding.op_type != "QuantizeLinear" or before is None or widened is None or bias is None:
        return
    if before.op_type != "DequantizeLinear":
        return
    name = convolution.output[0]
    places, results = source[0] * source[1], target[0] * target[1]
    weights = network.constant(widened.input[0])
    makes, takes = weights.shape[:2]
    flat = network.store(f"{name}_row", np.array([-1, takes * places], dtype=np.int64))
    row = network.add("Reshape", [before.input[0], flat], f"{name}_taken")
    inputs = [
        network.add("DequantizeLinear", [row, *before.input[1:]], f"{name}_taken_widened"),
        _matrix(network, name, widened, _taps(convolution, source, target)),
        _repeated(network, f"{name}_bias", bias, [*bias.input], results, axis=0),
    ]
    made = network.add("Gemm", inputs, f"{name}_product")
    if last.op_type == "Relu":
        made = network.add("Relu", [made], f"{name}_rectified")
    made = network.add("QuantizeLinear", [made, *rounding.input[1:]], f"{name}_rounded")
    square = network.store(f"{name}_maps", np.array([-1, makes, *target], dtype=np.int64))
    gone = [convolution, rounding] + ([last] if last.op_type == "Relu" else [])
    result = rounding.output[0]
    network.drop(gone)
    network.add("Reshape", [made, square], result)


def _matrix(network: Graph, name: str, widened: Node, taps: NDArray[np.int64]) -> str:
    """The weights as a matrix, (maps taken times places, maps made times places); ONNX Runtime computes it once."""
    makes, takes, *kernel = network.constant(widened.input[0]).shape
    size = int(np.prod(kernel))
    places, results = taps.shape
    listed = network.store(f"{name}_listed", np.array([makes, takes, size], dtype=np.int64))
    each = network.add("Reshape", [widened.input[0], listed], f"{name}_each")
    if taps.max() == size:  # some places are too far apart for the kernel
        none = network.store(f"{name}_none", np.zeros((makes, takes, 1), dtype=np.int8))
        each = network.add("Concat", [each, none], f"{name}_padded", axis=2)
    chosen = network.add("Gather", [each, network.store(f"{name}_taps", taps)], f"{name}_chosen", axis=2)
    turned = network.add("Transpose", [chosen], f"{name}_turned", perm=[1, 2, 0, 3])
    shape = network.store(f"{name}_matrix", np.array([takes * places, makes * results], dtype=np.int64))
    matrix = network.add("Reshape", [turned, shape], f"{name}_weights")
    return _repeated(network, f"{name}_weights", widened, [matrix, *widened.input[1:]], results, axis=1)


def _repeated(network: Graph, name: str, widening: Node, takes: list[str], times: int, axis: int) -> str:
    """A node that widens like `widening`, with its scales repeated for `times` places of each map."""
    inputs = []
    for place, taken in enumerate(takes):
        stored = network.constant(taken) if place or axis == 0 else None
        if stored is not None and stored.ndim:
            taken = network.store(f"{name}_{place}", np.repeat(stored, times))
        inputs.append(taken)
    return network.add("DequantizeLinear", inputs, f"{name}_widened", axis=axis)


def _taps(convolution: Node, source: tuple[int, int], target: tuple[int, int]) -> NDArray[np.int64]:
    """(places taken, places made) index of the kernel's tap between both; one past the last if there is none."""
    height, width = _attribute(convolution, "kernel_shape")
    down, right = _attribute(convolution, "strides", (1, 1))
    top, left = _attribute(convolution, "pads", (0, 0, 0, 0))[:2]
    taps = np.full((*source, *target), height * width, dtype=np.int64)
    for y, x, v, u in itertools.product(*map(range, (*source, *target))):
        row, column = y - down * v + top, x - right * u + left
        if 0 <= row < height and 0 <= column < width:
            taps[y, x, v, u] = row * width + column
    return taps.reshape(source[0] * source[1], target[0] * target[1])


def _attribute(node: Node, name: str, default: Any = None) -> Any:
    found = [helper.get_attribute_value(one) for one in node.attribute if one.name == name]
    return found[0] if found else default


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
