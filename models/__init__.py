"""What was learnt: weights, the manifest that vouches for them, and the recipes that made them (`train/`)."""

import vision  # noqa: F401  # which keeps ONNX Runtime from reporting to its maker: the recipes import it too
