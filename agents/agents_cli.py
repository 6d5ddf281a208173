"""`kibitzer agents`: lists players, their options and each game's levels."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

import typer

import games
from agents import engines as outside
from agents import heuristics, levels, registry
from agents.command_line import EnginesOption, JsonOption, new_app, refusing, use_engines
from agents.engines.known import known
from agents.search import MAX_DEPTH
from rules.options import described

app = new_app()


@app.command("agents")
def agents(
    game: Annotated[str, typer.Option(help="Only who plays this game, by module or short name.")] = "",
    engines: EnginesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists the agents, the options that each takes, and the levels of every game.

    Example: kibitzer agents --game reversi
    """
    with refusing("agents"):
        use_engines(engines)
        choices = catalogue((games.find(game).name,) if game else games.names())
    typer.echo(json.dumps(choices, ensure_ascii=False) if as_json else _as_text(choices))


def catalogue(wanted: tuple[str, ...]) -> dict[str, Any]:
    """Everything a page or command line can choose for players of these games. Raises AgentError for bad engine files.

    `agents`: each with `name`, `games` and `options` as in `rules.options.described`. `games`: by name the `levels`
    (each with the player behind it), the `heuristics`, and whether the game has an `opening` with a depth of its own.
    `known`: the engines that need no configuration, with Debian's `package`, and whether they are `installed`.
    """
    listed = [_agent(name, wanted) for name in registry.names()]
    found = [dataclasses.asdict(engine) for engine in outside.load().values()]
    return {
        "agents": [agent for agent in listed if agent["games"]],
        "games": {name: _game(name) for name in wanted},
        "engines": [{key: engine[key] for key in ("name", "game", "protocol")} for engine in found],
        "known": [
            {"name": one.name, "game": one.game, "package": one.package, "installed": one.path is not None}
            for one in known()
            if one.game in wanted
        ],
        "most_depth": MAX_DEPTH,
    }


def _agent(name: str, wanted: tuple[str, ...]) -> dict[str, Any]:
    kind: Any = registry.find(name)
    plays = [game for game in wanted if kind.plays(games.load(game))]
    return {"name": name, "games": plays, "options": described(kind.Options)}


def _game(name: str) -> dict[str, Any]:
    game = games.load(name)
    of_levels = [{"name": f"level-{number}", "player": spec.text} for number, spec in enumerate(levels.of(name), 1)]
    return {"levels": of_levels, "heuristics": list(heuristics.of(game)), "opening": heuristics.has_opening(game)}


def _as_text(choices: dict[str, Any]) -> str:
    lines: list[str] = []
    for agent in choices["agents"]:
        lines.append(f"{agent['name']}: {', '.join(agent['games'])}")
        lines += [f"    {option['name']} = {option['default']}: {option['doc']}" for option in agent["options"]]
    for name, game in choices["games"].items():
        lines.append(f"{name}: heuristics {', '.join(game['heuristics'])}")
        lines += [f"    {level['name']}: {level['player']}" for level in game["levels"]]
    missing = [one for one in choices["known"] if not one["installed"]]
    lines += [f"{one['name']}: {one['game']}, not installed: apt install {one['package']}" for one in missing]
    lines += [f"engine {engine['name']}: {engine['game']} by {engine['protocol']}" for engine in choices["engines"]]
    return "\n".join(lines)
