"""`kibitzer tell`: says to the running daemon what the board does not show, and what people want of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from daemon.commands.command import (
    Adopt,
    Coach,
    Command,
    Correct,
    EndMove,
    Hand,
    Move,
    Mover,
    NewGame,
    Pass,
    Pause,
    Repeat,
    Resign,
    Resume,
    Undo,
)
from daemon.commands.page_client import address_of, send
from daemon.config.settings import DEFAULT, ConfigError, load_config

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
ConfigOption = Annotated[Path, typer.Option("--config", help="Settings of the daemon: where its page is.")]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Its page's port; 0: as configured.")]
SideArgument = Annotated[str, typer.Argument(help="A side's name, such as light.")]


@app.callback()
def tell() -> None:
    """Tell the running daemon what the board does not show, and what you want of it.

    What happened is printed, and said at the table. Exit status: 0 accepted, 1 refused, 2 no daemon or wrong usage.

    Example: kibitzer tell undo
    """


@app.command("pass")
def say_pass(
    choice: Annotated[str, typer.Argument(help="What is decided, where there is a choice, such as black.")] = "",
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """The side to move passes, or ends its turn after a double; in gomoku's swap2 it decides without a stone.

    Example: kibitzer tell pass
    """
    _tell(Pass(choice), config, port, "pass")


@app.command("move")
def move(
    text: Annotated[str, typer.Argument(help="The move as the game writes it, such as d2-d3.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """The side to move makes a move, where no camera watches the board.

    A move that the rules forbid is refused with the rule.

    Example: kibitzer tell move d2xf4
    """
    _tell(Move(text), config, port, "move")


@app.command("hand")
def hand(
    tiles: Annotated[list[str], typer.Argument(help="The tiles, such as 0-3 5-5 1-4.")],
    side: Annotated[str, typer.Option(help="Whose they are: a side's name; else the only agent's.")] = "",
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """An agent's tiles lie on the table before it, and no camera reads them: those are they.

    Tell them before each of its turns; until then it plays as if it held any.

    Example: kibitzer tell hand 0-3 5-5 1-4 6-6 --side green
    """
    _tell(Hand(tuple(tiles), side.lower()), config, port, "hand")


@app.command("undo")
def undo(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """The last move is taken back, or a pass or resignation told after it.

    The daemon says which men to put back, and judges nothing until they are. Against an agent your own last move goes
    too. Men may also be put back without a word: then that is seen.

    Example: kibitzer tell undo
    """
    _tell(Undo(), config, port, "undo")


@app.command("mover")
def mover(
    side: Annotated[str, typer.Argument(help="Who made the move: a side's name, such as green.")],
    move: Annotated[
        int, typer.Option("--move", min=0, max=10_000, help="Its number, counted without passes; 0: the last.")
    ] = 0,
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """A move was made by that side, in games whose men belong to nobody: points are worked out again from there.

    Example: kibitzer tell mover green --move 7
    """
    _tell(Mover(side.lower(), move or None), config, port, "mover")


@app.command("correct")
def correct(
    cell: Annotated[str, typer.Argument(help="A cell, such as d2.")],
    piece: Annotated[str, typer.Argument(help="What stands there: a side's name, pips in dominoes, or empty.")],
    config: ConfigOption = DEFAULT,
    port: PortOption = 0,
) -> None:
    """The eyes misread a cell: that stands there, until the cell changes.

    Legal play must lead to the board with it, or the board must be less wrong with it than without.

    Example: kibitzer tell correct d2 light
    """
    _tell(Correct(cell, piece), config, port, "correct")


@app.command("adopt")
def adopt(side: SideArgument = "", config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """The board in view is the position, and SIDE moves next; without SIDE whoever moves as the game stands.

    Where legal play leads to it, the moves are recorded. Else a new game begins with it, where the game allows that.

    Example: kibitzer tell adopt dark
    """
    _tell(Adopt(side), config, port, "adopt")


@app.command("pause")
def pause(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Nothing on the board counts until you resume; clocks stand, agents are not asked.

    Example: kibitzer tell pause
    """
    _tell(Pause(), config, port, "pause")


@app.command("resume")
def resume(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """The paused game goes on.

    Example: kibitzer tell resume
    """
    _tell(Resume(), config, port, "resume")


@app.command("resign")
def resign(side: SideArgument = "", config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """SIDE gives up; without SIDE the only person, or of two people the side to move. Undo takes it back.

    Example: kibitzer tell resign light
    """
    _tell(Resign(side), config, port, "resign")


@app.command("new-game")
def new_game(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """A new game begins; the present one stays in the record as it stands.

    Example: kibitzer tell new-game
    """
    _tell(NewGame(), config, port, "new-game")


@app.command("end-move")
def end_move(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """The move is made: read the board at once and judge it, as the space key does.

    Example: kibitzer tell end-move
    """
    _tell(EndMove(), config, port, "end-move")


@app.command("coach")
def coach(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Ask who stands better and what the best move is; the answer is said at the table after a few seconds.

    Example: kibitzer tell coach
    """
    _tell(Coach(), config, port, "coach")


@app.command("repeat")
def repeat(config: ConfigOption = DEFAULT, port: PortOption = 0) -> None:
    """Say again what was said last.

    Example: kibitzer tell repeat
    """
    _tell(Repeat(), config, port, "repeat")


def _tell(command: Command, config: Path, port: int, name: str) -> None:
    """Sends a command, prints what became of it, and exits."""
    try:
        page = load_config(config).page
    except ConfigError as error:
        _fail(name, str(error))
    status, text = send(address_of(page, port), command)
    if status == 0:
        _fail(name, text)
    (sys.stdout if status == 200 else sys.stderr).write(text + "\n")
    raise typer.Exit({200: 0, 409: 1}.get(status, 2))


def _fail(name: str, text: str) -> NoReturn:
    sys.stderr.write(f"kibitzer tell {name}: {text}\n")
    raise typer.Exit(2)
