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
from calibration.arrays import FloatArray, Indices
from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate
from lab.simulated.arrays import Float32Array, Rng
from lab.train import training_loop
from lab.train.objects import draw_foreign_object
from lab.train.quantise import store_half
from lab.train.resnet import Residual, convolution
from lab.train.textures import Textures
from rules import Figures, figures_of
from system.weights import write_entry
from vision.calibrating.lesson import turned_cells
from vision.frame import Image
from vision.pose import pose_from_corners
from vision.reading.figures import (
    FOOT_PX,
    HEIGHT_PX,
    NETWORKS,
    SQUARE_PX,
    WIDTH_PX,
    StandingCells,
    cut_standing,
    letters_of,
)
from vision.reading.taught import square_colours

log = logging.getLogger(__name__)
LENGTH = 128
"""Length of a cell's description."""
LAYERS, HEADS = 3, 4
UNTOLD = 0.5
"""Share of boards of which nothing is told beforehand."""
MOST_TOLD = 0.95
CELLS = 40
"""Cells taken of most boards, men first: two thirds of the time; all cells are taken of every fourth batch."""
HIDDEN = 0.2
"""Share of pictures with hands or other things over the board."""
COVERED, OPEN = 0.5, 0.1
"""Share of a man's outline that such a thing covers from which only it is told, and below which only the man is."""
SHARPEST = 1.3
"""Pixels of a picture for one of a cut, at most: finer ones are averaged first."""
STRETCH = 0.1
"""Standard deviation of the logarithm by which a set's men are higher, and wider, than they were drawn."""
SHADED = 0.25
"""Share of pictures a part of which lies in shadow."""
DROPPED = 0.1
"""Share of a description that is left out at a time, so that no set is learnt by heart."""
CORNER_SPREAD = 0.008
"""Standard deviation of the corners, as a share of the board's side: poses are never exact."""


@dataclasses.dataclass(frozen=True, eq=False)
class LabelledBoard:
    jpeg: bytes
    corners_px: FloatArray
    may_be: NDArray[np.bool_]
    """(cells, letters) what stands on each cell: one letter, or all figures of a side where only that is known; the
    last, OTHER, on none."""


@dataclasses.dataclass(frozen=True)
class Recipe(training_loop.Recipe):
    epochs: float = 16.0
    batch: int = 8
    peak_rate: float = 2e-3


def labelled_boards(folder: Path, template: BoardTemplate, only: Sequence[str] = ()) -> list[LabelledBoard]:
    """The boards of a folder with labels.json, of the names or patterns in `only`. Raises LabelError, OSError."""
    return [
        LabelledBoard((folder / label.name).read_bytes(), label.corners_px, may_be(label, template))
        for label in read_labels(folder / "labels.json", template, only)
        if label.corners_px is not None
    ]


def may_be(label: Label, template: BoardTemplate) -> NDArray[np.bool_]:
    """(cells, letters) what may stand on each cell; the last letter, OTHER, on none.

    Where the label tells no figures, but its classes are those of the start, whichever way the board lies, the figures
    are too, but for the pairs that people exchange: the board may lie the other way round.
    """
    letters, cells = letters_of(template), label.cells
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
    """uint8 patches (n, 128, 80, 3) BGR and how high men are seen (n,) to (n, LENGTH) descriptions."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.PixelUnshuffle(2),
            convolution(12, 24, 2),
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
        self.dropped = nn.Dropout(DROPPED)

    def forward(self, patches: torch.Tensor, rise: torch.Tensor) -> torch.Tensor:
        scaled = patches.float().permute(0, 3, 1, 2) * (1 / 64) - 2
        seen = torch.stack([rise, rise * rise, torch.sqrt(torch.clamp(1 - rise * rise, min=0))], 1)
        described: torch.Tensor = self.dropped(torch.relu(self.last(self.trunk(scaled)) + self.rise(seen)))
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
        self.dropped = nn.Dropout(DROPPED)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        boards, count = tokens.shape[0], tokens.shape[1]
        parts = self.asked(self.before(tokens)).reshape(boards, count, 3, HEADS, LENGTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        shares = torch.softmax(query @ key.transpose(2, 3) * (LENGTH // HEADS) ** -0.5, dim=3)
        tokens = tokens + self.dropped(self.mixed((shares @ value).transpose(1, 2).reshape(boards, count, LENGTH)))
        changed: torch.Tensor = tokens + self.dropped(self.wide(self.after(tokens)))
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


def varied(
    board: LabelledBoard, template: BoardTemplate, textures: Textures, count: int, chance: Rng
) -> tuple[Indices, StandingCells, NDArray[np.bool_]]:
    """So many cells of a board, men first, and (count, letters) what may stand there.

    With corners a little off, in other light, mirrored in half of all cases, and sometimes with things over them.
    """
    image = np.asarray(cv2.imdecode(np.frombuffer(board.jpeg, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)
    side = float(np.linalg.norm(board.corners_px - np.roll(board.corners_px, 1, axis=0), axis=1).mean())
    corners = board.corners_px + chance.normal(0, CORNER_SPREAD * side, (4, 2)) * chance.random()
    smaller = min(1.0, SHARPEST * SQUARE_PX * len(template.cell_names) ** 0.5 / side)
    if chance.random() < 0.35:
        smaller *= float(chance.uniform(0.45, 1.0))
    if smaller < 1:
        image = np.asarray(cv2.resize(image, None, fx=smaller, fy=smaller, interpolation=cv2.INTER_AREA), np.uint8)
        corners, side = corners * smaller, side * smaller
    pose, may_be = pose_from_corners(corners, template), board.may_be.copy()
    if chance.random() < HIDDEN:
        image, mask = covered(image, max(8, round(side / len(template.cell_names) ** 0.5)), textures, chance)
        share = hidden_shares(cut_standing(mask, pose, template))
        may_be[share > OPEN] = False
        may_be[share > COVERED, -1] = True
    cells = cut_standing(image, pose, template)
    rows = np.argsort(chance.random(len(may_be)) - ~board.may_be[:, 0])[:count]
    patches = cells.patches[rows][:, :, ::-1] if chance.random() < 0.5 else cells.patches[rows]
    patches = stretched(patches, np.exp(chance.normal(0, STRETCH, 2)))
    light = ((np.arange(256, dtype=np.float32) / 255) ** np.float32(np.exp(chance.normal(0, 0.18))))[patches]
    light *= np.exp(chance.normal(0, 0.22) + chance.normal(0, 0.08, 3)).astype(np.float32)
    if chance.random() < 0.12:
        grey = light.mean(axis=3, keepdims=True)
        light = grey + (light - grey) * np.float32(chance.uniform(0, 0.6))
    # A shadow or a lamp at one side: a slope of light over the board.
    place = template.cells_mm[rows] / np.array(template.size_mm) - 0.5
    light *= np.exp(place @ chance.normal(0, 0.35, 2)).astype(np.float32)[:, None, None, None]
    if chance.random() < SHADED:
        edge = place @ chance.normal(0, 1, 2) > chance.normal(0, 0.5)
        light[edge] *= np.float32(chance.uniform(0.3, 0.8))
    if chance.random() < 0.3:
        light += np.float32(chance.uniform(0, 0.05)) * chance.standard_normal(light.shape, dtype=np.float32)
    return rows, StandingCells(np.clip(light * 255, 0, 255).astype(np.uint8), cells.rise[rows]), may_be[rows]


def stretched(patches: NDArray[np.uint8], by: FloatArray) -> NDArray[np.uint8]:
    """Cuts of men that are higher and wider by two factors, with the same feet."""
    for axis, middle, factor in zip((1, 2), (FOOT_PX, (WIDTH_PX - 1) / 2), by, strict=True):
        last = patches.shape[axis] - 1
        at = np.clip((np.arange(last + 1) - middle) / factor + middle, 0, last)
        low = np.minimum(at.astype(np.intp), last - 1)
        share = (at - low).astype(np.float32).reshape(-1, *[1] * (3 - axis))
        first, second = patches.take(low, axis), patches.take(low + 1, axis)
        patches = (first * (1 - share) + second * share + np.float32(0.5)).astype(np.uint8)
    return patches


def covered(image: Image, cell_px: int, textures: Textures, chance: Rng) -> tuple[Image, Image]:
    """The picture with one or two things drawn over it, and a picture of where they are."""
    height, width = image.shape[:2]
    longer = max(height, width)
    square = cv2.copyMakeBorder(image, 0, longer - height, 0, longer - width, cv2.BORDER_REPLICATE)
    canvas = np.asarray(square, dtype=np.float32) / np.float32(255)
    hidden = np.zeros((longer, longer), dtype=np.float32)
    for _ in range(int(chance.integers(1, 3))):
        draw_foreign_object(canvas, hidden, cell_px, chance, textures)
    drawn = (np.clip(canvas, 0, 1) * 255).astype(np.uint8)[:height, :width]
    return drawn, np.repeat((hidden[:height, :width, None] * 255).astype(np.uint8), 3, axis=2)


def hidden_shares(mask: StandingCells) -> FloatArray:
    """(cells,) how much of each man's outline is hidden, by cuts of a picture of what hides."""
    top = FOOT_PX - SQUARE_PX * (0.3 + mask.rise)
    row = np.arange(HEIGHT_PX)
    rows = (row >= top[:, None]) & (row < FOOT_PX + 0.3 * SQUARE_PX)
    aside = slice(round((WIDTH_PX - 0.7 * SQUARE_PX) / 2), round((WIDTH_PX + 0.7 * SQUARE_PX) / 2))
    share = mask.patches[:, :, aside, 0].mean(axis=2) / 255
    return np.asarray((share * rows).sum(axis=1) / rows.sum(axis=1))


@dataclasses.dataclass(frozen=True, eq=False)
class Example:
    """Cells of one picture, as the networks are given them."""

    patches: NDArray[np.uint8]
    rise: FloatArray
    squares: Float32Array
    may_be: NDArray[np.bool_]
    """(n, letters); no letter where nothing is asked."""
    known: NDArray[np.bool_]


class Examples:
    """Draws examples of labelled boards."""

    def __init__(self, boards: Sequence[LabelledBoard], template: BoardTemplate, seed: int) -> None:
        self._boards, self._template = boards, template
        self._colours = np.where(square_colours(template), 1.0, -1.0).astype(np.float32)
        self._textures = Textures(np.random.default_rng(seed))

    def draw(self, row: int, count: int, chance: Rng) -> Example:
        board = self._boards[row]
        colour = np.float32(chance.choice([-1, 1]))
        told = float(chance.random() > UNTOLD) * float(chance.uniform(0, MOST_TOLD))
        rows, cells, may_be = varied(board, self._template, self._textures, count, chance)
        known = (may_be.sum(axis=1) == 1) & ~may_be[:, -1] & (chance.random(len(rows)) < told)
        return Example(cells.patches, cells.rise, colour * self._colours[rows], may_be, known)


def train(boards: Sequence[LabelledBoard], template: BoardTemplate, recipe: Recipe) -> FiguresNetwork:
    letters, examples = letters_of(template), Examples(boards, template, recipe.seed)

    def loss_of(network: FiguresNetwork, rows: NDArray[np.intp], chance: Rng) -> tuple[torch.Tensor, float]:
        count = CELLS if chance.random() < 0.75 else len(template.cell_names)
        drawn = [examples.draw(int(row), count, chance) for row in rows]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            described = network.cells(
                torch.from_numpy(np.concatenate([one.patches for one in drawn])),
                torch.from_numpy(np.concatenate([one.rise for one in drawn]).astype(np.float32)),
            ).float()
        may_be, known, squares = (
            torch.from_numpy(np.stack([getattr(one, name) for one in drawn])) for name in ("may_be", "known", "squares")
        )
        numbers = torch.where(known, may_be.int().argmax(dim=2), len(letters))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = network.board(described.reshape(len(drawn), count, LENGTH), squares, numbers).float()
        asked = ~known & may_be.any(dim=2)
        logs = torch.log_softmax(scores, dim=2)[asked]
        lost = -torch.logsumexp(logs.masked_fill(~may_be[asked], -torch.inf), dim=1)
        hits, men = may_be[asked].gather(1, logs.argmax(1, keepdim=True))[:, 0], ~may_be[asked][:, 0]
        return lost.mean(), float((hits & men).sum() / torch.clamp(men.sum(), min=1))

    return training_loop.train(lambda: FiguresNetwork(len(letters)), len(boards), recipe, loss_of)


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
