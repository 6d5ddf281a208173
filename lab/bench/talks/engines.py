"""Whole games with others' engines at Kibitzer's table: our adapters ask them, our referee judges them.

In turn the engine begins, answers one of our quick players, and plays against itself. The first plies are drawn, so
that no game is like another.
"""

from __future__ import annotations

import dataclasses
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import games
from agents import engines, players, registry
from agents.agent import AgentError, GameAgent, Limits
from agents.players import PlayerSpec
from lab.bench.talks.tally import OPINION, Tally, spent_s
from lab.bench.talks.witnesses import GnuGo, Nobody, PythonChess, Witness

DRAWN = 2
"""Plies that are drawn before the players begin."""
MAX_PLIES = 600
"""More than a game of chess usually has until seventy-five quiet moves end it; in go 162 fill 9 lines twice."""


@dataclasses.dataclass(frozen=True)
class Partner:
    game: str
    protocol: str
    command: tuple[str, ...]
    own: str
    """Our player."""
    options: tuple[tuple[str, str], ...] = ()
    time_s: float = 0.02
    witness: Callable[[Any], Witness] = Nobody


PARTNERS = {
    "stockfish": Partner("chess", "uci", ("stockfish",), "alphabeta:depth=1", (("Threads", "1"),), witness=PythonChess),
    "gnuchess": Partner("chess", "uci", ("gnuchess", "--uci"), "alphabeta:depth=1", witness=PythonChess),
    "sjaakii": Partner("chess", "uci", ("sjaakii",), "alphabeta:depth=1", (("Ponder", "false"),), witness=PythonChess),
    "gnugo": Partner("go", "gtp", ("gnugo", "--mode", "gtp", "--level", "1"), "mcts:simulations=10", witness=GnuGo),
    "grhino": Partner("reversi", "gtp", ("gtp-rhino", "--level=1"), "alphabeta:depth=1"),
    "sanmill": Partner("morris", "uci", ("sanmill", "uci"), "alphabeta:depth=1"),
    "edax": Partner("reversi", "nboard", ("edax", "-nboard"), "alphabeta:depth=1"),
    "ntest": Partner("reversi", "nboard", ("ntest", "x"), "alphabeta:depth=1"),
    "rapfi": Partner("gomoku", "gomocup", ("pbrain-rapfi",), "alphabeta:depth=1"),
}
"""Debian's program `pachi` is a game of jumping, not the engine for go."""


def play(partner: Partner, command: tuple[str, ...], tally: Tally, games_count: int, folder: Path) -> None:
    """Plays the games in turn with one process of the engine, as one evening at a table would."""
    game = games.load(partner.game)
    table = "".join(f'"{name}" = "{value}"\n' for name, value in partner.options)
    head = f'[engines.partner]\nprotocol = "{partner.protocol}"\ngame = "{game.name}"\ncommand = {list(command)}\n'
    (folder / "engines.toml").write_text(f"{head}[engines.partner.options]\n{table}", encoding="utf-8")
    engines.use(folder / "engines.toml")
    own = players.parse(partner.own)
    theirs: Any = registry.load_agent("external", game, {"engine": "partner"})
    ours = registry.load_agent(own.agent, game, dict(own.options))
    try:
        for number in range(games_count):
            seats = ((theirs, ours), (ours, theirs), (theirs, theirs))[number % 3]
            witness = partner.witness(game)
            try:
                _game(game, seats, theirs, partner, own, witness, tally, random.Random(number))
            except AgentError as error:
                tally.fault(str(error))
            finally:
                witness.close()
            tally.games += 1
        tally.theirs_s = spent_s(command)
    finally:
        theirs.close()


def _game(
    game: Any,
    seats: tuple[GameAgent, GameAgent],
    theirs: GameAgent,
    partner: Partner,
    own: PlayerSpec,
    witness: Witness,
    tally: Tally,
    draw: random.Random,
) -> None:
    position = game.initial()
    for ply in range(MAX_PLIES):
        if game.outcome(position) is not None:
            if differs := witness.judge(position):
                tally.fault(differs, OPINION)
            return
        agent = seats[game.to_move(position)]
        if ply < DRAWN:
            move = draw.choice(game.legal_moves(position))
        elif agent is theirs:
            began_s = time.process_time()
            move = agent.choose(position, Limits(time_s=partner.time_s), threading.Event()).move
            tally.ours_s += time.process_time() - began_s
        else:
            move = agent.choose(position, own.limits, threading.Event()).move
        if differs := witness.see(position, move):
            tally.fault(differs, OPINION)
            return
        position = game.apply(position, move)
        tally.plies += 1
    tally.fault(f"not over after {MAX_PLIES} plies: {game.format_position(position)}")
