"""`kibitzer games ranking`, `names` and `find`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import games
from daemon.cli.game_arguments import (
    GAME_HELP,
    MAX_NAME_LENGTH,
    RECORD,
    chosen,
    chosen_id,
    in_columns,
    one_line_errors,
    opened,
    print_json,
)
from daemon.cli.wrong_call import stop
from daemon.record.browsing import Found, find
from daemon.record.formats.played import ExportError, play_again
from daemon.record.ranking import ranking, ranking_object, results
from rules import AnyGame, MoveError
from rules.options import rules_from_words
from rules.turns import line_of_play
from wording.outside import clean

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
            print_json(ranking_object(stored, name))
            return
        standings = ranking(results(stored, name))
    if not standings:
        sys.stderr.write(f"{journal}: no finished game between two players is recorded yet\n")
        return
    rows = [HEAD] + [
        (str(place), one.player, f"{one.elo:.0f}", str(one.games), str(one.wins), str(one.draws), str(one.losses))
        for place, one in enumerate(standings, 1)
    ]
    for line in in_columns(rows, right={0, 2, 3, 4, 5, 6}):
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


def _name(text: str) -> str:
    name = clean(text, MAX_NAME_LENGTH + 1)
    if not 0 < len(name) <= MAX_NAME_LENGTH:
        raise ExportError(f"a name has 1 to {MAX_NAME_LENGTH} characters, not {len(name)}: {text[:80]!r}")
    return name


def find_games(
    game: Annotated[str, typer.Option(help="Game, by module or short name, with --moves or --position.")] = "",
    moves: Annotated[str, typer.Option(help='Moves that lead to the position, such as "f5 d6 c3".')] = "",
    position: Annotated[str, typer.Option(help="Position as text, instead of --moves.")] = "",
    rule: Annotated[list[str] | None, typer.Option(help="Rule option k=v. Repeatable.")] = None,
    like: Annotated[str, typer.Option(help=f"A recorded game, with --ply instead of --game. {GAME_HELP}")] = "",
    ply: Annotated[int, typer.Option(min=1, max=4096, help="The position after that ply of --like.")] = 1,
    journal: Annotated[Path, typer.Option(help="File of the record.")] = RECORD,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a game.")] = False,
) -> None:
    """Finds the recorded games that went through a position, with the board turned, mirrored or, in morris, inside out.

    Lists them, the newest first: id, date, players, the ply, the move that followed, as it would be on the board asked
    about, and who won. The rules must be the same. Then it counts what followed.

    Example: kibitzer games find --game reversi --moves "f5 d6 c3"

    Example: kibitzer games find --like last --ply 12
    """
    with one_line_errors("find"), opened(journal, read_only=True) as record:
        if like:
            played = play_again(chosen(record, like))
            if ply >= len(played.positions):
                raise stop("games find", f"--ply is 1 to {len(played.positions) - 1} in this game, not {ply}")
            the_game, wanted = played.game, played.positions[ply]
        elif game and bool(moves) != bool(position):
            the_game = games.load(game, rules_from_words(rule or []))
            wanted = the_game.parse_position(position) if position else _after(the_game, moves)
        else:
            raise stop("games find", "say the position: --game with --moves or --position, or --like with --ply")
        found = find(record, the_game, wanted)
    if as_json:
        for one in found:
            print_json(dataclasses.asdict(one))
        return
    sys.stdout.write("\n".join(listed(the_game, found)) + "\n")


def _after(game: AnyGame, moves: str) -> Any:
    texts = moves.replace(",", " ").split()
    for start in game.starts[:-1]:
        try:
            return line_of_play(game, texts, start)[-1]
        except MoveError:
            continue
    return line_of_play(game, texts, game.starts[-1])[-1]


def listed(game: AnyGame, found: Sequence[Found]) -> list[str]:
    if not found:
        return ["no recorded game by these rules went through this position"]
    lines = []
    for one in found:
        result = (
            "not finished" if not one.finished else "draw" if one.winner is None else f"{game.sides[one.winner]} won"
        )
        followed = f"then {one.next}" if one.next else "its end"
        players = " - ".join(one.players)
        lines.append(f"{one.game_id}  {one.started[:10]}  {players}  after {one.ply}: {followed}  {result}")
    for move in dict.fromkeys(one.next for one in found if one.next):
        same = [one for one in found if one.next == move and one.finished]
        wins = [sum(one.winner == side for one in same) for side in (0, 1)]
        count = sum(one.next == move for one in found)
        lines.append(
            f"{move}: {count} game{'s' * (count != 1)}, {game.sides[0]} won {wins[0]}, {game.sides[1]} won {wins[1]}, "
            f"drawn {len(same) - sum(wins)}"
        )
    return lines
