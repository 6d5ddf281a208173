"""Who answers "what would you play?": messages, worker process, search, arena."""

import os

# ONNX Runtime's wheels report to their maker unless told otherwise before it is imported. Nothing here calls home.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
