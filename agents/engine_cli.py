"""`kibitzer engine`: runs our players as an engine for other programs."""

from __future__ import annotations

import logging
import sys
import threading
from typing import Annotated

import typer

import games
from agents import players, protocols
from agents.command_line import RuleOption, stop

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("engine")
def engine(
    game: Annotated[str, typer.Option(help="Game, by module or short name, such as gomoku.")],
    protocol: Annotated[
        str, typer.Option(help="gomocup (gomoku), gtp (gomoku, reversi), nboard (reversi) or uci (morris).")
    ],
    player: Annotated[
        str, typer.Option(help="Who plays, with options and limits, such as alphabeta:depth=6 or level-5.")
    ] = "alphabeta",
    rule: RuleOption = [],  # noqa: B006
) -> None:
    """Speaks a game's standard protocol on standard input and output, for tournament managers and boards by others.

    It keeps the protocol's time limits, with a reserve. END, quit or the end of the input stops it. uci is Sanmill's
    form of UCI: moves are d6 and d6-d5, and a removal such as xb4 is a separate move.

    Example: kibitzer engine --game reversi --protocol nboard --player alphabeta:time_s=2
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    lock = threading.Lock()

    def say(line: str) -> None:
        with lock:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    try:
        the_game = games.load(game, games.rules_from_words(rule))
        session = protocols.open_session(protocol, the_game, players.parse(player), say)
    except ValueError as error:
        raise stop("engine", error) from None
    while data := sys.stdin.buffer.readline(protocols.MAX_LINE_LENGTH):
        if not session.hear(data.decode("utf-8", "replace").strip("\r\n")):
            return
    session.close()
