"""Games on simulated tables whose light drifts, as pictures of every position, to measure the benefit of adapting."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import games
from calibration.profile import TableProfile
from calibration.template import BoardTemplate, load_template
from rules import AnyGame
from vision.pose import rectify
from vision.reading.cells import cut_patches
from vision.reading.descriptors import load_descriptor
from vision.reading.reader import DescribedCells
from vision.simulated.calibrated import profile_of
from vision.simulated.random_style import random_style
from vision.simulated.scenes import shaped_by_chance
from vision.simulated.style import LampStyle
from vision.simulated.table import SimulatedTable

SIZE_PX = (640, 480)
DRIFTS = ("dusk", "warm", "lamp")
"""Dusk: daylight fades and turns blue; warm: it turns as yellow as a bulb; lamp: it fades, and half-way a lamp at the
side is lit."""
GAMES = ("nine_mens_morris", "reversi", "co_ganh")
"""Games of tables 0, 1, 2, 3 and so on, in turn."""


@dataclasses.dataclass(frozen=True, eq=False)
class Sitting:
    """One game at one table, with a look at every position."""

    game: str
    template: BoardTemplate
    drift: str
    boards: tuple[str, ...]
    looks: tuple[DescribedCells, ...]


def sittings(table: int, plies: int, folder: Path | None = None) -> tuple[list[Sitting], TableProfile]:
    """Two games in drifting light and one in steady light at that table, and its profile from before them.

    Kept in `folder`, if given, and read from there the next time.
    """
    game = games.load(GAMES[table % len(GAMES)])
    chance = np.random.default_rng([table, 31])
    template = shaped_by_chance(load_template(game.name), chance)
    style = random_style(template, chance)
    kept = None if folder is None else folder / f"{game.name}-{table}.npz"
    profile_path = None if folder is None else folder / f"{game.name}-{table}-profile.npz"
    drifts = [*(DRIFTS[(table // len(GAMES) + number) % len(DRIFTS)] for number in range(2)), "steady"]
    if kept is not None and profile_path is not None and kept.is_file():
        return _kept(kept, game, template, drifts), TableProfile.load(profile_path)
    by_day = SimulatedTable(template, game.board(game.initial()), style, table, SIZE_PX)
    profile = profile_of(game, template, by_day, table)
    lamp = LampStyle(
        direction_deg=float(chance.uniform(0, 360)), elevation_deg=35, strength=0.5, colour=(110, 185, 255)
    )
    by_lamp = dataclasses.replace(style, ambient=0.25 * style.ambient, lamps=(lamp,))
    played = []
    for number, drift in enumerate(drifts):
        day = SimulatedTable(template, game.board(game.initial()), style, table, SIZE_PX)
        night = SimulatedTable(template, game.board(game.initial()), by_lamp, table, SIZE_PX)
        night.standing = day.standing
        played.append(_play(game, template, drift, (day, night), plies, np.random.default_rng([table, number, 32])))
    if kept is not None and profile_path is not None:
        profile.save(profile_path)
        _keep(kept, played)
    return played, profile


def _play(
    game: AnyGame,
    template: BoardTemplate,
    drift: str,
    tables: tuple[SimulatedTable, SimulatedTable],
    plies: int,
    chance: np.random.Generator,
) -> Sitting:
    """Plays random moves, with a picture after each."""
    day, night = tables
    position, boards, looks = game.initial(), [game.board(game.initial())], []
    machine = load_descriptor(template.descriptor)
    for ply in range(plies + 1):
        if ply:
            moves = [move for move in game.legal_moves(position) if game.steps(position, move)]
            if not moves or game.outcome(position) is not None:
                break
            move = moves[int(chance.integers(0, len(moves)))]
            day.perform(game.steps(position, move), game.to_move(position))
            while day.busy:
                day.advance(1.0)
            position = game.apply(position, move)
            boards.append(game.board(position))
        table = night if drift == "lamp" and 2 * ply >= plies else day
        _set_light(table, drift, ply / plies)
        patches = cut_patches(rectify(table.render(), day.pose, template), template)
        looks.append(DescribedCells(patches, machine.describe(patches)))
    return Sitting(game.name, template, drift, tuple(boards), tuple(looks))


def _set_light(table: SimulatedTable, drift: str, passed: float) -> None:
    """Sets the light for when that share of the game has been played."""
    if drift == "dusk":
        table.switch_lamp(0.08**passed, (255, 255 - 20 * passed, 255 - 60 * passed))
    elif drift == "warm":
        table.switch_lamp(1 - 0.4 * passed, (255 - 165 * passed, 255 - 80 * passed, 255))
    elif drift == "lamp":
        table.switch_lamp(1.0 if passed >= 0.5 else 0.3 ** (2 * passed))


def _keep(path: Path, played: list[Sitting]) -> None:
    arrays: dict[str, NDArray[np.generic]] = {}
    for number, one in enumerate(played):
        arrays[f"{number}_boards"] = np.array(one.boards)
        arrays[f"{number}_patches"] = np.stack([look.patches for look in one.looks])
        arrays[f"{number}_descriptors"] = np.stack([look.descriptors for look in one.looks])
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def _kept(path: Path, game: AnyGame, template: BoardTemplate, drifts: list[str]) -> list[Sitting]:
    played = []
    with np.load(path, allow_pickle=False) as arrays:
        for number, drift in enumerate(drifts):
            looks = zip(arrays[f"{number}_patches"], arrays[f"{number}_descriptors"], strict=True)
            boards = tuple(str(board) for board in arrays[f"{number}_boards"])
            played.append(Sitting(game.name, template, drift, boards, tuple(DescribedCells(*one) for one in looks)))
    return played
