"""Blocks of convolutional networks, and ResNet-18 (He et al., "Deep residual learning for image recognition", 2016)."""

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


class BasicBlock(nn.Module):
    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        downsample = None
        if stride != 1:
            downsample = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
        self.conv1 = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample = downsample

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        changed = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(changed + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    """RGB pictures (n, 3, h, w) to 1000 numbers.

    Weights have the names, and at random the values, that they have in torchvision, so that its published ones fit.
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        self.layer1 = nn.Sequential(BasicBlock(64, 64, 1), BasicBlock(64, 64, 1))
        self.layer2 = nn.Sequential(BasicBlock(64, 128, 2), BasicBlock(128, 128, 1))
        self.layer3 = nn.Sequential(BasicBlock(128, 256, 2), BasicBlock(256, 256, 1))
        self.layer4 = nn.Sequential(BasicBlock(256, 512, 2), BasicBlock(512, 512, 1))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc: nn.Module = nn.Linear(512, 1000)
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        made: torch.Tensor = self.fc(torch.flatten(self.avgpool(x), 1))
        return made
