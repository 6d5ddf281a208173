"""The network that proposes where a board's field lies: maps of its inside, of its corners and of its outline.

A convolutional network that halves the picture five times and comes back to a quarter of its size. Half of the way down
it is told which game is asked for.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

STEM, WIDTHS = 16, (24, 48, 80, 112)
"""Channels at half of the picture's size, and at a quarter, an eighth, ..."""
BLOCKS = (1, 2, 2, 2)
UP = 32
"""Channels on the way back."""
MAPS = ("inside", "corners", "outline")
STRIDE = 4


class Block(nn.Module):
    def __init__(self, channels: int, dilation: int = 1) -> None:
        super().__init__()
        self.one = _conv(channels, channels, dilation=dilation)
        self.two = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(x + self.two(self.one(x)))


class ProposalNet(nn.Module):
    """BGR levels 0 to 255, (n, 3, h, w), and the game, (n, games) one-hot or 0, to logits (n, 3, h / 4, w / 4)."""

    def __init__(self, games: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, STEM, stride=2), _conv(STEM, WIDTHS[0], stride=2))
        stages = []
        for index, width in enumerate(WIDTHS):
            before = WIDTHS[max(index - 1, 0)]
            down = [_conv(before, width, stride=2)] if index else []
            dilation = 2 if index == len(WIDTHS) - 1 else 1
            stages.append(nn.Sequential(*down, *(Block(width, dilation) for _ in range(BLOCKS[index]))))
        self.stages = nn.ModuleList(stages)
        self.told = nn.Linear(games, WIDTHS[-1])
        self.told_late = nn.Linear(games, UP)
        self.whole = nn.Linear(WIDTHS[-1], WIDTHS[-1])
        self.sides = nn.ModuleList(nn.Conv2d(width, UP, 1) for width in WIDTHS)
        self.merged = nn.ModuleList(_conv(UP, UP) for _ in WIDTHS[:-1])
        out = nn.Conv2d(UP, len(MAPS), 1)
        # Most of a picture is no corner: training begins there.
        nn.init.constant_(out.bias, -2.0)  # type: ignore[arg-type]
        self.last = nn.Sequential(_conv(UP, UP), out)

    def forward(self, picture: torch.Tensor, game: torch.Tensor) -> torch.Tensor:
        x = self.stem((picture - 118.0) / 60.0)
        sizes = []
        for stage in self.stages:
            x = stage(x)
            sizes.append(x)
        deep = x + (self.told(game) + self.whole(x.mean(dim=(2, 3))))[:, :, None, None]
        up = self.sides[-1](functional.relu(deep)) + self.told_late(game)[:, :, None, None]
        for index in range(len(WIDTHS) - 2, -1, -1):
            up = functional.interpolate(up, scale_factor=2.0, mode="bilinear", align_corners=False)
            up = self.merged[index](up + self.sides[index](sizes[index]))
        maps: torch.Tensor = self.last(up)
        return maps


def _conv(before: int, after: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(before, after, 3, stride, padding=dilation, dilation=dilation, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(after), nn.ReLU(inplace=True))
