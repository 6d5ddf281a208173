"""Watches games of dominoes photo by photo through `kibitzer run`, and corrects who laid what by `kibitzer tell`.

    kibitzer bench watch-dominoes PHOTOS --profile table.npz --games 1,2

PHOTOS holds 1_01.jpg, ..., 1_01.txt, ... and 1_mutari.txt. Each game's photos are served as an MJPEG stream, as a phone
would send them, to a daemon that is not told who laid a tile. Half of the corrections are made, the daemon is killed
with kill -9, and a new one gets the rest. Prints a JSON object a game; exit status 1 if a tile or a point is not as
annotated, or there was a complaint.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from daemon.record.journal import Journal
from daemon.record.stored_game import StoredGame
from daemon.record.stored_line import Row, score_sheet
from lab.bench.daemons import ROOT, fetch, free_port, program, wait, write_settings
from rules import Side, Step
from rules.turns import carry_out

COMMAND = [sys.executable, "-m", "daemon.cli"]
COMPLAINTS = ("illegal", "unfinished", "takeback", "desync", "ambiguous", "unclear")


@dataclasses.dataclass(frozen=True)
class Tile:
    """One tile when it was laid."""

    board: str
    """The board including this tile."""
    side: Side
    points: int
    """Points for the side that laid it."""


def annotated(folder: Path, number: int) -> list[Tile]:
    """A real game, read from its annotation files."""
    game = games.load("dominoes")
    movers = [
        int(line.split()[1][-1]) - 1 for line in (folder / f"{number}_mutari.txt").read_text().splitlines() if line
    ]
    board, tiles = game.board(game.initial()), []
    for move, side in enumerate(movers, 1):
        first, one, second, other, points = (folder / f"{number}_{move:02d}.txt").read_text(encoding="utf-8").split()
        ends = ((game.cells.index(first), one), (game.cells.index(second), other))
        board = carry_out(board, [Step("place", cell, None, pips) for cell, pips in ends])
        tiles.append(Tile(board, side, int(points)))
    return tiles


class Table:
    def __init__(self, folder: Path, photos: Path, number: int, profile: Path | None, hold_s: float) -> None:
        self.folder, self.hold_s = folder, hold_s
        self.page, self.video = free_port(), free_port()
        self.pictures = folder / "photos"
        self.pictures.mkdir()
        for photo in sorted(photos.glob(f"{number}_*.jpg")):
            (self.pictures / photo.name).symlink_to(photo.resolve())
        self.journal = folder / "journal.sqlite"
        self.config = write_settings(
            folder / "config.toml",
            "dominoes",
            camera={"source": f"http://127.0.0.1:{self.video}/video"},
            page={"port": self.page},
            journal={"path": str(self.journal)},
            board={"profile": str(profile.resolve())} if profile else {},
        )

    @contextlib.contextmanager
    def daemon(self) -> Iterator[None]:
        """Runs a daemon; kills it with kill -9 at the end."""
        log = self.folder / "daemon.log"
        with program("daemon.cli", "run", "--config", str(self.config), log=log) as process:
            state = f"http://127.0.0.1:{self.page}/state"
            wait(lambda: process.poll() is not None or fetch(state) is not None, "the daemon did not start")
            if process.poll() is not None:
                raise SystemExit(log.read_text(encoding="utf-8").splitlines()[-1])
            try:
                yield
            finally:
                process.kill()

    def serve(self) -> None:
        serve = [*COMMAND, "serve", str(self.pictures), "--port", str(self.video), "--hold-s", str(self.hold_s)]
        subprocess.run([*serve, "--rate-hz", "5"], cwd=ROOT, stderr=subprocess.DEVNULL, check=True)

    def tell(self, *words: str) -> None:
        """Sends a correction to the daemon. Raises CalledProcessError if it refuses."""
        told = [*COMMAND, "tell", *words, "--config", str(self.config)]
        subprocess.run(told, cwd=ROOT, check=True, capture_output=True)

    def stored(self) -> StoredGame:
        with contextlib.closing(Journal(self.journal, read_only=True)) as journal:
            return journal.games()[-1]

    def laid(self) -> list[Row]:
        return [row for row in score_sheet(self.stored()) if row.number is not None]


def watch(table: Table, tiles: Sequence[Tile]) -> dict[str, object]:
    """Plays one game, corrects who laid what, and compares with the truth."""
    game = games.load("dominoes")
    with table.daemon():
        table.serve()
        with contextlib.suppress(TimeoutError):
            wait(lambda: len(table.laid()) >= len(tiles), "tiles are missing")
        blind = sum(game.sides[tile.side] == row.side for tile, row in zip(tiles, table.laid(), strict=False))
        commands = correct(table, tiles[: len(tiles) // 2])
    with table.daemon():
        commands += correct(table, tiles)
    rows = table.laid()
    kinds = [note.kind for note in table.stored().notes if note.kind in COMPLAINTS]
    boards = ["." * len(game.cells), *(tile.board for tile in tiles)]
    pairs = list(zip(tiles, rows, strict=False))
    return {
        "tiles": len(tiles),
        "tiles_right": sum(
            new_cells(tile, before) == set(row.move.split("-"))
            for (tile, row), before in zip(pairs, boards, strict=False)
        ),
        "movers_right_untold": blind,
        "commands": commands,
        "movers_right": sum(game.sides[tile.side] == row.side for tile, row in pairs),
        "points_right": sum(row.gains[tile.side].total == tile.points for tile, row in pairs),
        "complaints": kinds,
        "scores": rows[-1].scores if rows else None,
    }


def correct(table: Table, tiles: Sequence[Tile]) -> int:
    """Says who laid each tile whose side is wrong, from the first on; returns how often."""
    sides, told = games.load("dominoes").sides, 0
    for number, tile in enumerate(tiles[: len(table.laid())], 1):
        if table.laid()[number - 1].side != sides[tile.side]:
            table.tell("mover", sides[tile.side], "--move", str(number))
            told += 1
    return told


def new_cells(tile: Tile, before: str) -> set[str]:
    """The cells that a tile has filled, with their pips, such as 8H6."""
    cells = games.load("dominoes").cells
    return {f"{name}{now}" for name, now, then in zip(cells, tile.board, before, strict=True) if now != then}


def main(
    photos: Path,
    profile: Path | None = None,
    numbers: Annotated[str, typer.Option("--games", help="Numbers of games, by commas.")] = "1,2,3,4,5",
    hold_s: Annotated[float, typer.Option(help="Seconds each photo is shown.")] = 2.0,
) -> int:
    good = True
    for number in map(int, numbers.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            result = watch(Table(Path(folder), photos, number, profile, hold_s), annotated(photos, number))
        print(json.dumps({"game": number, **result}), flush=True)
        counts = {result[name] for name in ("tiles", "tiles_right", "movers_right", "points_right")}
        good = good and len(counts) == 1 and not result["complaints"]
    return 0 if good else 1
