"""`kibitzer games`: the record of the games that were watched."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from daemon.config import ROOT, Config
from daemon.journal import Journal, JournalError, StoredGame

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


def as_object(game: StoredGame) -> dict[str, object]:
    """The game as JSON: its moves as texts, and every ply with its board."""
    outcome = game.outcome
    return {
        "id": game.game_id,
        "game": game.game,
        "rules": dict(game.rules),
        "players": list(game.players),
        "started": game.started,
        "finished": game.finished,
        "outcome": None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason},
        "moves": list(game.moves),
        "plies": [{"ply": one.ply, "side": one.side, "move": one.move, "board": one.board} for one in game.plies],
        "undone": [{"ply": one.ply, "side": one.side, "move": one.move} for one in game.undone],
    }


def as_text(game: StoredGame) -> str:
    """The game in a few lines for a person."""
    players = " against ".join(game.players)
    head = f"{game.game_id}  {game.game}, {players}, begun {game.started}"
    if game.outcome is None:
        result = "not finished"
    else:
        winner = "draw" if game.outcome.winner is None else f"won by {game.players[game.outcome.winner]}"
        result = f"{winner} ({game.outcome.reason})"
    return f"{head}\n  {len(game.plies)} plies, {result}\n  {' '.join(game.moves)}"
