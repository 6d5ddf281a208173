"""A stand-in for torchvision's published weights: a ResNet-18 with random weights in the place of the real file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest


def lay_weights_of_chance(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes the file, and makes its checksum the expected one; returns its path."""
    import torch

    from lab.train import published
    from lab.train.resnet import ResNet18

    monkeypatch.setenv("TORCH_HOME", str(home))
    path = published.published_path()
    path.parent.mkdir(parents=True)
    torch.manual_seed(3)
    torch.save(ResNet18().state_dict(), path)
    monkeypatch.setattr(published, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path
