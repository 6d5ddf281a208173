"""`kibitzer tell`: tells the running daemon what the board does not show, and what people want."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.wrong_call import stop
from daemon.commands.command import (
    MAX_PACE_S,
    Adopt,
    Agree,
    Best,
    Coach,
    Command,
    Correct,
    Count,
    EndMove,
    Hand,
    Move,
    Mover,
    NewGame,
    Pace,
    Pass,
    Pause,
    Position,
    Puzzle,
    Repeat,
    Resign,
    Resume,
    Undo,
)
from daemon.commands.page_client import address_of, send
from daemon.config.settings import DEFAULT, ConfigError, load_config

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
ConfigOption = Annotated[Path, typer.Option("--config", help="The daemon's settings; they say where its page is.")]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port of the daemon's page; 0: as configured.")
]
SideArgument = Annotated[str, typer.Argument(help="A side's name, such as light.")]


@app.callback()
def tell() -> None:
    """Tell the running daemon what the board does not show, and what you want.

    The result is printed here and said at the table. Exit status: 0 accepted, 1 refused, 2 no daemon or wrong usage.

    Example: kibitzer tell undo
    """


@app.command("pass")
def say_pass(
    choice: Annotated[str, typer.Argument(help="What you decide, if there is a choice, such as black.")] = "",
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Pass, or end the turn after a double; in gomoku's swap and swap2, choose without placing a stone.

    Example: kibitzer tell pass
    """
    _tell(Pass(choice), config, port, "pass")


@app.command("move")
def move(
    text: Annotated[str, typer.Argument(help="The move as the game writes it, such as d2-d3.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Make a move for the side to move, when no camera watches the board.

    An illegal move is refused, and the answer names the broken rule.

    Example: kibitzer tell move d2xf4
    """
    _tell(Move(text), config, port, "move")


@app.command("hand")
def hand(
    tiles: Annotated[list[str], typer.Argument(help="The tiles, such as 0-3 5-5 1-4.")],
    side: Annotated[str, typer.Option(help="Whose tiles they are: a side's name. Default: the only agent.")] = "",
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Tell an agent which tiles it holds, because no camera can see them.

    Do this before each of its turns; until then it plays as if it could hold any tiles.

    Example: kibitzer tell hand 0-3 5-5 1-4 6-6 --side green
    """
    _tell(Hand(tuple(tiles), side.lower()), config, port, "hand")


@app.command("undo")
def undo(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Take back the last move, or a pass or resignation told after it.

    The daemon says which pieces to put back, and judges nothing until that is done. Against an agent, your own last
    move is taken back too. You can also just put the pieces back: the camera notices.

    Example: kibitzer tell undo
    """
    _tell(Undo(), config, port, "undo")


@app.command("mover")
def mover(
    side: Annotated[str, typer.Argument(help="The side that made the move, such as green.")],
    move: Annotated[
        int, typer.Option("--move", min=0, max=10_000, help="Number of the move, not counting passes; 0: the last.")
    ] = 0,
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Correct who made a move, in games whose pieces belong to nobody; points are recomputed from there.

    Example: kibitzer tell mover green --move 7
    """
    _tell(Mover(side.lower(), move or None), config, port, "mover")


@app.command("correct")
def correct(
    cell: Annotated[str, typer.Argument(help="A cell, such as d2.")],
    piece: Annotated[str, typer.Argument(help="What is on it: a side's name, pips in dominoes, or empty.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Correct a cell that the camera misread; this holds until the cell changes.

    The correction must give a board that legal play leads to, or at least make the board less wrong.

    Example: kibitzer tell correct d2 light
    """
    _tell(Correct(cell, piece), config, port, "correct")


@app.command("adopt")
def adopt(side: SideArgument = "", config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Accept the board in view as the position, with SIDE to move next; by default the side whose turn it is.

    If legal play leads to that board, the moves are recorded. Otherwise a new game begins from it, if the game allows
    that.

    Example: kibitzer tell adopt dark
    """
    _tell(Adopt(side), config, port, "adopt")


@app.command("pause")
def pause(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Pause the game: until you resume, nothing on the board counts, clocks stop and agents are not asked.

    Example: kibitzer tell pause
    """
    _tell(Pause(), config, port, "pause")


@app.command("resume")
def resume(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Go on with the paused game.

    Example: kibitzer tell resume
    """
    _tell(Resume(), config, port, "resume")


@app.command("pace")
def pace(
    seconds: Annotated[float, typer.Argument(min=0, max=MAX_PACE_S, help="0 is as fast as they think.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Let two agents that play without camera and clock wait SECONDS before each move.

    Example: kibitzer tell pace 2
    """
    _tell(Pace(seconds), config, port, "pace")


@app.command("resign")
def resign(side: SideArgument = "", config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Resign for SIDE; by default for the only person, or for the side to move if two people play. Undo reverts it.

    Example: kibitzer tell resign light
    """
    _tell(Resign(side), config, port, "resign")


@app.command("new-game")
def new_game(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Begin a new game; the present one stays in the record as it is.

    Example: kibitzer tell new-game
    """
    _tell(NewGame(), config, port, "new-game")


@app.command("position")
def position(
    text: Annotated[list[str], typer.Argument(help="The position as the game writes it, such as a FEN.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Begin a new game from a position; the present one stays in the record as it is.

    Set the board up as it is drawn. `kibitzer games show --json` tells the positions of recorded games.

    Example: kibitzer tell position "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    """
    _tell(Position(" ".join(text)), config, port, "position")


@app.command("end-move")
def end_move(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Say that the move is made: the board is read and judged at once, as with the space key.

    Example: kibitzer tell end-move
    """
    _tell(EndMove(), config, port, "end-move")


@app.command("puzzle")
def puzzle(
    puzzle_id: Annotated[str, typer.Argument(metavar="[ID]", help="Its id, or the beginning of it.")] = "",
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Set a puzzle of the game at the table; without an id, the next unsolved one.

    Set the board up as it is drawn, then make the winning move.

    Example: kibitzer tell puzzle
    """
    _tell(Puzzle(puzzle_id), config, port, "puzzle")


@app.command("best")
def best(
    side: Annotated[str, typer.Argument(help="The side that wants to see them, where two people play.")] = "",
    hide: Annotated[bool, typer.Option("--hide", help="Hide them.")] = False,
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """Show the best moves on the board, with their values, or hide them.

    Two people see them once both want to. A game against an agent becomes practice, and does not count in the ranking.

    Example: kibitzer tell best light
    """
    _tell(Best(not hide, side), config, port, "best")


@app.command("count")
def count(
    cell: Annotated[str, typer.Argument(help="A cell with one of the pieces, such as C3.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """After the end of go: the stones around that point count as captured as they stand, or no longer.

    Kibitzer proposes which stones are dead. Mark what it sees wrongly, then agree.

    Example: kibitzer tell count C3
    """
    _tell(Count(cell), config, port, "count")


@app.command("agree")
def agree(side: SideArgument = "", config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Agree to how the game that is over is counted; without a side, all people at the table agree.

    Example: kibitzer tell agree
    """
    _tell(Agree(side.lower()), config, port, "agree")


@app.command("coach")
def coach(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Ask who is better and what the best move is; the answer is said at the table after a few seconds.

    Example: kibitzer tell coach
    """
    _tell(Coach(), config, port, "coach")


@app.command("repeat")
def repeat(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Repeat what was said last.

    Example: kibitzer tell repeat
    """
    _tell(Repeat(), config, port, "repeat")


def _tell(command: Command, config: Path, port: int, name: str) -> None:
    """Sends a command, prints the result, and exits."""
    try:
        page = load_config(config).page
    except ConfigError as error:
        raise stop(f"tell {name}", str(error)) from None
    status, text = send(address_of(page, port), command)
    if status == 0:
        raise stop(f"tell {name}", text)
    (sys.stdout if status == 200 else sys.stderr).write(text + "\n")
    raise typer.Exit({200: 0, 409: 1}.get(status, 2))
