"""The network that proposes where a board's field lies: maps of its inside, of its corners and of its outline.

A convolutional network that halves the picture five times and comes back to a quarter of its size. Half of the way down
it is told which game is asked for.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.boards_tables import Tables, draw_tables
from lab.train.boards_views import draw_noises, draw_view
from lab.train.quantise import store_half
from lab.train.resnet import Residual, convolution
from lab.train.textures import Textures
from system.weights import write_entry
from vision.finding.proposals import GAMES, BoardNetwork

STEM, WIDTHS = 16, (24, 48, 80, 112)
"""Channels at half of the picture's size, and at a quarter, an eighth, ..."""
BLOCKS = (1, 2, 2, 2)
UP = 32
"""Channels on the way back."""
MAPS = ("inside", "corners", "outline")
STRIDE = 4


class ProposalNet(nn.Module):
    """BGR levels 0 to 255, (n, 3, h, w), and the game, (n, games) one-hot or 0, to logits (n, 3, h / 4, w / 4)."""

    def __init__(self, games: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolution(3, STEM, stride=2), convolution(STEM, WIDTHS[0], stride=2))
        stages = []
        for index, width in enumerate(WIDTHS):
            before = WIDTHS[max(index - 1, 0)]
            down = [convolution(before, width, stride=2)] if index else []
            dilation = 2 if index == len(WIDTHS) - 1 else 1
            stages.append(nn.Sequential(*down, *(Residual(width, dilation) for _ in range(BLOCKS[index]))))
        self.stages = nn.ModuleList(stages)
        self.told = nn.Linear(games, WIDTHS[-1])
        self.told_late = nn.Linear(games, UP)
        self.whole = nn.Linear(WIDTHS[-1], WIDTHS[-1])
        self.sides = nn.ModuleList(nn.Conv2d(width, UP, 1) for width in WIDTHS)
        self.merged = nn.ModuleList(convolution(UP, UP) for _ in WIDTHS[:-1])
        out = nn.Conv2d(UP, len(MAPS), 1)
        # Most of a picture is no corner: training begins there.
        nn.init.constant_(out.bias, -2.0)  # type: ignore[arg-type]
        self.last = nn.Sequential(convolution(UP, UP), out)

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


log = logging.getLogger(__name__)

LICENCE = "MIT"
DATA = "drawn tables (lab/train/boards_tables.py); no photographs"
HELD_OUT_SEED = 1_000_000
HELD_OUT = 200
PROPOSED = 0.06
"""Distance of the worst corner, as a share of the side, from which a fit begins."""
BATCH = 16
RATE, FURTHER_RATE = 3e-3, 1e-3
"""Learning rates at first; they fall to nothing."""
SHAPES_PX = ((384, 288), (384, 288), (288, 384), (320, 320))
"""Widths and heights of the pictures of a batch."""
UNTOLD = 0.15
"""Share of the samples in which the game is not told."""
WEIGHTS = {"inside": 1.0, "corners": 1.0, "outline": 0.5}
EVERY = 100
KEPT = 0.995
"""Share of the average weights that each step keeps."""


def make_boards(out: Path, work: Path, *, tables: int, steps: int, seed: int, further: bool, command: str) -> None:
    """Writes board_proposals.onnx and its manifest entry into `out`; the weights to go on from are kept in `work`."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    pool = draw_tables(work / "boards", tables, seed)
    weights = work / "board_proposals.pt"
    train(pool, weights, steps=steps, seed=seed, further=further)
    export(weights, out / "board_proposals.onnx")
    held_out = draw_tables(work / "boards", HELD_OUT, HELD_OUT_SEED + seed)
    share = proposed(held_out, BoardNetwork(out / "board_proposals.onnx"))
    facts: dict[str, str | float] = {"data": DATA, "licence": LICENCE, "command": command}
    write_entry(out, "board_proposals", "board_proposals.onnx", facts | {"held_out_accuracy": round(share, 4)})
    log.info("%.1f %% of %d held-out boards are proposed first", 100 * share, len(held_out))


def train(tables: Tables, weights: Path, *, steps: int, seed: int, further: bool) -> None:
    """Trains for a number of steps, and writes `weights`, which it starts from with `further`."""
    torch.manual_seed(seed)
    rng, stock_rng = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    stock = Textures(stock_rng), draw_noises(stock_rng)
    net = ProposalNet(len(GAMES)).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if further:
        net.load_state_dict(torch.load(weights))
    first = FURTHER_RATE if further else RATE
    optimiser = torch.optim.AdamW(net.parameters(), lr=first, weight_decay=0.02)
    started_s, sums = time.monotonic(), dict.fromkeys(WEIGHTS, 0.0)
    average = {name: value.detach().clone() for name, value in net.state_dict().items()}
    for step in range(1, steps + 1):
        for group in optimiser.param_groups:
            group["lr"] = max(first * min(1.0, step / 200) * 0.5 * (1 + np.cos(np.pi * step / steps)), 1e-6)
        pictures, games, maps = _batch(tables, stock, rng)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = net(pictures, games)
        parts = losses(logits.float(), maps)
        optimiser.zero_grad()
        torch.stack([WEIGHTS[name] * part for name, part in parts.items()]).sum().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        keep = min(KEPT, step / (step + 20))
        for name, value in net.state_dict().items():
            average[name] = value.clone() if value.dtype != torch.float32 else average[name].lerp(value, 1 - keep)
        sums = {name: total + parts[name].item() / EVERY for name, total in sums.items()}
        if step % EVERY == 0 or step == steps:
            told = "  ".join(f"{name} {value:.4f}" for name, value in sums.items())
            log.info("step %d of %d, %.1f minutes: %s", step, steps, (time.monotonic() - started_s) / 60, told)
            sums = dict.fromkeys(WEIGHTS, 0.0)
            torch.save(average, weights)


def _batch(
    tables: Tables, stock: tuple[Textures, Float32Array], rng: Rng
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    size_px = SHAPES_PX[int(rng.integers(len(SHAPES_PX)))]
    pictures, maps, games = [], [], np.zeros((BATCH, len(GAMES)), dtype=np.float32)
    for row in range(BATCH):
        image, corners, game = tables.read(int(rng.integers(len(tables))))
        seen, wanted = draw_view(image, corners, size_px, stock, rng)
        pictures.append(seen)
        maps.append(wanted)
        if rng.random() >= UNTOLD:
            games[row, GAMES.index(game)] = 1
    batch = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float()
    told = torch.from_numpy(games)
    return batch.contiguous(memory_format=torch.channels_last), told, torch.from_numpy(np.stack(maps))


def losses(logits: torch.Tensor, maps: torch.Tensor) -> dict[str, torch.Tensor]:
    """The losses by map; that of the corners is the focal loss of Law and Deng (CornerNet, 2018)."""
    inside = functional.binary_cross_entropy_with_logits(logits[:, 0], maps[:, 0])
    weight = 1 + 4 * maps[:, 2]
    outline = functional.binary_cross_entropy_with_logits(logits[:, 2], maps[:, 2], weight)
    seen, truth = torch.sigmoid(logits[:, 1]).clamp(1e-5, 1 - 1e-5), maps[:, 1]
    hit = truth > 0.85
    near = torch.where(hit, (1 - seen) ** 2 * torch.log(seen), (1 - truth) ** 4 * seen**2 * torch.log(1 - seen))
    corners = -near.sum() / hit.sum().clamp(min=1)
    return {"inside": inside, "corners": corners, "outline": outline}


class _Bytes(nn.Module):
    """The network for pictures as they are: (n, h, w, 3) bytes."""

    def __init__(self, net: ProposalNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, picture: torch.Tensor, game: torch.Tensor) -> torch.Tensor:
        maps: torch.Tensor = self.net(picture.permute(0, 3, 1, 2).float(), game)
        return maps


def export(source: Path, target: Path) -> None:
    """Writes the trained weights as ONNX, from bytes to logits, for any picture size in multiples of 32 pixels."""
    net = ProposalNet(len(GAMES))
    net.load_state_dict(torch.load(source))
    picture, game = torch.zeros((1, 288, 384, 3), dtype=torch.uint8), torch.zeros((1, len(GAMES)))
    torch.onnx.export(
        _Bytes(net.eval()),
        (picture, game),
        str(target),
        input_names=["picture", "game"],
        output_names=["maps"],
        dynamic_axes={"picture": {1: "height", 2: "width"}, "maps": {2: "map_height", 3: "map_width"}},
        dynamo=False,
    )
    store_half(target, target)


def proposed(tables: Tables, network: BoardNetwork) -> float:
    hits = 0
    for number in range(len(tables)):
        image, corners, game = tables.read(number)
        hits += any(_apart(one.corners_px, corners) < PROPOSED for one in network.propose(image, game)[:1])
    return hits / len(tables)


def _apart(corners_px: FloatArray, truth_px: FloatArray) -> float:
    """Distance of the worst corner as a share of the side, whichever is called the first."""
    side_px = float(np.linalg.norm(truth_px - np.roll(truth_px, 1, axis=0), axis=1).mean())
    turns = (np.roll(corners_px, turn, axis=0) for turn in range(4))
    return min(float(np.linalg.norm(corners - truth_px, axis=1).max()) for corners in turns) / side_px
