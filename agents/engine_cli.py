"""`kibitzer engine`: runs our players as an engine for other programs."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

import games
from agents import levels, players, protocols, real_board
from agents.agent import AgentError
from agents.command_line import RuleOption, new_app, refusing
from agents.players import PlayerSpec
from rules.options import rules_from_words

BOARD_PROTOCOLS = ("gtp", "uci")
"""Protocols that can say that there is no move."""
app = new_app()


@app.command("engine")
def engine(
    game: Annotated[str, typer.Option(help="Game, by module or short name, such as gomoku.")],
    protocol: Annotated[
        str,
        typer.Option(help="gomocup (gomoku), gtp (go, gomoku, reversi), nboard (reversi) or uci (chess, morris)."),
    ],
    player: Annotated[
        str,
        typer.Option(
            help="Who plays, with options and limits, such as alphabeta:depth=6. Default: the agent of level 8."
        ),
    ] = "",
    rule: RuleOption = [],  # noqa: B006
    board: Annotated[
        bool, typer.Option("--board", help="The real board plays: a person's moves, as the eyes see them (gtp, uci).")
    ] = False,
    config: Annotated[
        Path | None, typer.Option(help="Settings of the table for --board. Default: page 8765 and bus 5556.")
    ] = None,
) -> None:
    """Speaks a game's standard protocol on standard input and output, for tournament managers and boards by others.

    It keeps the protocol's time limits, with a reserve. END, quit or the end of the input stops it. For
    morris uci is Sanmill's form of it: moves are d6 and d6-d5, and a removal such as xb4 is a separate move.

    With --board the other program plays at the real table. Its moves are said there, and the person's move, once it is
    made and judged, is the engine's answer. The daemon of the table is started if none answers.

    Example: kibitzer engine --game reversi --protocol nboard --player alphabeta:time_s=2

    Example: kibitzer engine --game chess --protocol uci --board
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    lock = threading.Lock()

    def say(line: str) -> None:
        with lock:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    with refusing("engine"):
        the_game = games.load(game, rules_from_words(rule))
        spec = players.parse(player) if player else levels.strongest(the_game.name)
        daemon = None
        if board:
            spec = _at_the_board(protocol, player)
            daemon = real_board.start_daemon(real_board.use(config), config)
        elif config is not None:
            raise ValueError("--config is for --board")
        session = protocols.open_session(protocol, the_game, spec, say)
    goes_on = True
    try:
        while goes_on and (data := sys.stdin.buffer.readline(protocols.MAX_LINE_LENGTH)):
            goes_on = session.hear(data.decode("utf-8", "replace").strip("\r\n"))
        if goes_on:
            session.close()
    finally:
        if board and goes_on:
            session.hear("quit")  # nobody is there any more to be told the person's move
        if daemon is not None:
            daemon.end(real_board.END_S)


def _at_the_board(protocol: str, player: str) -> PlayerSpec:
    """The person at the real board as a player. Raises AgentError where something else was asked for."""
    if protocol not in BOARD_PROTOCOLS:
        raise AgentError(f"--board speaks {' and '.join(BOARD_PROTOCOLS)}, not {protocol}")
    spec = players.parse(player or real_board.Board.name)
    if spec.agent != real_board.Board.name:
        raise AgentError(f"--board or --player {spec.agent}, not both")
    return spec
