"""Blocks of convolutional networks (He et al., "Deep residual learning for image recognition", 2016)."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

MEAN, DEVIATION = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]], dtype=np.float32)
"""Mean and deviation of the pictures that torchvision's networks were trained on: red, green, blue, 0 to 1."""


def convolution(before: int, after: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(before, after, 3, stride, padding=dilation, dilation=dilation, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(after), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, channels: int, dilation: int = 1) -> None:
        super().__init__()
        self.one = convolution(channels, channels, dilation=dilation)
        self.two = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.two(self.one(x)))
