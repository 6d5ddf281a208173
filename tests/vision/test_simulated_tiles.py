"""Domino tiles on the simulated table: laid as a whole, seen in their places, with pawns on the track."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

import games
from calibration.template import BoardTemplate, load_template
from lab.simulated.player import ScriptedPlayer
from lab.simulated.scenes import random_board, random_scene
from lab.simulated.style import BoardStyle, CameraStyle, Style, TileStyle
from lab.simulated.table import SimulatedTable, usual_size_px
from lab.simulated.tiles import handfuls, has_tiles, neighbours, pair_cells
from rules import EMPTY, Step
from rules.turns import line_of_play
from vision.finding.finder import find_board
from vision.frame import Image
from vision.pose import rectify

TEMPLATE = load_template("double_double_dominoes")

DOMINOES = games.load("dominoes")
SIZE_PX = (480, 270)


def cells(template: BoardTemplate, *names: str) -> tuple[int, ...]:
    return tuple(template.cell_names.index(name) for name in names)


def board_with(template: BoardTemplate, **halves: str) -> str:
    """The board with these halves, for example `_8H="6"`."""
    board = [EMPTY] * len(template.cell_names)
    for name, letter in halves.items():
        board[template.cell_names.index(name.lstrip("_"))] = letter
    return "".join(board)


def lay(template: BoardTemplate, *halves: tuple[str, str]) -> list[Step]:
    return [Step("place", template.cell_names.index(name), None, letter) for name, letter in halves]


def test_only_boards_whose_letters_are_digits_have_tiles() -> None:
    assert has_tiles(TEMPLATE)
    assert not has_tiles(load_template("nine_mens_morris"))


def test_two_halves_side_by_side_are_one_handful_and_other_steps_are_not() -> None:
    beside = lay(TEMPLATE, ("8H", "6"), ("8I", "1"))
    apart = lay(TEMPLATE, ("1A", "6"), ("1O", "1"))
    taken = Step("remove", 0)
    assert list(handfuls(TEMPLATE, beside)) == [tuple(beside)]
    assert list(handfuls(TEMPLATE, [*apart, taken])) == [(apart[0],), (apart[1],), (taken,)]


def test_halves_are_paired_so_that_as_few_as_possible_are_left() -> None:
    row = board_with(TEMPLATE, _8F="1", _8G="2", _8H="3", _8I="4")
    assert pair_cells(TEMPLATE, row) == [cells(TEMPLATE, "8F", "8G"), cells(TEMPLATE, "8H", "8I")]
    # Greedy pairing of 8G with 8H would leave two halves alone.
    bent = board_with(TEMPLATE, _8G="1", _8H="2", _7G="3", _9H="4")
    assert {frozenset(pair) for pair in pair_cells(TEMPLATE, bent)} == {
        frozenset(cells(TEMPLATE, "7G", "8G")),
        frozenset(cells(TEMPLATE, "8H", "9H")),
    }
    assert pair_cells(TEMPLATE, board_with(TEMPLATE, _1A="0")) == [cells(TEMPLATE, "1A")]


def test_random_boards_are_made_of_whole_tiles() -> None:
    sizes, near = [], neighbours(TEMPLATE)
    for seed in range(12):
        pairs = pair_cells(TEMPLATE, random_board(TEMPLATE, np.random.default_rng(seed)))
        assert all(len(pair) == 2 and pair[1] in near[pair[0]] for pair in pairs)
        sizes.append(len(pairs))
    assert max(sizes) > 12 > min(sizes)


def test_a_hand_lays_a_tile_at_once() -> None:
    table = SimulatedTable(TEMPLATE, EMPTY * 225, seed=2, size_px=SIZE_PX)
    table.perform(lay(TEMPLATE, ("8H", "6"), ("8I", "1")), side=0)
    boards = {table.board}
    while table.busy:
        table.advance(0.03)
        boards.add(table.board)
    assert boards == {EMPTY * 225, board_with(TEMPLATE, _8H="6", _8I="1")}
    (tile,) = table.standing.tiles
    assert tile.letters == "61" and tile.cells == cells(TEMPLATE, "8H", "8I")
    middle = TEMPLATE.cells_mm[list(tile.cells)].mean(axis=0)
    assert 0 < np.hypot(tile.x_mm - middle[0], tile.y_mm - middle[1]) < 3
    assert 0 < abs(np.degrees(tile.turn)) < 8


def test_a_tile_is_taken_and_nudged_whole() -> None:
    table = SimulatedTable(TEMPLATE, board_with(TEMPLATE, _8H="6", _8I="1"), seed=2, size_px=SIZE_PX)
    before = table.render().astype(int)
    table.nudge(cells(TEMPLATE, "8I")[0], 0.0, 20.0)
    assert len(table.standing.tiles) == 1
    assert (np.abs(table.render().astype(int) - before) > 60).any()
    table.perform([Step("remove", cells(TEMPLATE, "8H")[0])], side=1)
    while table.busy:
        table.advance(0.05)
    assert table.board == EMPTY * 225


def pips_seen(image: Image) -> int:
    """Counts the dark round spots on a light tile."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    light, dark = float(np.quantile(grey, 0.9)), float(grey.min())
    _, _, stats, _ = cv2.connectedComponentsWithStats((grey < (light + dark) / 2).astype(np.uint8))
    wide, high = stats[1:, cv2.CC_STAT_WIDTH], stats[1:, cv2.CC_STAT_HEIGHT]
    return int(((wide < 14) & (high < 14) & (wide > 3) & (high > 3)).sum())


def test_every_half_shows_its_pips_where_it_lies() -> None:
    lying = {"4B": "0", "4C": "6", "4F": "1", "4G": "5", "4J": "2", "4K": "4", "4M": "3", "4N": "3"}
    standing = {"8B": "6", "9B": "0", "8F": "5", "9F": "1", "8J": "4", "9J": "2", "8M": "3", "9M": "3"}
    halves = lying | standing
    flat = TileStyle(height_mm=1.0, stray=0.2)
    style = Style(camera=CameraStyle(tilt_deg=10, distortion=(0.0, 0.0)), tiles=flat)
    board = board_with(TEMPLATE, **{f"_{name}": letter for name, letter in halves.items()})
    table = SimulatedTable(TEMPLATE, board, style, seed=4, size_px=(1280, 960))
    steady, seen = rectify(table.render(), table.pose, TEMPLATE), {}
    for name in halves:
        x, y = (TEMPLATE.cells_mm[cells(TEMPLATE, name)[0]] + TEMPLATE.margin_mm) * TEMPLATE.pixels_per_mm
        seen[name] = str(pips_seen(steady[round(y) - 13 : round(y) + 14, round(x) - 13 : round(x) + 14]))
    assert seen == halves


@pytest.mark.parametrize("kind", ["wood", "paper"])
def test_a_printed_board_is_found_by_its_print_whatever_way_it_lies(kind: str) -> None:
    style = Style(board=BoardStyle(kind=kind), camera=CameraStyle(roll_deg=80, tilt_deg=15, distortion=(0.0, 0.0)))  # type: ignore[arg-type]
    board = board_with(TEMPLATE, _8H="6", _8I="1", _7H="6", _6H="6")
    table = SimulatedTable(TEMPLATE, board, style, seed=3, size_px=(960, 720))
    found = find_board(table.render(), TEMPLATE)
    assert found is not None
    assert np.abs(found.pose.corners_px(TEMPLATE) - table.corners_px()).max() < 2


@pytest.mark.parametrize("kind", ["wood", "cloth"])
def test_print_keeps_its_colours_in_every_material(kind: str) -> None:
    table = SimulatedTable(TEMPLATE, EMPTY * 225, Style(board=BoardStyle(kind=kind)), seed=3, size_px=(960, 540))  # type: ignore[arg-type]
    image = table.render().astype(int)
    black, teal = (image[int(y), int(x)] for x, y in np.round(table.seen_px(np.array([[-46.5, 346.2], [30.0, 30.0]]))))
    assert black.max() < 60
    assert min(teal[:2]) > teal[2] + 30


def test_pawns_wait_at_the_start_and_are_moved_to_their_points() -> None:
    table = SimulatedTable(TEMPLATE, EMPTY * 225, seed=2, size_px=(960, 720))
    assert table.standing.spaces == {"red": 0, "green": 0}
    table.perform(lay(TEMPLATE, ("8H", "6"), ("8I", "1")), side=0, scores=(17, 3))
    while table.busy:
        table.advance(0.05)
    assert table.standing.spaces == {"red": 17, "green": 3}
    image = table.render().astype(int)
    for space, channel in ((17, 2), (3, 1)):
        x, y = np.round(table.seen_px(TEMPLATE.track_mm[space - 1][None])[0]).astype(int)
        colour = image[y - 1 : y + 2, x - 1 : x + 2].mean(axis=(0, 1))
        assert colour[channel] > 1.3 * np.delete(colour, channel).max()


def test_two_pawns_on_one_space_stand_beside_each_other_and_a_table_may_have_none() -> None:
    table = SimulatedTable(TEMPLATE, EMPTY * 225, seed=2, size_px=SIZE_PX)
    for name in ("red", "green"):
        table.standing.put_pawn(name, 5)
    red, green = table.standing.pawns.values()
    assert np.hypot(red.x_mm - green.x_mm, red.y_mm - green.y_mm) > 3
    bare = SimulatedTable(TEMPLATE, EMPTY * 225, seed=2, size_px=SIZE_PX, pawns=False)
    assert not bare.standing.pawns and not bare.with_board(EMPTY * 225, 3).standing.pawns
    bare.perform(lay(TEMPLATE, ("8H", "6"), ("8I", "1")), side=0, scores=(17, 3))
    while bare.busy:
        bare.advance(0.05)
    assert not bare.standing.pawns


def test_a_game_of_dominoes_is_played_with_dealt_hands_and_unseen_passes() -> None:
    table = SimulatedTable(TEMPLATE, EMPTY * 225, seed=3, size_px=SIZE_PX)
    player = ScriptedPlayer(DOMINOES, table, frozenset((0, 1)), seed=3, think_s=0.1, pace=4)
    for _ in range(20000):
        if player.finished:
            break
        player.update()
        table.advance(0.1)
    assert player.finished and len(player.record) > len(player.seen) > 20
    positions = line_of_play(DOMINOES, [ply.move for ply in player.record], DOMINOES.initial(3))
    assert [ply.board for ply in player.record] == [DOMINOES.board(position) for position in positions[1:]]
    assert [ply.scores for ply in player.record] == [DOMINOES.scores(position) for position in positions[1:]]
    assert all(ply.seen == (before.board != ply.board) for before, ply in zip(positions, player.record, strict=False))
    assert tuple(table.standing.spaces.values()) == player.record[-1].scores
    laid = [cells for tile in table.standing.tiles for cells in (tile.cells,)]
    assert sorted(laid) == sorted(lay.cells for lay in positions[-1].tiles)


def test_scenes_of_tiles_tell_which_halves_belong_together() -> None:
    scene = random_scene(TEMPLATE, np.random.default_rng(4), SIZE_PX, hands=0.0)
    assert scene.tiles
    assert sorted(cell for tile in scene.tiles for cell in tile) == [
        cell for cell, letter in enumerate(scene.board) if letter != EMPTY
    ]


def test_the_camera_sees_a_board_about_as_finely_as_its_cells_are_looked_at() -> None:
    assert usual_size_px(TEMPLATE) == (1280, 720)
    assert usual_size_px(load_template("nine_mens_morris")) == (960, 540)
