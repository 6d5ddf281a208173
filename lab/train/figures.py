"""The two networks that tell which piece stands where: path-traced boards, training, export."""

from __future__ import annotations

import dataclasses
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import games
from calibration.arrays import FloatArray
from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate
from lab.simulated.arrays import Rng
from lab.train import training_loop
from lab.train.quantise import store_half
from lab.train.resnet import Residual, convolution
from rules import EMPTY, Figures, figures_of
from system.weights import write_entry
from vision.calibrating.start import turned_cells
from vision.pose import pose_from_corners
from vision.reading.figures import HEIGHT_PX, NETWORKS, WIDTH_PX, StandingCells, cut_standing
from vision.reading.taught import square_colours

log = logging.getLogger(__name__)
LENGTH = 128
"""Length of a cell's description."""
LAYERS, HEADS = 3, 4
UNTOLD = 0.5
"""Share of boards of which nothing is told beforehand."""
MOST_TOLD = 0.7
CORNER_SPREAD = 0.008
"""Standard deviation of the corners, as a share of the board's side: poses are never exact."""


@dataclasses.dataclass(frozen=True, eq=False)
class LabelledBoard:
    jpeg: bytes
    corners_px: FloatArray
    may_be: NDArray[np.bool_]
    """(cells, letters) what stands on each cell: one letter, or all figures of a side where only that is known."""


@dataclasses.dataclass(frozen=True)
class Recipe(training_loop.Recipe):
    epochs: float = 16.0
    batch: int = 8
    peak_rate: float = 2e-3


def figure_letters(template: BoardTemplate) -> str:
    return EMPTY + "".join(template.figures)


def labelled_boards(folder: Path, template: BoardTemplate, only: Sequence[str] = ()) -> list[LabelledBoard]:
    """The boards of a folder with labels.json, of the names or patterns in `only`. Raises LabelError, OSError."""
    return [
        LabelledBoard((folder / label.name).read_bytes(), label.corners_px, may_be(label, template))
        for label in read_labels(folder / "labels.json", template, only)
        if label.corners_px is not None
    ]


def may_be(label: Label, template: BoardTemplate) -> NDArray[np.bool_]:
    """(cells, letters) what may stand on each cell.

    Where the label tells no figures, but its classes are those of the start, whichever way the board lies, the figures
    are too, but for the pairs that people exchange: the board may lie the other way round.
    """
    letters, cells = figure_letters(template), label.cells
    if label.figures:
        return np.array([[letter == one for letter in letters] for one in label.figures])
    game = games.load(template.game)
    start = np.array(list(figures_of(game, game.initial())))
    alike = {letter: pair for pair in Figures.of(game).easily_exchanged for letter in pair}
    for turn in range(4):
        as_seen = turned_cells(template, turn)
        shown = start if as_seen is None else start[np.argsort(as_seen)]
        if template.seen("".join(shown)) == cells:
            return np.array([[letter in alike.get(one, one) for letter in letters] for one in shown])
    return np.array([[template.seen(letter) == cell for letter in letters] for cell in cells])


class CellNetwork(nn.Module):
    """uint8 patches (n, 64, 40, 3) BGR and how high men are seen (n,) to (n, LENGTH) descriptions."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            convolution(3, 24, 2),
            convolution(24, 32),
            convolution(32, 48, 2),
            Residual(48),
            convolution(48, 96, 2),
            Residual(96),
            convolution(96, 128, 2),
            nn.Flatten(),
        )
        self.rise = nn.Linear(3, LENGTH)
        self.last = nn.Linear(128 * 4 * 3, LENGTH)

    def forward(self, patches: torch.Tensor, rise: torch.Tensor) -> torch.Tensor:
        scaled = patches.float().permute(0, 3, 1, 2) * (1 / 64) - 2
        seen = torch.stack([rise, rise * rise, torch.sqrt(torch.clamp(1 - rise * rise, min=0))], 1)
        described: torch.Tensor = torch.relu(self.last(self.trunk(scaled)) + self.rise(seen))
        return described


class BoardNetwork(nn.Module):
    """Descriptions (boards, n, LENGTH), colours of squares (boards, n) as -1 and 1, and what is known to stand there
    (boards, n) as a number of a letter, or the number of letters: to (boards, n, letters) logarithms of odds."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.square = nn.Linear(1, LENGTH)
        self.known = nn.Embedding(letters + 1, LENGTH)
        nn.init.normal_(self.known.weight, std=0.02)
        self.norm = nn.LayerNorm(LENGTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.last = nn.Sequential(nn.LayerNorm(LENGTH), nn.Linear(LENGTH, letters))

    def forward(self, described: torch.Tensor, squares: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        tokens = self.norm(described) + self.square(squares[..., None]) + self.known(known)
        for layer in self.layers:
            tokens = layer(tokens)
        told: torch.Tensor = self.last(tokens)
        return told


class Layer(nn.Module):
    """Every cell is compared with all others (Vaswani et al., "Attention is all you need", 2017)."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(LENGTH), nn.LayerNorm(LENGTH)
        self.asked, self.mixed = nn.Linear(LENGTH, 3 * LENGTH), nn.Linear(LENGTH, LENGTH)
        self.wide = nn.Sequential(nn.Linear(LENGTH, 2 * LENGTH), nn.ReLU(), nn.Linear(2 * LENGTH, LENGTH))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        boards, count = tokens.shape[0], tokens.shape[1]
        parts = self.asked(self.before(tokens)).reshape(boards, count, 3, HEADS, LENGTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        shares = torch.softmax(query @ key.transpose(2, 3) * (LENGTH // HEADS) ** -0.5, dim=3)
        tokens = tokens + self.mixed((shares @ value).transpose(1, 2).reshape(boards, count, LENGTH))
        changed: torch.Tensor = tokens + self.wide(self.after(tokens))
        return changed


class FiguresNetwork(nn.Module):
    def __init__(self, letters: int) -> None:
        super().__init__()
        self.cells, self.board = CellNetwork(), BoardNetwork(letters)

    def forward(
        self, patches: torch.Tensor, rise: torch.Tensor, squares: torch.Tensor, known: torch.Tensor
    ) -> torch.Tensor:
        boards, count = squares.shape
        described = self.cells(patches.flatten(0, 1), rise.flatten()).float().reshape(boards, count, LENGTH)
        told: torch.Tensor = self.board(described, squares, known)
        return told


def varied(board: LabelledBoard, template: BoardTemplate, chance: Rng) -> StandingCells:
    """The cells of a board with corners a little off, in other light, mirrored in half of all cases."""
    image = np.asarray(cv2.imdecode(np.frombuffer(board.jpeg, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)
    side = float(np.linalg.norm(board.corners_px - np.roll(board.corners_px, 1, axis=0), axis=1).mean())
    corners = board.corners_px + chance.normal(0, CORNER_SPREAD * side, (4, 2)) * chance.random()
    if chance.random() < 0.35:
        smaller = float(chance.uniform(0.45, 1.0))
        image = np.asarray(cv2.resize(image, None, fx=smaller, fy=smaller, interpolation=cv2.INTER_AREA), np.uint8)
        corners = corners * smaller
    cells = cut_standing(image, pose_from_corners(corners, template), template)
    patches = cells.patches[:, :, ::-1] if chance.random() < 0.5 else cells.patches
    light = (patches.astype(np.float32) / 255) ** np.float32(np.exp(chance.normal(0, 0.18)))
    light *= np.exp(chance.normal(0, 0.22) + chance.normal(0, 0.08, 3)).astype(np.float32)
    if chance.random() < 0.12:
        grey = light.mean(axis=3, keepdims=True)
        light = grey + (light - grey) * np.float32(chance.uniform(0, 0.6))
    # A shadow or a lamp at one side: a slope of light over the board.
    place = template.cells_mm / np.array(template.size_mm) - 0.5
    light *= np.exp(place @ chance.normal(0, 0.35, 2)).astype(np.float32)[:, None, None, None]
    if chance.random() < 0.3:
        light = light + chance.normal(0, chance.uniform(0, 0.05), light.shape).astype(np.float32)
    return StandingCells(np.clip(light * 255, 0, 255).astype(np.uint8), cells.rise)


def train(boards: Sequence[LabelledBoard], template: BoardTemplate, recipe: Recipe) -> FiguresNetwork:
    letters = len(figure_letters(template))
    colours = np.where(square_colours(template), 1.0, -1.0).astype(np.float32)

    def loss_of(network: FiguresNetwork, rows: NDArray[np.intp], chance: Rng) -> tuple[torch.Tensor, float]:
        cells = [varied(boards[row], template, chance) for row in rows]
        may_be = np.stack([boards[row].may_be for row in rows])
        exact = may_be.sum(axis=2) == 1
        told = (chance.random(len(rows)) > UNTOLD)[:, None] * chance.uniform(0, MOST_TOLD, (len(rows), 1))
        known = exact & (chance.random(exact.shape) < told)
        numbers = np.where(known, may_be.argmax(axis=2), letters)
        squares = colours * chance.choice([-1, 1], (len(rows), 1)).astype(np.float32)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = network(
                torch.from_numpy(np.ascontiguousarray(np.stack([one.patches for one in cells]))),
                torch.from_numpy(np.stack([one.rise for one in cells]).astype(np.float32)),
                torch.from_numpy(squares),
                torch.from_numpy(numbers),
            ).float()
        logs = torch.log_softmax(scores, dim=2)
        right = torch.logsumexp(logs.masked_fill(~torch.from_numpy(may_be), -torch.inf), dim=2)
        asked = torch.from_numpy(~known).float()
        loss = -(right * asked).sum() / asked.sum()
        hit = torch.from_numpy(may_be).gather(2, scores.argmax(2, keepdim=True))[..., 0].float()
        men = asked * torch.from_numpy(~may_be[:, :, 0]).float()
        return loss, float((hit * men).sum() / torch.clamp(men.sum(), min=1))

    return training_loop.train(lambda: FiguresNetwork(letters), len(boards), recipe, loss_of)


LICENCE = "MIT; trained in part on photographs under Apache-2.0 and MIT (attribution: docs/models.md)"
PHOTO_WEIGHT = 12
"""Times that a photograph is shown for each time that a scene is."""
HELD_OUT = 8
"""One scene in so many is left out of the training, and measured."""


def make_figures(
    out: Path,
    template: BoardTemplate,
    scenes: Sequence[Path],
    photos: Path | None,
    only: Sequence[str],
    recipe: Recipe,
    command: str,
) -> None:
    """Writes figures_cells.onnx, figures_board.onnx and their manifest entries into `out`."""
    traced = [board for folder in scenes for board in labelled_boards(folder, template)]
    taken = [] if photos is None else labelled_boards(photos, template, only) * PHOTO_WEIGHT
    held_out = traced[::HELD_OUT]
    kept = [board for number, board in enumerate(traced) if number % HELD_OUT]
    photographs = len(taken) // PHOTO_WEIGHT
    log.info("%d scenes and %d photographs; %d scenes left out", len(kept), photographs, len(held_out))
    network = train([*kept, *taken], template, recipe)
    facts: dict[str, str | float] = {
        "data": f"path-traced scenes (lab/train): {len(kept)}; photographs: {photographs}",
        "licence": LICENCE,
        "command": command,
    }
    export(network, out)
    right = accuracy(network, held_out, template)
    for name in NETWORKS:
        write_entry(out, name, f"{name}.onnx", facts | {"held_out_scenes": len(held_out), "held_out_accuracy": right})
    log.info("%s of the held-out cells right", right)


def accuracy(network: FiguresNetwork, boards: Sequence[LabelledBoard], template: BoardTemplate) -> float:
    """Share of the cells of which the likeliest letter is right, nothing being told beforehand."""
    squares = torch.from_numpy(np.where(square_colours(template), 1.0, -1.0).astype(np.float32))[None]
    right = []
    for board in boards:
        image = np.asarray(cv2.imdecode(np.frombuffer(board.jpeg, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)
        cells = cut_standing(image, pose_from_corners(board.corners_px, template), template)
        patches, rise = torch.from_numpy(cells.patches)[None], torch.from_numpy(cells.rise.astype(np.float32))[None]
        unknown = torch.full(squares.shape, board.may_be.shape[1])
        with torch.inference_mode():
            best = network(patches, rise, squares, unknown)[0].argmax(1).numpy()
        right.append(board.may_be[np.arange(len(best)), best])
    return round(float(np.mean(right)), 4)


def export(network: FiguresNetwork, out: Path) -> None:
    """Both networks with weights in half precision; the number of cells is free."""
    count = torch.export.Dim("cells", min=2, max=4096)
    patches = torch.zeros((64, HEIGHT_PX, WIDTH_PX, 3), dtype=torch.uint8)
    cells = (network.cells.eval(), (patches, torch.zeros(64)), ("patches", "rise"), "described", 0)
    tokens, told = torch.zeros((1, 64, LENGTH)), torch.zeros((1, 64), dtype=torch.int64)
    board = (network.board.eval(), (tokens, torch.zeros((1, 64)), told), ("described", "squares", "known"), "scores", 1)
    with tempfile.TemporaryDirectory() as folder:
        for name, (part, example, inputs, output, axis) in zip(NETWORKS, (cells, board), strict=True):
            whole = Path(folder) / f"{name}.onnx"
            torch.onnx.export(
                part,
                example,
                str(whole),
                input_names=list(inputs),
                output_names=[output],
                dynamic_shapes={one: {axis: count} for one in inputs},
                dynamo=True,
                external_data=False,
                verbose=False,
            )
            store_half(whole, out / f"{name}.onnx")
