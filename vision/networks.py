"""Opens networks on one core."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from system.weights import WeightsError

if TYPE_CHECKING:
    import onnxruntime


def open_network(path: Path) -> onnxruntime.InferenceSession:
    """The network of an ONNX file. Raises WeightsError."""
    import onnxruntime  # imported here because much needs no network

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Workers compete for the cores: a thread that spins while waiting would occupy one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise WeightsError(f"{path}: ONNX Runtime cannot load it: {error}") from error
