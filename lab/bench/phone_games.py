"""Plays whole short games before a phone that films them, and compares what the daemon tells with what was played.

    kibitzer bench phone-games
    kibitzer bench phone-games --game chess --chance --seed 3

Of many random games the shortest one is filmed at a simulated table, with a hand for every move: no profile, and a
phone that leans on something. A real daemon gets the pictures in real time through the phones' encrypted door, as from
the phone's page. Passes, the agreement to a count, and a resignation in a game that did not end in time, are told there
as well. `kibitzer bench phone` films through the page itself.

Prints one JSON line a game, and a table at the end: seconds and plies of the film, without passes; how many of them the
record has in their order, with their sides; `wrong` plies that were told, if only for a while; `complaints` although
nothing was wrong; pictures a second; how the game `ended`, and of that what was told `otherwise`. Exit status 1 if any
game was not told as it was played.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import itertools
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import games
from daemon.game.line_of_play import shares_pieces
from daemon.record.journal import Journal
from daemon.record.stored_game import StoredGame
from lab.bench.daemons import fetch, free_port, program, wait, write_settings
from lab.bench.phone_client import PhoneClient, paired
from lab.bench.short_films import LEAD_S, PASS, RATE_HZ, RESIGNED, ShortFilm, film_of, short_game
from lab.bench.whole_games import Figures, Names, Seed, in_turn
from lab.demo.demo import COMPLAINTS

FIRST_S = 60.0
"""Seconds at most until the board is found."""
HEARD_S = 15.0
"""Seconds at most that the players wait, before a pass and after the last move, for what they did to be told."""
STILL = round(LEAD_S * RATE_HZ)
COUNTED = "counted"


async def shown(phone: PhoneClient, film: ShortFilm) -> list[str]:
    """Shows a film to its end; returns what was refused."""
    pictures, refused, at = film.pictures, list[str](), 0
    await phone.rest(pictures[:STILL], RATE_HZ, lambda: bool(phone.corners and phone.state), FIRST_S)
    for number, plies in film.said.items():
        await phone.play(pictures[at:number], RATE_HZ)
        await until_told(phone, pictures[number - STILL // 2 : number], plies)
        refused.append(await phone.tell({"command": "pass"}))
        at = number
    await phone.play(pictures[at:], RATE_HZ)
    await until_told(phone, pictures[-STILL:], len(film.plies))
    if film.outcome.reason == RESIGNED and film.outcome.winner is not None:
        refused.append(await phone.tell({"command": "resign", "side": film.game.sides[1 - film.outcome.winner]}))
    if film.outcome.reason == COUNTED:
        refused.append(await phone.tell({"command": "agree"}))
    await phone.rest(pictures[-STILL:], RATE_HZ, lambda: phone.state.get("outcome") is not None, HEARD_S)
    return [why for why in refused if why]


async def until_told(phone: PhoneClient, still: Sequence[bytes], plies: int) -> None:
    await phone.rest(still, RATE_HZ, lambda: phone.plies >= plies, HEARD_S)


async def filmed(film: ShortFilm, here: str, authority: Path) -> tuple[PhoneClient, list[str]]:
    async with paired(here, authority) as phone:
        try:
            return phone, await shown(phone, film)
        except TimeoutError:
            return phone, [f"no picture was acknowledged after {phone.sent}"]


def play(film: ShortFilm, folder: Path) -> Figures:
    """Runs a daemon before which a film is shown."""
    folder.mkdir(0o700, parents=True)
    page_port, journal = free_port(), folder / "table.sqlite"
    seats = {"first": {"seat": "bottom"}, "second": {"agent": "", "seat": "top"}} if shares_pieces(film.game) else {}
    settings = write_settings(
        folder / "table.toml",
        film.game.name,
        camera={"source": "phone"},
        page={"port": page_port},
        phone={"port": 0, "addresses": ["127.0.0.1"], "folder": str(folder / "phone")},
        journal={"path": str(journal)},
        players=seats,
    )
    here = f"http://127.0.0.1:{page_port}"
    with program("daemon.cli", "run", "--config", str(settings), log=folder / "daemon.log"):
        wait(lambda: fetch(f"{here}/words") is not None, f"no daemon shows a page at {here}")
        phone, refused = asyncio.run(filmed(film, here, folder / "phone"))
    with contextlib.closing(Journal(journal, read_only=True)) as stored:
        return figures_of(film, phone, refused, stored.games()[-1])


def figures_of(film: ShortFilm, phone: PhoneClient, refused: Sequence[str], stored: StoredGame) -> Figures:
    sides, outcome = film.game.sides, stored.outcome
    made = [(sides[ply.side], ply.move) for ply in film.plies if ply.seen]
    told = [(sides[ply.side], ply.move) for ply in stored.plies if not ply.move.startswith(PASS)]
    alike = difflib.SequenceMatcher(None, made, told, autojunk=False).get_matching_blocks()
    right = {number for block in alike for number in range(block.b, block.b + block.size)}
    wrong = [f"{number + 1}: {side} {move}" for number, (side, move) in enumerate(told) if number not in right]
    return {
        "game": film.game.name,
        "film_s": round(len(film.pictures) / RATE_HZ),
        "plies": len(made),
        "told": len(right),
        "wrong": [*wrong, *for_a_while([move for _, move in made], phone.lines)],
        "complaints": [kind for kind in phone.kinds if kind in COMPLAINTS],
        "refused": list(refused),
        "hz": round(phone.sent / phone.seconds, 1),
        "ended": None if outcome is None else outcome.reason,
        "otherwise": [] if outcome == film.outcome else [f"{film.outcome} told as {outcome}"],
    }


def for_a_while(made: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """The first move that was told wrongly in each line but the last, which was put right later."""
    wrong = list[str]()
    for line in lines:
        told = [move for move in line if not move.startswith(PASS)]
        pairs = enumerate(itertools.zip_longest(told, made[: len(told)]), 1)
        wrong += [next((f"{number}: {move} for a while" for number, (move, truth) in pairs if move != truth), "")]
    return [one for one in dict.fromkeys(wrong[:-1]) if one and one != wrong[-1]]


COLUMNS = ("game", "film_s", "plies", "told", "wrong", "complaints", "refused", "hz", "ended", "otherwise")


def table_of(found: Iterable[Figures]) -> Table:
    table = Table(*COLUMNS)
    for figures in found:
        table.add_row(*(str(len(one) if isinstance(one, list) else one) for one in map(figures.get, COLUMNS)))
    return table


def main(
    game: Names = None,
    seed: Seed = 1,
    most: Annotated[int, typer.Option(help="Moves after which players pass where they may, or resign.")] = 60,
    pace: Annotated[float, typer.Option(help="Speed of the hands: 2 is twice as fast.")] = 1.0,
    think_s: Annotated[float, typer.Option(help="Seconds on average between two hands.")] = 1.5,
    chance: Annotated[bool, typer.Option("--chance", help="Let the seed pick another table, men and light.")] = False,
    keep: Annotated[Path | None, typer.Option(help="Folder for the daemons' settings, logs and records.")] = None,
) -> int:
    found = list[Figures]()

    def played(name: str) -> Figures:
        the_game = games.load(name)
        short = short_game(the_game, seed, most)
        film = film_of(the_game, short, seed, pace=pace, think_s=think_s, chance=chance)
        found.append(play(film, (keep or Path(temporary)) / the_game.name))
        return found[-1]

    with tempfile.TemporaryDirectory(prefix="kibitzer-phone-games-") as temporary:
        status = in_turn(map(played, game or games.names()))
    Console(width=None if sys.stdout.isatty() else 120).print(table_of(found))
    return status if all(one["told"] == one["plies"] for one in found) else 1
