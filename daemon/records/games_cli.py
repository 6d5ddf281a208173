"""`kibitzer games`: the record of the games that were watched."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

import games
from daemon.config import ROOT, SHIPPED, Config, ConfigError, load_config
from daemon.judging import corrections
from daemon.records.journal import Journal, JournalError
from daemon.records.score_sheet import score_sheet
from daemon.records.stored import StoredGame
from daemon.records.stored_line import correct_mover
from daemon.tell_cli import playing

RECORD = ROOT / Config().journal.path

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, help="The record of the games that were watched."
)


@app.callback()
def record() -> None:
    """The record of the games that were watched."""


@app.command("show")
def show(
    journal: Annotated[Path, typer.Option(help="The record's file.")] = RECORD,
    game_id: Annotated[str, typer.Option("--id", help="Only the game with this id.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per game.")] = False,
) -> None:
    """Shows the recorded games, oldest first, each with its moves and result.

    Example: kibitzer games show --journal var/journal.sqlite --json
    """
    try:
        if not journal.is_file():
            raise JournalError("absent", f"{journal}: there is no record yet; `kibitzer run` makes one")
        stored = Journal(journal, read_only=True)
        try:
            found = [game for game in stored.games() if game_id in ("", game.game_id)]
        finally:
            stored.close()
    except JournalError as error:
        sys.stderr.write(f"kibitzer games show: {error}\n")
        raise typer.Exit(2) from None
    if game_id and not found:
        sys.stderr.write(f"kibitzer games show: there is no game with the id {game_id!r} in {journal}\n")
        raise typer.Exit(2)
    for game in found:
        sys.stdout.write((json.dumps(as_object(game)) if as_json else as_text(game)) + "\n")


@app.command("mover")
def mover(
    game_id: Annotated[str, typer.Argument(metavar="GAME", help="The game's id, as `kibitzer games show` prints it.")],
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="Number of the move, passes not counted.")],
    side: Annotated[str, typer.Argument(help="Who made it: a side's name, such as green.")],
    journal: Annotated[Path, typer.Option(help="The record's file.")] = RECORD,
    config: Annotated[Path, typer.Option(help="Settings of the daemon that may be running.")] = SHIPPED,
) -> None:
    """Corrects who made a move of a recorded game; passes and points are worked out again from there.

    For the game that is being played, see `kibitzer tell mover`.

    Example: kibitzer games mover 20260728T120000-1a2b3c4d 7 green
    """
    try:
        if playing(load_config(config).page) == game_id:
            raise corrections.Refusal(f"{game_id} is being played: say it to the daemon, kibitzer tell mover")
        if not journal.is_file():
            raise JournalError("absent", f"{journal}: there is no record yet; `kibitzer run` makes one")
        stored = Journal(journal)
        try:
            sys.stdout.write(correct_mover(stored, stored.game(game_id), side.lower(), number) + "\n")
        finally:
            stored.close()
    except corrections.Refusal as refusal:
        sys.stderr.write(f"kibitzer games mover: {refusal}\n")
        raise typer.Exit(1) from None
    except (JournalError, ConfigError, games.GameError) as error:
        sys.stderr.write(f"kibitzer games mover: {error}\n")
        raise typer.Exit(2) from None


def as_object(game: StoredGame) -> dict[str, object]:
    """The game as JSON: its moves as texts, and every ply with its board, and its points where they are counted."""
    outcome, counted = game.outcome, score_sheet(game)
    plies: list[dict[str, object]] = [
        {"ply": one.ply, "side": one.side, "move": one.move, "board": one.board, "known": one.known}
        for one in game.plies
    ]
    for ply, row in zip(plies, counted, strict=False):
        ply |= {"gains": [dataclasses.asdict(gain) for gain in row.gains], "scores": row.scores}
    return {
        "id": game.game_id,
        "game": game.game,
        "rules": dict(game.rules),
        "players": list(game.players),
        "started": game.started,
        "finished": game.finished,
        "outcome": None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason},
        "scores": counted[-1].scores if counted else None,
        "moves": list(game.moves),
        "plies": plies,
        "undone": [{"ply": one.ply, "side": one.side, "move": one.move} for one in game.undone],
    }


def as_text(game: StoredGame) -> str:
    """The game in a few lines for a person; with points, a line for each move."""
    players = " against ".join(game.players)
    head = f"{game.game_id}  {game.game}, {players}, begun {game.started}"
    if game.outcome is None:
        result = "not finished"
    else:
        winner = "draw" if game.outcome.winner is None else f"won by {game.players[game.outcome.winner]}"
        result = f"{winner} ({game.outcome.reason})"
    rows = score_sheet(game)
    width = max((len(row.side) for row in rows), default=0)
    moves = [f"  {row.text(width)}" for row in rows] or [f"  {' '.join(game.moves)}"]
    return "\n".join([head, f"  {len(game.plies)} plies, {result}", *moves])
