"""What the training commands share on the console."""

from __future__ import annotations

import contextlib
import logging
import sys
import warnings
from collections.abc import Iterator

import typer

import places


@contextlib.contextmanager
def training_packages() -> Iterator[None]:
    """Around imports of what only training needs: where a package is absent, says who installs it and stops with 2."""
    try:
        yield
    except ModuleNotFoundError as error:
        sys.stderr.write(f"kibitzer train: {error.name} is not installed; {places.installs('train', 'train')}\n")
        raise typer.Exit(2) from None


def say_progress() -> None:
    """Progress goes to standard error; what the exporters tell of themselves does not."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("onnxscript").setLevel(logging.WARNING)
    logging.getLogger("onnx_ir").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=r"`isinstance\(treespec, LeafSpec\)`", category=FutureWarning)
    warnings.filterwarnings("ignore", message="# The axis name", category=UserWarning)
