"""Recipes that made the weights; nothing outside `lab/` imports them, and only they need torch."""

import vision  # noqa: F401  # keeps ONNX Runtime from reporting to its maker
