"""Console helpers shared by the training commands."""

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
    """Wraps imports that only training needs: if a package is absent, says who installs it and exits with 2."""
    try:
        yield
    except ModuleNotFoundError as error:
        sys.stderr.write(f"kibitzer train: {error.name} is not installed; {places.installs('train', 'train')}\n")
        raise typer.Exit(2) from None


def say_progress() -> None:
    """Sends progress to standard error and silences the exporters' own messages."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("onnxscript").setLevel(logging.WARNING)
    logging.getLogger("onnx_ir").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=r"`isinstance\(treespec, LeafSpec\)`", category=FutureWarning)
    warnings.filterwarnings("ignore", message="# The axis name", category=UserWarning)
