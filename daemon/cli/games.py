"""`kibitzer games`: works with the recorded games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from daemon.cli.analyse import analyse
from daemon.cli.export import export, import_game
from daemon.cli.facts import facts
from daemon.cli.game_arguments import (
    GAME_HELP,
    RECORD,
    chosen,
    chosen_id,
    in_columns,
    one_line_errors,
    opened,
    print_json,
)
from daemon.cli.ranking import find_games, name_players, show_ranking
from daemon.commands.page_client import playing
from daemon.config.settings import DEFAULT, load_config
from daemon.judging import corrections, phrases
from daemon.record.formats.document import as_object, summary_object
from daemon.record.pictures import Pictures
from daemon.record.reviews import Reviews
from daemon.record.stored_game import GameSummary, StoredGame
from daemon.record.stored_line import correct_mover, score_sheet
from rules import GameError, Outcome
from wording import untranslated

MAX_GAMES = 1 << 40

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Recorded games: list, show, export, import, correct and delete them; rank players; say how large a game is.",
)


JournalOption = Annotated[Path, typer.Option(help="File of the record.")]
ConfigOption = Annotated[Path, typer.Option(help="Settings of the daemon, which may be running.")]


@app.command("list")
def list_games(
    journal: JournalOption = RECORD,
    limit: Annotated[int, typer.Option(min=1, max=100000, help="List at most this many, the newest.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per game.")] = False,
) -> None:
    """Lists the recorded games, oldest first: id, date, game, players, plies, result.

    Example: kibitzer games list --limit 20
    """
    with one_line_errors("list"), opened(journal, read_only=True) as stored:
        found = stored.summaries(limit)
    if as_json:
        for one in found:
            print_json(summary_object(one))
        return
    if not found:
        sys.stderr.write(f"{journal}: no game is recorded yet\n")
    for line in listed(found):
        sys.stdout.write(line + "\n")


@app.command("show")
def show(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help=GAME_HELP + " Default: all games.")] = "",
    journal: JournalOption = RECORD,
    game_id: Annotated[str, typer.Option("--id", hidden=True, help="The same as GAME.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per game.")] = False,
) -> None:
    """Shows a recorded game with its moves and result, or all games, oldest first.

    Example: kibitzer games show last

    Example: kibitzer games show --journal var/journal.sqlite --json
    """
    with one_line_errors("show"), opened(journal, read_only=True) as stored:
        wanted = game or game_id
        found = [chosen(stored, wanted)] if wanted else stored.games()
    for one in found:
        if as_json:
            print_json(as_object(one))
        else:
            sys.stdout.write(as_text(one) + "\n")


@app.command("delete")
def delete(
    game: Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP)],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    journal: JournalOption = RECORD,
    config: ConfigOption = DEFAULT,
) -> None:
    """Deletes a game from the record for good, with its moves, notes and pictures. This cannot be undone.

    If in doubt, export the game first.

    Example: kibitzer games delete 20260728T120000-1a2b3c4d
    """
    with one_line_errors("delete"), opened(journal, read_only=True) as stored:
        wanted = chosen_id(stored, game)
        _refuse_played(wanted, config, "it cannot be deleted")
        lines = listed([one for one in stored.summaries(limit=MAX_GAMES) if one.game_id == wanted]) or [wanted]
    if not yes and not typer.confirm(f"{lines[0]}\nDelete it for good?", err=True):
        sys.stderr.write("kibitzer games delete: nothing is deleted\n")
        raise typer.Exit(1)
    with one_line_errors("delete"), opened(journal) as stored:
        stored.delete(wanted)
    Reviews(journal).forget(wanted)
    pictures = Pictures(journal)
    left = "" if pictures.forget(wanted) else f"; some of its pictures in {pictures.folder} could not be removed"
    sys.stderr.write(f"{wanted} is deleted{left}\n")


@app.command("mover")
def mover(
    game_id: Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP)],
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="Number of the move, not counting passes.")],
    side: Annotated[str, typer.Argument(help="The side that made it, such as green.")],
    journal: JournalOption = RECORD,
    config: ConfigOption = DEFAULT,
) -> None:
    """Corrects who made a move in a recorded game, and recomputes passes and points from there.

    For the game being played, use `kibitzer tell mover`.

    Example: kibitzer games mover 20260728T120000-1a2b3c4d 7 green
    """
    with one_line_errors("mover"), opened(journal) as stored:
        wanted = chosen(stored, game_id)
        _refuse_played(wanted.game_id, config, "say it to the daemon, kibitzer tell mover")
        sys.stdout.write(correct_mover(stored, wanted, side.lower(), number) + "\n")


app.command("analyse")(analyse)
app.command("export")(export)
app.command("facts")(facts)
app.command("find")(find_games)
app.command("import")(import_game)
app.command("ranking")(show_ranking)
app.command("names")(name_players)


def _refuse_played(game_id: str, config: Path, what: str) -> None:
    if playing(load_config(config).page) == game_id:
        raise corrections.Refusal(untranslated(f"{game_id} is being played: {what}"))


def listed(summaries: Sequence[GameSummary]) -> list[str]:
    rows = [
        (
            one.game_id,
            f"{one.started[:10]} {one.started[11:16]}",
            one.game,
            " - ".join(one.players),
            f"{one.plies} {'ply' if one.plies == 1 else 'plies'}",
            result_of(one.game, one.players, one.outcome),
        )
        for one in summaries
    ]
    return in_columns(rows)


def result_of(game: str, players: Sequence[str], outcome: Outcome | None) -> str:
    if outcome is None:
        return "not finished"
    points = "" if outcome.scores is None else f", {outcome.scores[0]} to {outcome.scores[1]}"
    winner = "draw" if outcome.winner is None else f"won by {players[outcome.winner]}"
    return f"{winner} ({reason_of(game, outcome)}{points})"


def reason_of(game: str, outcome: Outcome) -> str:
    try:
        return str(phrases.why(games.load(game), outcome))
    except GameError:  # the game's rules are no longer installed
        return outcome.reason.replace("_", " ")


def as_text(game: StoredGame) -> str:
    """The game in a few lines for a person; one line per move in games with points."""
    players = " against ".join(game.players)
    head = f"{game.game_id}  {game.game}, {players}, begun {game.started}"
    rows = score_sheet(game)
    width = max((len(row.side) for row in rows), default=0)
    moves = [f"  {row.text(width)}" for row in rows] or [f"  {' '.join(game.moves)}"]
    return "\n".join([head, f"  {len(game.plies)} plies, {result_of(game.game, game.players, game.outcome)}", *moves])
