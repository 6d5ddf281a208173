"""Orders photos of dominoes games, one per tile: which moves have a photo, which lack one, and who made them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from pathlib import Path

from calibration.annotations import PhotoName, movers_paths, photo_paths, read_movers
from rules import Side

MAX_MOVES = 56
"""Moves: the number of all tiles; a longer gap in the numbering cannot be moves without photos."""


class SeriesError(ValueError):
    """The folder holds no series of photos that can be scored."""


@dataclasses.dataclass(frozen=True)
class Shot:
    name: PhotoName
    photo: Path | None
    """None if the photo is missing; a later one shows the tile."""
    mover: Side | None
    """Who laid the tile; None if nobody wrote it down."""


@dataclasses.dataclass(frozen=True)
class Series:
    """The moves of one game in order, up to the last one with a photo."""

    game: int
    shots: tuple[Shot, ...]
    notes: tuple[str, ...]
    """Sentences that say what is missing and how it is handled."""


def find_series(folder: Path, only: Collection[int] = ()) -> list[Series]:
    """Finds the games in a folder, or only those numbered in `only`. Raises SeriesError, AnnotationError."""
    photos = photo_paths(folder)
    if not photos:
        raise SeriesError(f"{folder}: there are no photos named after moves here, such as 1_01.jpg")
    lists = movers_paths(folder)
    movers: dict[PhotoName, Side] = {}
    for path in lists.values():
        for name, mover in read_movers(path).items():
            if movers.setdefault(name, mover) != mover:
                raise SeriesError(f"{path}: {name} was laid by player {mover + 1}; another list says otherwise")
    games = sorted({name.game for name in photos})
    absent = sorted(set(only) - set(games))
    if absent:
        raise SeriesError(f"{folder}: there are no photos of game {absent[0]}; the games are {_listed(games)}")
    return [_series(game, photos, movers, game in lists) for game in games if not only or game in only]


def _series(game: int, photos: dict[PhotoName, Path], movers: dict[PhotoName, Side], has_list: bool) -> Series:
    taken = {name: path for name, path in photos.items() if name.game == game}
    last = max(taken)
    names = _with_gaps_filled(sorted(set(taken) | {name for name in movers if name.game == game and name < last}))
    shots = tuple(Shot(name, taken.get(name), movers.get(name)) for name in names)
    late = sorted(name for name in movers if name.game == game and name > last)
    return Series(game, shots, tuple(_notes(game, shots, late, has_list or any(n.game == game for n in movers))))


def _with_gaps_filled(names: list[PhotoName]) -> list[PhotoName]:
    """Adds the missing numbers, from 1 on: every number is a move."""
    width = len(str(names[-1]).partition("_")[2])
    filled: list[PhotoName] = []
    next_number = min(1, names[0].number)
    for name in names:
        if name.number - next_number < MAX_MOVES:
            filled += [
                PhotoName(name.game, number, f"{str(name).partition('_')[0]}_{number:0{width}d}")
                for number in range(next_number, name.number)
            ]
        filled.append(name)
        next_number = name.number + 1
    return filled


def _notes(game: int, shots: Iterable[Shot], late: list[PhotoName], has_list: bool) -> Iterable[str]:
    shots = list(shots)
    if not has_list:
        yield (
            f"game {game}: there is no {game}_mutari.txt; the players are taken to lay in turn, player 1 "
            "first, unless pawns in the photos tell otherwise"
        )
    missing = [shot.name for shot in shots if shot.photo is None]
    if missing:
        yield f"game {game}: no photo of {_listed(missing)}; the tile is looked for in the next photo"
    unlisted = [shot.name for shot in shots if shot.mover is None] if has_list else []
    if unlisted:
        yield f"game {game}: {_listed(unlisted)} not in {game}_mutari.txt; who laid it follows from the turn"
    if late:
        yield f"game {game}: {_listed(late)} in {game}_mutari.txt but no photo of it nor of a later move; left out"


def _listed(things: Iterable[object]) -> str:
    texts = [str(thing) for thing in things]
    return ", ".join(texts[:6]) + (f" and {len(texts) - 6} more" if len(texts) > 6 else "")
