"""Domino tiles anywhere in a picture: apart, turned, side by side; on real photos; and what is no tile."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from calibration.template import load_template
from daemon.cli import pips
from vision.pose import project
from vision.reading.locate import PhotoReader
from vision.reading.loose_tiles import GAME, LooseTileReader, LooseTiles
from vision.sources.files import read_photo

HALF_PX, FINE = 48, 4
SPOTS: dict[int, tuple[int, ...]] = {0: (), 1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8)}
SPOTS[6] = (0, 2, 3, 5, 6, 8)
"""Pips on a grid of three by three."""
Picture = NDArray[np.float64]


@pytest.fixture(scope="module")
def reader() -> LooseTileReader:
    return LooseTileReader()


def wood(height: int, width: int) -> Picture:
    return np.full((height, width, 3), (60.0, 75.0, 95.0)) + np.random.default_rng(1).normal(0, 6, (height, width, 3))


def lay(table: Picture, pips: tuple[int, int], x: float, y: float, turn: float) -> None:
    """Draws a tile with its shadow; `turn` is in degrees."""
    half = HALF_PX * FINE
    face = np.full((half, 2 * half, 3), (228, 234, 238), np.uint8)
    shape: NDArray[np.uint8] = np.zeros((half, 2 * half), np.uint8)
    cv2.line(face, (half, half // 6), (half, half - half // 6), (30, 30, 30), half // 20)
    for side, number in enumerate(pips):
        for spot in SPOTS[number]:
            centre = side * half + (spot % 3 + 1) * half // 4, (spot // 3 + 1) * half // 4
            cv2.circle(face, centre, half // 10, (25, 25, 25), -1, cv2.LINE_AA)
    round_px = half // 8
    cv2.rectangle(shape, (round_px, round_px), (2 * half - round_px, half - round_px), 255, -1)
    brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round_px + 1, 2 * round_px + 1))
    shape = np.asarray(cv2.dilate(shape, brush), np.uint8)
    place = cv2.getRotationMatrix2D((half, half / 2), turn, 1 / FINE)
    place[:, 2] += np.array((x - half, y - half / 2))
    size = table.shape[1], table.shape[0]
    share = cv2.warpAffine(shape, place, size, flags=cv2.INTER_AREA)[..., None] / 255
    table *= 1 - np.roll(cv2.GaussianBlur(share, (0, 0), 4), (5, 4), axis=(0, 1))[..., None] / 2  # its shadow
    table[:] = table * (1 - share) + cv2.warpAffine(face, place, size, flags=cv2.INTER_AREA) * share


def photo(table: Picture) -> NDArray[np.uint8]:
    grain = np.random.default_rng(2).normal(0, 3, table.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(table, (0, 0), 0.8) + grain, 0, 255), np.uint8)


def names(found: LooseTiles) -> list[tuple[int, ...]]:
    return sorted(tuple(sorted(tile.pips)) for tile in found.tiles)


def test_a_whole_set_that_lies_at_any_angle_is_counted(reader: LooseTileReader) -> None:
    tiles = [(low, high) for high in range(7) for low in range(high + 1)]
    table, turns = wood(820, 1120), np.random.default_rng(3).uniform(0, 180, len(tiles))
    for index, (tile, turn) in enumerate(zip(tiles, turns, strict=True)):
        lay(table, tile, 80 + index % 7 * 160, 90 + index // 7 * 200, turn)
    found = reader.read(photo(table))
    assert names(found) == sorted(tiles) and found.pips == 168 and not found.unread_px
    first = next(tile for tile in found.tiles if tile.pips in ((0, 0),))
    assert np.hypot(*(np.mean(first.corners_px, axis=0) - (80, 90))) < 4


def test_rows_of_tiles_that_touch_are_told_apart_and_a_heap_is_named_and_not_guessed(reader: LooseTileReader) -> None:
    table, turned = wood(600, 900), cv2.getRotationMatrix2D((450, 300), 17, 1)
    for index, tile in enumerate([(0, 3), (5, 6), (2, 2), (1, 4), (6, 6)]):
        x, y = turned @ np.array((200 + index * (HALF_PX + 1), 150, 1))
        lay(table, tile, float(x), float(y), 107)
    for index, tile in enumerate([(3, 3), (4, 5)]):
        x, y = turned @ np.array((250 + index * (2 * HALF_PX + 1), 320, 1))
        lay(table, tile, float(x), float(y), 17)
    lay(table, (1, 2), 700, 420, 0)
    lay(table, (2, 5), 725, 465, 60)
    found = reader.read(photo(table))
    assert names(found) == [(0, 3), (1, 4), (2, 2), (3, 3), (4, 5), (5, 6), (6, 6)]
    ((x, y),) = found.unread_px
    assert abs(x - 712) < 30 and abs(y - 445) < 30


@pytest.mark.parametrize("ground", ["wood", "black", "white"])
def test_where_no_tile_lies_none_is_surely_seen_and_no_pip_is_counted(reader: LooseTileReader, ground: str) -> None:
    table = wood(400, 500) * {"wood": 1.0, "black": 0.0, "white": 9.0}[ground]
    cv2.rectangle(table, (100, 100), (220, 160), (225, 230, 235), -1)  # a card
    cv2.circle(table, (350, 200), 40, (225, 230, 235), -1)
    found = reader.read(photo(table))
    assert not found.pips and not any(tile.is_sure for tile in found.tiles)


def test_tiles_of_a_real_photo_are_read_as_they_were_written_down(reader: LooseTileReader, real_data: Path) -> None:
    """The photo is turned, so that no cell of the board helps; the tiles that lie apart are found."""
    laid: dict[str, int] = {}
    for number in range(1, 8):
        lines = (real_data / "dominoes" / f"4_{number:02d}.txt").read_text().splitlines()
        laid |= {words[0]: int(words[1]) for words in map(str.split, lines) if len(words) == 2}
    image, template = read_photo(real_data / "dominoes" / "4_07.jpg"), load_template(GAME)
    placed = PhotoReader(template).place(image)
    assert placed is not None
    height, width = image.shape[:2]
    turn = np.array([*cv2.getRotationMatrix2D((width / 2, height / 2), 28, 1), (0, 0, 1)])
    turned = cv2.warpAffine(image, turn[:2], (width, height), borderMode=cv2.BORDER_REPLICATE)
    board_from_turned = np.asarray(np.linalg.inv(turn @ placed.pose.image_from_board), np.float64)
    read = 0
    for tile in reader.read(np.asarray(turned, np.uint8)).tiles:
        corners = np.array(tile.corners_px, np.float64)
        middle_mm = project(board_from_turned, corners).mean(axis=0)
        if middle_mm.min() > 0 and middle_mm.max() < 300:  # else it is printed beside the squares
            under = np.argsort(np.hypot(*(template.cells_mm - middle_mm).T))[:2]
            assert sorted(tile.pips) == sorted(laid[template.cell_names[cell]] for cell in under)
            read += 1
    assert read >= 2


def test_the_command_counts_draws_and_says_what_it_does_not_know(tmp_path: Path) -> None:
    table = wood(300, 500)
    lay(table, (6, 4), 120, 120, 30)
    lay(table, (0, 5), 350, 180, 100)
    cv2.imwrite(str(tmp_path / "hand.png"), photo(table))
    done = CliRunner().invoke(pips.app, [str(tmp_path / "hand.png"), "--out", str(tmp_path / "counted.png")])
    assert done.stdout == "hand.png: 2 tiles, 15 pips: 0-5 4-6.\n" and (tmp_path / "counted.png").exists()
    (tmp_path / "bad.png").write_bytes(b"no picture")
    done = CliRunner().invoke(pips.app, [str(tmp_path / "hand.png"), str(tmp_path / "bad.png"), "--json"])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [len(one["tiles"]) for one in told] == [2, 0] and told[0]["pips"] == 15
