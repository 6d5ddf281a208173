"""The commands for the morris networks: `kibitzer eval-neural`, `kibitzer serve-neural`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

import games
from agents.command_line import STOPPED, JsonOption, RuleOption, new_app, refusing
from agents.morris_networks import DESIGNS
from rules.options import rules_from_words
from system.weights import MODELS

app = new_app(no_args_is_help=True)

DesignOption = Annotated[
    str, typer.Option(help="ours: one network that weighs all moves. paper: three residual networks.")
]
NetworksOption = Annotated[Path, typer.Option(help="Folder with the networks and their manifest.toml.")]


@app.command("eval-neural")
def eval_neural(
    file: Annotated[Path, typer.Argument(help="File of good moves, one per line: the state, a hyphen, the move.")],
    design: DesignOption = DESIGNS[0],
    networks: NetworksOption = MODELS,
    held_out_seed: Annotated[
        int | None,
        typer.Option(
            "--held-out",
            min=0,
            max=2**20,
            help="Measure only the fifth that training with this seed held out; the shipped networks' seed is 1.",
        ),
    ] = None,
    confused: Annotated[
        bool, typer.Option("--confusion", help="Count, by phase, how purposes of moves are confused.")
    ] = False,
    timed: Annotated[bool, typer.Option("--time", help="Measure the time of one decision, on one thread.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measures how often the morris networks choose the good move: raw, before illegal moves are masked.

    Fields: states (a count); in percent: accuracy (whole moves), to, from, remove (each choice by itself), legality
    (whole moves that the rules of the data allow: flying, mills protected); and the same for placing, moving and
    flying. --confusion adds a table of purposes: the data's moves close a mill, block one, make two in a line, or none
    of these, and each row counts what the networks' moves do instead. --time adds decision_ms: processor time of a
    legal move for one state, median and 95th percentile of a thousand decisions.

    Example: kibitzer eval-neural good-moves.txt --held-out 1 --json
    """
    from agents.morris_networks.good_moves import held_out, read_good_moves
    from agents.morris_networks.measure import PURPOSES, confusion, decision_ms, measure
    from agents.morris_networks.networks import load_networks
    from games.nine_mens_morris import MorrisRules, NineMensMorris

    with refusing("eval-neural", OSError):
        loaded = load_networks(design, networks)
        good = read_good_moves(file)
        if held_out_seed is not None:
            good = good.rows(held_out(good.states, held_out_seed))
    answers = loaded.answers(good.states)
    figures = measure(good, answers)
    tables = confusion(good, answers) if confused else {}
    rules = MorrisRules(flying=True, mill_protected=True)
    decision = decision_ms(loaded, NineMensMorris(rules), good.states) if timed else {}
    if as_json:
        phases = {name: found for name, found in figures.items() if name != "all"}
        more: dict[str, object] = {"decision_ms": decision} if decision else {}
        if confused:
            more |= {"purposes": PURPOSES, "confusion": {name: table.tolist() for name, table in tables.items()}}
        typer.echo(json.dumps({"design": design, **figures["all"], "phases": phases, **more}))
        return
    for name, found in figures.items():
        shares = ", ".join(f"{what} {value}" for what, value in found.items())
        typer.echo(f"{name}: {shares}")
    if decision:
        typer.echo(f"a decision takes {decision['median']} ms, 95 % of them {decision['p95']} ms at most")
    for name, table in tables.items():
        typer.echo(f"\n{name + ', is':<16}" + "".join(f"{purpose:>9}" for purpose in PURPOSES))
        for purpose, row in zip(PURPOSES[:-1], table, strict=False):
            typer.echo(f"{'should be ' + purpose:<16}" + "".join(f"{count:>9}" for count in row))


@app.command("serve-neural")
def serve_neural(
    orange_port: Annotated[int, typer.Option(min=1, max=65535, help="Port for the moves of orange.")] = 5082,
    green_port: Annotated[int, typer.Option(min=1, max=65535, help="Port for the moves of green.")] = 5083,
    design: DesignOption = DESIGNS[0],
    rule: RuleOption = [],  # noqa: B006
    networks: NetworksOption = MODELS,
) -> None:
    """Serves the morris networks' moves over plain TCP on 127.0.0.1, until Ctrl-C.

    A request is one line of 28 characters, seen from the side to move: M (mine), E (the enemy's) or O (empty) for each
    of the 24 points, row by row from a7 to g1, then four digits: men in my hand, in the enemy's hand, mine on the
    board, the enemy's on the board. The answer is three lines, TO, FROM and REMOVE: numbers 1 to 24 in the same order,
    0 for none. Otherwise it is one line that begins with error:.

    Example: kibitzer serve-neural --rule flying=true --rule mill_protected=true
    """
    from agents.morris_networks.networks import load_networks
    from agents.morris_networks.service import HOST, Service
    from games.nine_mens_morris import NineMensMorris

    with refusing("serve-neural"):
        game = games.load(NineMensMorris.name, rules_from_words(rule))
        if not isinstance(game, NineMensMorris) or game.rules.men != 9 or game.rules.diagonals:
            raise ValueError(
                "the networks know the usual board and nine men a side: leave diagonals and men as they are"
            )
        if orange_port == green_port:
            raise ValueError(f"--orange-port and --green-port differ; both are {green_port}")
        service = Service(game, load_networks(design, networks))
    typer.echo(f"serving on {HOST}:{orange_port} (orange) and {HOST}:{green_port} (green); Ctrl-C ends it", err=True)
    try:
        with refusing("serve-neural", OSError):
            asyncio.run(service.listen((orange_port, green_port)))
    except KeyboardInterrupt:
        raise typer.Exit(STOPPED) from None
