"""A stand-in for torchvision's published weights: a small network with random weights in the place of the real file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest


def lay_weights_of_chance(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes the file, and makes its checksum the expected one; returns its path."""
    import torch
    from torch import nn

    from lab.train import imagenet

    class Small(nn.Module):
        """As ResNet-18 from outside: `conv1` first, `fc` last."""

        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(3, 24, 7, 4, padding=3, bias=False)
            self.conv2 = nn.Conv2d(24, 32, 3, 2, padding=1)
            self.fc: nn.Module = nn.Linear(32, 10)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
            made: torch.Tensor = self.fc(x.mean(dim=(2, 3)))
            return made

    monkeypatch.setenv("TORCH_HOME", str(home))
    path = imagenet.published_path()
    path.parent.mkdir(parents=True)
    torch.manual_seed(3)
    torch.save(Small().state_dict(), path)
    models = SimpleNamespace(resnet18=lambda weights: Small())
    monkeypatch.setattr(imagenet, "import_torchvision", lambda: SimpleNamespace(models=models))
    monkeypatch.setattr(imagenet, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path
