"""The menu as data: all choices for a new game. Added games and agents appear in it automatically."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import games
from daemon.commands.game_choice import choice_of
from daemon.commands.sources import is_same, names_of
from daemon.commands.strengths import engines_of, level_title, shown_name, strengths_of
from daemon.config.settings import JOINS, ClockSection, Config, PlayerSection
from daemon.supervision.camera import NONE
from daemon.words.translation import LANGUAGES, OPTION, alone, in_words, titled, worded, worded_n
from rules import HiddenHands
from rules.options import described
from vision.sources.cameras import Camera
from vision.sources.phone import PHONE
from wording.outside import shown_address

A_MOVE, A_GAME = (5, 10, 15), (10,)
"""Minutes of the preset clocks; custom minutes and increments may be any value in their range."""
MAX_JOINED = 64
"""Most agents from the bus that the menu of a game lists: strangers may offer thousands."""


def menu_of(
    config: Config,
    source: str,
    catalogue: Mapping[str, Any],
    listed: Sequence[Camera] = (),
    joined: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """All choices, and the current one.

    `source` is the camera named in the settings; `listed` are the cameras connected by cable; `joined` are the agents
    that workers offer on the bus, by game.
    """
    known, choice = catalogue.get("games", {}), choice_of(config)
    return {
        "ready": bool(known),
        "choice": choice,
        "games": [
            _game(name, known.get(name, {}), catalogue, _joining(config, name, catalogue, joined.get(name, ())))
            for name in games.names()
        ],
        "player": _ranges(PlayerSection, ("time_s", "depth", "nodes")),
        "clocks": _clocks(),
        "clock": _ranges(ClockSection, ("minutes", "increment_s")) | {"control": ["none", "move", "game"]},
        "languages": [{"code": code, "name": name} for code, name in LANGUAGES.items()],
        "cameras": _cameras((source, config.camera.source), listed),
    }


def _clocks() -> list[dict[str, Any]]:
    moves = [(worded_n("{count} minute a move", "{count} minutes a move", one), "move", one) for one in A_MOVE]
    whole = [(worded_n("{count} minute a game", "{count} minutes a game", one), "game", one) for one in A_GAME]
    timed = [
        {"title": title, "clock": {"control": control, "minutes": float(minutes)}}
        for title, control, minutes in moves + whole
    ]
    return [{"title": worded("no clock"), "clock": {"control": "none"}}, *timed]


def _cameras(known: Sequence[str], listed: Sequence[Camera]) -> list[dict[str, str]]:
    """No camera, those chosen by settings and players, and the others on a cable, each once."""
    texts = {name: camera.text for camera in listed for name in names_of(camera)}
    sources = [NONE, PHONE]
    for source in (*known, *(camera.stable or str(camera.number) for camera in listed)):
        if not any(is_same(source, other) for other in sources):
            sources.append(source)
    # The current choice keeps the name under which it was chosen.
    sources = [next((one for one in known[1:] if is_same(one, source)), source) for source in sources]
    titles = {NONE: worded("no camera"), PHONE: worded("a phone")}
    titles |= {one: worded("Camera {number}", number=one) for one in sources if one.isdecimal()}
    return [
        {"source": shown_address(one), "title": texts.get(one) or titles.get(one) or shown_address(one)}
        for one in sources
    ]


def _joining(config: Config, game: str, catalogue: Mapping[str, Any], joined: Sequence[str]) -> list[str]:
    """The agents of others: those that have joined, MAX_JOINED at most, and those that play now."""
    own = {agent["name"] for agent in catalogue.get("agents", ())}
    playing = [player.agent for player in config.players.both]
    awaited = [name for name in playing if name.startswith(JOINS) and games.find(config.game.name).name == game]
    return sorted({*awaited, *(JOINS + name for name in joined[:MAX_JOINED] if name not in own)})


def _game(name: str, known: Mapping[str, Any], catalogue: Mapping[str, Any], joining: Sequence[str]) -> dict[str, Any]:
    game = games.load(name)
    agents = [agent for agent in catalogue.get("agents", ()) if name in agent["games"]]
    return {
        "name": name,
        "title": alone("game", game.title),
        "sides": list(game.sides),
        "sets_up": not isinstance(game, HiddenHands),
        "proposed": dict(game.about.proposed),
        "rules": [_in_words(rule) for rule in described(type(game.rules))],
        "sets": [
            {"name": key, "title": alone("rules", one.title), "said": in_words(one.said), "options": dict(one.options)}
            for key, one in game.about.rule_sets.items()
        ],
        "levels": [level | {"title": level_title(level["name"])} for level in known.get("levels", [])],
        "strengths": strengths_of(known.get("levels", [])),
        "engines": engines_of(
            one["name"] for one in catalogue.get("known", ()) if one["installed"] and one["game"] == name
        ),
        "agents": [
            {
                "name": agent["name"],
                "title": shown_name(agent["name"]),
                "options": _options(agent, name, known, catalogue),
            }
            for agent in agents
            if not agent["name"].startswith("level-")
        ]
        + [{"name": agent, "title": agent, "options": []} for agent in joining],
    }


def _options(
    agent: Mapping[str, Any], game: str, known: Mapping[str, Any], catalogue: Mapping[str, Any]
) -> list[dict[str, Any]]:
    options = []
    for option in agent["options"]:
        if option["name"] == "opening_depth" and not known.get("opening"):
            continue
        choices = option["choices"]
        if option["name"] == "heuristic":
            choices = ["", *known.get("heuristics", ())]
        elif option["name"] == "engine":
            choices = ["", *(one["name"] for one in catalogue.get("engines", ()) if one["game"] == game)]
        options.append(_in_words(option | {"choices": choices}))
    return options


def _in_words(option: Mapping[str, Any]) -> dict[str, Any]:
    """A rule or option with its `title` and `doc` in the players' language, and the `titles` of its choices."""
    title, doc = alone(OPTION, titled(option["name"])), alone(OPTION, option["doc"])
    choices = option["choices"] or ()
    return {**option, "title": title, "doc": doc, "titles": {one: _choice(one) for one in choices}}


def _choice(name: str) -> str:
    """A side's name, or the translation of a choice; a choice without one, such as a number, stays as it is."""
    side = alone("side", name)
    return side if side != name else alone(OPTION, name)


def _ranges(section: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    properties = section.model_json_schema()["properties"]
    return {
        key: {
            "default": properties[key]["default"],
            "minimum": properties[key].get("minimum", properties[key].get("exclusiveMinimum")),
            "maximum": properties[key].get("maximum"),
        }
        for key in keys
    }
