"""`kibitzer analyse`: judges the moves of one game, each in a line of its own as soon as it is found."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Annotated, Any

import typer

import games
from agents import engines as outside
from agents import players, registry
from agents.agent import AgentError
from agents.analysis import TIME_S, Analyst, Choice, Judged
from agents.command_line import (
    EnginesOption,
    GameOption,
    RuleOption,
    check_seconds,
    moves_of,
    new_app,
    refusing,
    use_engines,
)
from agents.engines.known import known
from agents.players import Player
from agents.values import mark_of
from rules import AnyGame, GameError
from rules.options import rules_from_words

app = new_app()

MAX_BYTES = 16 << 20
GO_ON = threading.Event()
"""Never set: whoever has enough ends the process."""


@app.command("analyse")
def analyse(
    game: GameOption,
    moves: Annotated[str, typer.Option(help='Moves of the game, such as "d2 f4 d6xf4"; - reads a JSON object.')],
    start: Annotated[str, typer.Option(help="Position before the first move, as text. Default: the start.")] = "",
    time_s: Annotated[float, typer.Option(help="Seconds to think about a position.")] = TIME_S,
    engine: Annotated[
        str,
        typer.Option(help="Agent or engine whose opinion is asked as well. Default: Stockfish, GNU-Go, if installed."),
    ] = "",
    rule: RuleOption = [],  # noqa: B006
    engines: EnginesOption = None,
    background: Annotated[
        bool, typer.Option("--background", help="Run at the lowest priority, so that nothing else is slowed.")
    ] = False,
) -> None:
    """Judges every move of a game, from the last to the first: one JSON object a line.

    First `plies`, `unit` (what people count: disc, man, point or nothing), and `fault`, why the game can be read no
    further. Then for the last position and for each move: `ply`, `move`, `side`, `value` (score; chance: the share of
    the point to expect, 0 to 1; amount in units; plies to a forced end; exact), `best` (move, value, line, depth),
    `lost` (share of the point), `lost_amount`, `mark` (slip, mistake, blunder), and `engine`, the other's move and
    score, or `engine_fault`, why it is asked no more. `fair` is false where nothing can be said about a move from a
    hidden hand.

    With `--moves -` the object on the standard input has `moves`, and may have `start`, and `positions`, each before
    its move, where the moves alone do not tell the hands.

    Example: kibitzer analyse --game reversi --moves "f5 d6 c3"
    """
    if background:
        _stand_back()
    with refusing("analyse"):
        check_seconds("--time-s", time_s, 3600)
        use_engines(engines)
        the_game = games.load(game, rules_from_words(rule))
        asked = _asked(moves, start)
        second = _second(the_game, engine, time_s)
        for told in judgements(the_game, asked, time_s, second):
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()


def _stand_back() -> None:
    """Takes only what no other process wants of the processor."""
    os.nice(19)
    with contextlib.suppress(AttributeError, OSError):  # not on this system
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


@dataclasses.dataclass(frozen=True)
class Asked:
    moves: tuple[str, ...]
    start: str = ""
    positions: tuple[str, ...] = ()
    """Before each move; empty where the moves tell them."""


def _asked(moves: str, start: str) -> Asked:
    if moves != "-":
        return Asked(tuple(moves_of(moves)), start)
    try:
        told = json.loads(sys.stdin.buffer.read(MAX_BYTES))
        if isinstance(told["moves"], str):
            raise ValueError
        return Asked(tuple(map(str, told["moves"])), str(told.get("start", "")), tuple(told.get("positions", ())))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError('--moves - reads an object with "moves", a list of move texts') from None


def _second(game: AnyGame, engine: str, time_s: float) -> Player | None:
    if not engine:
        asked = (one.name for one in known() if one.reviews and registry.find(one.name).plays(game))
        engine = next((f"{name}:level=8" for name in asked), "")
    if not engine:
        return None
    if engine in outside.load():
        engine = f"external:engine={engine}"
    spec = players.parse(engine)
    return Player(dataclasses.replace(spec, limits=dataclasses.replace(spec.limits, time_s=time_s)), game)


def judgements(game: AnyGame, asked: Asked, time_s: float, second: Player | None = None) -> Iterator[dict[str, Any]]:
    """The head, the last position, then every move from the last on, as objects. Raises ValueError."""
    positions, moves, fault = _played(game, asked)
    analyst = Analyst(game, time_s)
    yield {"plies": len(moves), "unit": analyst.scale.unit, "lead": analyst.scale.lead, "fault": fault}
    last = positions[-1]
    after = analyst.end(last) or analyst.best(last, GO_ON)
    best = None if after.move is None else _choice(game, last, after)
    yield {"ply": len(moves) + 1, "side": game.to_move(last), "value": dataclasses.asdict(after.value), "best": best}
    for index in reversed(range(len(moves))):
        judged = analyst.judged(positions[index], moves[index], GO_ON, after)
        more: dict[str, Any] = {}
        if second is not None:
            try:
                move, more["engine"] = _opinion(game, positions[index], second)
                judged = analyst.reconsidered(positions[index], judged, move, GO_ON)
            except AgentError as error:
                more["engine_fault"], second = str(error), None
        after = judged.best
        yield _told(game, positions[index], index + 1, judged) | more


def _played(game: AnyGame, asked: Asked) -> tuple[list[Any], list[Any], str]:
    """The positions and moves as far as the game can be read, and why not further. Raises ValueError."""
    starts = [game.parse_position(asked.start)] if asked.start else list(game.starts)
    best: tuple[list[Any], list[Any], str] | None = None
    for start in starts:
        positions, moves, fault = [start], [], ""
        for number, text in enumerate(asked.moves):
            try:
                if number < len(asked.positions):
                    positions[-1] = game.parse_position(asked.positions[number])
                move = game.parse_move(positions[-1], text)
                positions.append(game.apply(positions[-1], move))
                moves.append(move)
            except GameError as error:
                fault = f"move {number + 1}, {text[:40]}: {error}"
                break
        if best is None or len(moves) > len(best[1]):
            best = positions, moves, fault
    assert best is not None  # every game has a start
    return best


def _opinion(game: AnyGame, position: Any, second: Player) -> tuple[Any, dict[str, Any]]:
    answer = second.choose(position)
    text = game.format_move(position, answer.move)
    return answer.move, {"move": text, "score": answer.score, "line": list(answer.pv)}


def _told(game: AnyGame, position: Any, ply: int, judged: Judged) -> dict[str, Any]:
    return {
        "ply": ply,
        "side": game.to_move(position),
        "move": game.format_move(position, judged.made.move),
        "value": dataclasses.asdict(judged.made.value),
        "best": _choice(game, position, judged.best),
        "lost": judged.lost,
        "lost_amount": judged.lost_amount,
        "fair": judged.fair,
        "mark": mark_of(judged.lost) if judged.fair else "",
    }


def _choice(game: AnyGame, position: Any, choice: Choice) -> dict[str, Any]:
    return {
        "move": game.format_move(position, choice.move),
        "value": dataclasses.asdict(choice.value),
        "line": list(choice.line),
        "depth": choice.depth,
    }
