"""From a picture to a board reading: cameras, finding and following the board, its cells, settling, calibrating."""

import os

# ONNX Runtime's wheels report to their maker unless told otherwise before it is imported. Nothing here calls home.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
