"""Learnt files: weights, the manifest with their checksums, and the recipes that made them (`train/`)."""

import vision  # noqa: F401  # keeps ONNX Runtime from reporting to its maker: the recipes import it too
