"""Stands in for torchvision's published weights: a ResNet-18 of random weights, laid where the real file would be."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest


def lay_weights_of_chance(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, which is vouched for from now on as the published one is."""
    import torch

    from models.train import published
    from models.train.torchvision_import import import_torchvision

    monkeypatch.setenv("TORCH_HOME", str(home))
    path = published.published_path()
    path.parent.mkdir(parents=True)
    torch.manual_seed(3)
    torch.save(import_torchvision().models.resnet18(weights=None).state_dict(), path)
    monkeypatch.setattr(published, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path
