"""`kibitzer move` asks an agent for moves, `kibitzer perft` counts move sequences."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Annotated, Any

import typer

import games
from agents import kernels, levels, players, registry
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.best_moves import MAX_MOVES, BestMoves
from agents.command_line import (
    EnginesOption,
    GameOption,
    JsonOption,
    RuleOption,
    check_seconds,
    new_app,
    position_of,
    refusing,
    use_engines,
)
from agents.perft import perft as count_sequences
from agents.search import MAX_DEPTH
from rules import AnyGame
from rules.options import rules_from_words

MAX_TIME_S = 3600.0

app = new_app(no_args_is_help=True)


@app.command("move")
def move(
    game: GameOption,
    agent: Annotated[
        str, typer.Option(help="Agent, such as mcts, level-3 or alphabeta:depth=6. Default: the agent of level 8.")
    ] = "",
    moves: Annotated[str | None, typer.Option(help='Moves so far, such as "d2 f4 d6xf4".')] = None,
    position: Annotated[str | None, typer.Option(help="Position as text, instead of --moves.")] = None,
    time_s: Annotated[float | None, typer.Option(help="Seconds to think. Without any limit: the agent's own.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, max=MAX_DEPTH, help="Plies to search.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, max=2**62, help="Positions to visit.")] = None,
    option: Annotated[list[str], typer.Option(help="Option of the agent k=v, such as table_mb=64. Repeatable.")] = [],  # noqa: B006
    rule: RuleOption = [],  # noqa: B006
    seed: Annotated[int | None, typer.Option(min=0, max=2**31, help="Seed of the agent's choices.")] = None,
    engines: EnginesOption = None,
    as_json: JsonOption = False,
    lines: Annotated[
        bool, typer.Option("--lines", help='Answers every line {"moves": ...} or {"position": ...} it reads, as JSON.')
    ] = False,
    nice: Annotated[int, typer.Option(min=0, max=19, help="How far other processes come first.")] = 0,
) -> None:
    """Asks an agent for one move, without a daemon.

    Fields: move, score (positive is good for the side to move; null without an opinion; 1000000 less the plies is a
    forced win), lead (score that is a clear advantage; null if unknown), nodes, depth, seconds, pv (expected moves),
    masked (illegal choices of networks that were passed over), from_book (whether it is from an opening book).
    The first move of a game after an update compiles its search: seconds, which are not counted.

    With --lines, a line may ask for several moves, {"moves": "d2 d6", "best": 3, "time_s": 1}. The answer is `best`,
    each with move, score, proven, depth, ends (plies to a forced end), discs, men, points, pv and why. The next line,
    also an empty one, ends the thinking about the last one.

    Example: kibitzer move --game morris --moves "d2 d6" --depth 6 --json
    """
    with refusing("move"):
        use_engines(engines)
        the_game = games.load(game, rules_from_words(rule))
        the_position = position_of(the_game, moves, position)
        lead = levels.lead(the_game.name)
        spec = players.parse(agent) if agent else levels.strongest(the_game.name)
        options = dict(spec.options) | _options(option) | ({} if seed is None else {"seed": str(seed)})
        player = registry.load_agent(spec.agent, the_game, options)
        if time_s is not None:
            check_seconds("--time-s", time_s, 86400)
        asked = Limits(time_s, depth, nodes)
        limits = spec.limits if asked == Limits() else asked
        if lines:
            os.nice(nice)
            _answer_lines(the_game, player, limits, lead)
            return
        answer = player.choose(the_position, limits, threading.Event())
    text = the_game.format_move(the_position, answer.move)
    if as_json:
        typer.echo(_as_json(text, answer, lead))
    else:
        score = "no opinion" if answer.score is None else f"score {answer.score:g}"
        masked = f", {answer.masked} illegal choices passed over" if answer.masked else ""
        how = "from the opening book" if answer.from_book else f"{answer.nodes} positions"
        typer.echo(f"{text}  {score}, depth {answer.depth}, {how}, {answer.seconds:.2f} s{masked}")


@app.command("perft")
def perft(
    game: GameOption,
    depth: Annotated[int, typer.Option(min=0, max=20, help="Plies.")],
    rule: RuleOption = [],  # noqa: B006
    removals_as_plies: Annotated[
        bool, typer.Option(help="A removal is a ply of its own, as in published counts.")
    ] = False,
    position: Annotated[str | None, typer.Option(help="Position as text, instead of the start.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Counts the move sequences of a length, to check the rules against published counts.

    Counts in machine code where the game has it, else by the rules in Python; compiling is not timed. Fields: game,
    depth, nodes, seconds.

    Example: kibitzer perft --game morris --depth 4 --rule flying=true --rule mill_protected=true --removals-as-plies
    """
    with refusing("perft"):
        the_game = games.load(game, rules_from_words(rule))
        start = position_of(the_game, None, position)
    if not removals_as_plies:
        kernels.perft(the_game, start, 1)  # compiles, or fetches from the disk
    began_s = time.perf_counter()
    count = None if removals_as_plies else kernels.perft(the_game, start, depth)
    if count is None:
        count = count_sequences(the_game, start, depth, removals_as_plies)
    seconds = round(time.perf_counter() - began_s, 3)
    if as_json:
        typer.echo(json.dumps({"game": the_game.name, "depth": depth, "nodes": count, "seconds": seconds}))
    else:
        typer.echo(f"{count} sequences of {depth} plies in {seconds} s")


def _options(words: list[str]) -> dict[str, str]:
    options = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise AgentError(f"an agent's option is name=value, such as table_mb=64, not {word!r}")
        options[name.strip()] = value.strip()
    return options


def _answer_lines(game: AnyGame, player: GameAgent, limits: Limits, lead: float | None) -> None:
    """Answers each line of the standard input by one, `{"error": ...}` where that is impossible, until it ends.

    A line that comes meanwhile makes the answer come at once; an empty line does only that.
    """
    lines: queue.Queue[tuple[str, threading.Event] | None] = queue.Queue()
    threading.Thread(target=_read_lines, args=(lines,), name="questions", daemon=True).start()
    best = BestMoves(game)
    while (given := lines.get()) is not None:
        line, stop = given
        try:
            asked = json.loads(line)
            position = position_of(game, asked.get("moves"), asked.get("position"))
            if "best" in asked:
                told = json.dumps({"best": _best(best, position, asked, stop), "lead": lead})
            else:
                answer = player.choose(position, limits, stop)
                told = _as_json(game.format_move(position, answer.move), answer, lead)
        except (ValueError, AttributeError, TypeError) as error:
            told = json.dumps({"error": str(error)})
        sys.stdout.write(told + "\n")
        sys.stdout.flush()


def _read_lines(lines: queue.Queue[tuple[str, threading.Event] | None]) -> None:
    """Hands on the lines of the standard input; each ends the thinking about the one before."""
    stop = threading.Event()
    for line in sys.stdin:
        stop.set()
        if line.strip():
            stop = threading.Event()
            lines.put((line, stop))
    lines.put(None)


def _best(best: BestMoves, position: Any, asked: dict[str, Any], stop: threading.Event) -> list[dict[str, object]]:
    count, time_s = asked["best"], asked.get("time_s", 1.0)
    if type(count) is not int or not 1 <= count <= MAX_MOVES:
        raise ValueError(f"best is a number of moves from 1 to {MAX_MOVES}, not {count!r}")
    if type(time_s) not in (int, float) or not 0 < time_s <= MAX_TIME_S:
        raise ValueError(f"time_s is between 0 and {MAX_TIME_S:g} seconds, not {time_s!r}")
    return best.find(position, count, float(time_s), stop)


def _as_json(text: str, answer: Answer, lead: float | None) -> str:
    return json.dumps(
        {
            "move": text,
            "score": answer.score,
            "lead": lead,
            "nodes": answer.nodes,
            "depth": answer.depth,
            "seconds": round(answer.seconds, 6),
            "pv": list(answer.pv),
            "masked": answer.masked,
            "from_book": answer.from_book,
        }
    )
