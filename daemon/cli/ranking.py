"""`kibitzer games ranking` and `kibitzer games names`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from daemon.cli.game_arguments import GAME_HELP, RECORD, chosen_id, one_line_errors, opened
from daemon.storage.formats.played import ExportError
from daemon.storage.ranking import Standing, ranking, ranking_object, results
from wording.outside import clean

MAX_NAME_LENGTH = 64
"""Characters of a player's name, as in the settings."""
HEAD = ("place", "player", "elo", "games", "won", "drawn", "lost")


def show_ranking(
    game: Annotated[str, typer.Option(help="Rank only this game, by module or short name.")] = "",
    journal: Annotated[Path, typer.Option(help="File of the record.")] = RECORD,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ranks the players of the recorded games by Elo, best first, with games won, drawn and lost.

    Every finished game counts, in the order in which they ended, including games lost on time or by resigning.
    Everybody starts at 1500, and a game moves at most 32 points. Each setting of an agent counts as a separate player.

    Example: kibitzer games ranking --game reversi
    """
    with one_line_errors("ranking"), opened(journal, read_only=True) as stored:
        name = games.find(game).name if game else ""
        if as_json:
            sys.stdout.write(json.dumps(ranking_object(stored, name), ensure_ascii=False) + "\n")
            return
        standings = ranking(results(stored, name))
    if not standings:
        sys.stderr.write(f"{journal}: no finished game between two players is recorded yet\n")
    for line in listed(standings) if standings else ():
        sys.stdout.write(line + "\n")


def name_players(
    game: Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP)],
    first: Annotated[str, typer.Argument(metavar="FIRST", help="Player of the first side, such as light.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Player of the second side.")],
    journal: Annotated[Path, typer.Option(help="File of the record.")] = RECORD,
) -> None:
    """Sets the players' names of a recorded game, or of the game being played. The ranking uses these names.

    Example: kibitzer games names last Ana Ben
    """
    with one_line_errors("names"):
        names = [_name(one) for one in (first, second)]
        with opened(journal) as stored:
            wanted = chosen_id(stored, game)
            stored.name_players(wanted, names)
    sys.stderr.write(f"{wanted}: {names[0]} against {names[1]}\n")


def listed(standings: Sequence[Standing]) -> list[str]:
    rows = [HEAD] + [
        (str(place), one.player, f"{one.elo:.0f}", str(one.games), str(one.wins), str(one.draws), str(one.losses))
        for place, one in enumerate(standings, 1)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if index == 1 else text.rjust(width)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _name(text: str) -> str:
    name = clean(text, MAX_NAME_LENGTH + 1)
    if not 0 < len(name) <= MAX_NAME_LENGTH:
        raise ExportError(f"a name has 1 to {MAX_NAME_LENGTH} characters, not {len(name)}: {text[:80]!r}")
    return name
