"""Choices for a game: sections of the settings, validated by the same code and kept for the next start."""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

import games
from calibration.atomic_file import write_atomically
from daemon.commands.command import CommandError
from daemon.commands.sources import meant
from daemon.config.settings import JOINS, Config, PlayerSection, fault_text
from rules import AnyGame, GameError, HiddenHands, UnknownGame
from wording.outside import STARS, shown_address

LOGGER = logging.getLogger(__name__)
SECTIONS: dict[str, tuple[str, ...]] = {
    "game": ("name", "rules", "deal_seed"),
    "players": ("first", "second"),
    "clock": ("control", "minutes", "increment_s", "warn_s", "lose"),
    "speech": ("enabled", "language"),
    "camera": ("source",),
}
"""The sections and keys of the settings that may be chosen."""
START = {"start": ("position",)}
"""What may be chosen for one game and is not kept: the position from which it begins, as text."""
LIVE = ("clock", "speech")
"""The sections that may also be changed in the middle of a game."""
TOGETHER = dict.fromkeys(("game", "players", "clock"), ("game", "players", "clock"))
"""The sections of which none is chosen without the others."""
MAX_BYTES = 16384


Choice = dict[str, dict[str, Any]]
"""Keys and values by section."""


class ChoiceError(ValueError):
    """An invalid choice; the message names key and value."""


def parse_choice(words: object) -> Choice:
    """Parses a choice from outside: sections with keys that may be chosen. Raises CommandError."""
    known = SECTIONS | START
    if not isinstance(words, Mapping) or not words:
        raise CommandError(f"a choice is an object with some of {', '.join(known)}")
    for section, keys in words.items():
        if section not in known:
            raise CommandError(f"{str(section)[:32]}: may not be chosen; {', '.join(known)} may")
        if not isinstance(keys, Mapping):
            raise CommandError(f"{section} is an object with some of {', '.join(known[section])}")
        strange = [str(key)[:32] for key in keys if key not in known[section]]
        if strange:
            raise CommandError(f"{section}.{strange[0]}: may not be chosen; {', '.join(known[section])} may")
    return {section: dict(keys) for section, keys in words.items()}


def parse_change(words: object) -> Choice:
    """Parses a change for the game that is played: a choice of nothing but the sections LIVE. Raises CommandError."""
    choice = parse_choice(words)
    if strange := [section for section in choice if section not in LIVE]:
        raise CommandError(f"{strange[0]}: needs a new game; {' and '.join(LIVE)} may be changed in one")
    return choice


def choice_of(config: Config) -> dict[str, Any]:
    """The part of the settings that may be chosen, with the camera as everybody may see it."""
    dumped = config.model_dump(mode="json")
    dumped["camera"]["source"] = shown_address(config.camera.source)
    dumped["game"]["name"] = games.find(config.game.name).name
    return {section: {key: dumped[section][key] for key in keys} for section, keys in SECTIONS.items()}


def chosen(config: Config, choice: Mapping[str, Mapping[str, Any]], catalogue: Mapping[str, Any]) -> Config:
    """The settings with a choice applied. Raises ChoiceError listing every fault at once.

    A game, a player and a clock are replaced as a whole: omitted keys get their defaults. Omitted keys of speech and
    camera keep their values. A person's name does not stay where an agent sits.
    """
    merged = config.model_dump()
    for section, keys in choice.items():
        if section in START:
            continue
        whole = section in ("game", "clock")
        merged[section] = dict(keys) if whole else {**merged[section], **keys}
    for player in merged["players"].values():
        if isinstance(player, dict) and player.get("agent"):
            player.pop("name", None)
    try:
        wanted = Config.model_validate(merged)
    except ValidationError as error:
        raise ChoiceError("\n".join(fault_text(fault) for fault in error.errors(include_url=False))) from error
    try:
        game = games.load(wanted.game.name, wanted.game.rules)
    except GameError as error:
        key = "game.name" if isinstance(error, UnknownGame) else "game.rules"
        raise ChoiceError(f"{key}: {error}") from error
    if faults := player_faults(wanted, game.name, catalogue):
        raise ChoiceError("\n".join(faults))
    return wanted


def start_of(choice: Mapping[str, Mapping[str, Any]], game: AnyGame) -> Any:
    """The position from which the chosen game begins; None where it begins as usual. Raises ChoiceError."""
    text = choice.get("start", {}).get("position")
    if text is None:
        return None
    try:
        position = game.parse_position(str(text))
    except GameError as error:
        raise ChoiceError(f"start.position: {error}") from error
    if isinstance(game, HiddenHands):
        raise ChoiceError(f"start.position: {game.title} hides what its players hold, which a position does not tell")
    if game.outcome(position) is not None:
        raise ChoiceError(f"start.position = {str(text)[:80]!r}: the game is over there")
    return None if game.starts == (position,) else position


def player_faults(config: Config, game: str, catalogue: Mapping[str, Any]) -> list[str]:
    """What is wrong with the players, according to the catalogue of agents; nothing while the catalogue is unknown."""
    players = {"players.first": config.players.first, "players.second": config.players.second}
    return [fault for key, player in players.items() for fault in _faults(key, player, game, catalogue)]


def _faults(key: str, player: PlayerSection, game: str, catalogue: Mapping[str, Any]) -> list[str]:
    known = [one["name"] for one in catalogue.get("agents", ())]
    agents = {one["name"]: one for one in catalogue.get("agents", ()) if game in one["games"]}
    if not player.agent or not agents:
        return []
    if player.agent.startswith(JOINS):
        own = player.agent.removeprefix(JOINS)
        return [f"{key}.agent = {player.agent!r}: {own} is Kibitzer's own agent; leave {JOINS} away"] * (own in known)
    if player.agent not in known:
        engine = next((one for one in catalogue.get("known", ()) if one["name"] == player.agent), None)
        if engine is not None:
            return [f"{key}.agent = {player.agent!r}: is not installed: apt install {engine['package']}"]
        names = {name.casefold(): name for name in agents}
        near = [names[one] for one in difflib.get_close_matches(player.agent.casefold(), names, 3)]
        there = f"{'near it' if near else 'there are'}: {', '.join(near or agents)}"
        joins = f"An agent of your own, which joins kibitzer run from the bus, is {JOINS}{player.agent}"
        return [f"{key}.agent = {player.agent!r}: there is no such agent; {there}. {joins}"]
    if player.agent not in agents:
        return [f"{key}.agent = {player.agent!r}: plays no {game}; who does: {', '.join(agents)}"]
    options = {option["name"]: option for option in agents[player.agent]["options"]}
    faults = []
    for name, value in player.options.items():
        if name not in options:
            faults.append(f"{key}.options.{name}: {player.agent} has no such option; it has {', '.join(options)}")
        elif (why := _why_not(options[name], value, catalogue["games"][game])) is not None:
            faults.append(f"{key}.options.{name} = {value!r}: {why}")
    return faults


def _why_not(option: Mapping[str, Any], value: object, game: Mapping[str, Any]) -> str | None:
    text, choices = str(value).strip().lower(), option["choices"]
    if option["name"] == "heuristic":
        choices = ["", *game["heuristics"]]
    if option["kind"] == "bool":
        return None if text in ("true", "false") else "must be true or false"
    if option["kind"] == "int":
        low, high = option["minimum"], option["maximum"]
        low, high = -(2**63) if low is None else low, 2**63 if high is None else high
        good = text.lstrip("-").isdecimal() and low <= int(text) <= high
        return None if good else f"must be a whole number from {option['minimum']} to {option['maximum']}"
    return None if not choices or text in choices else f"must be one of {', '.join(filter(None, choices))}"


def with_source(config: Config, source: str) -> Config:
    return config.model_copy(update={"camera": config.camera.model_copy(update={"source": source})})


def path_of(journal: Path) -> Path:
    return journal.with_suffix(".choice.json")


def camera_path(choice: Path) -> Path:
    """Path of the chosen camera's address, if its password was typed on the page and is not in the settings."""
    return choice.with_suffix(".camera")


def save(path: Path, configured: Config, choice: Choice) -> None:
    """Saves a choice for the next start. No password is in it, only in the settings or the file at `camera_path`."""
    try:
        _write(path, _digests(configured), choice, configured)
    except OSError as error:
        LOGGER.error("what was chosen is not kept for the next start: %s", error)


def _write(path: Path, over: Mapping[str, str], choice: Choice, configured: Config) -> None:
    source, own = choice.get("camera", {}).get("source", ""), camera_path(path)
    shown = shown_address(source)
    path.parent.mkdir(parents=True, exist_ok=True)
    if typed := source not in (shown, configured.camera.source):
        write_atomically(own, source.encode(), private=True)
    content = {"over": over, "choice": {**choice, "camera": {"source": shown}} if source else choice}
    write_atomically(path, (json.dumps(content, indent=1) + "\n").encode(), private=True)
    if not typed:
        own.unlink(missing_ok=True)


def restored(path: Path, configured: Config, catalogue: Mapping[str, Any] = MappingProxyType({})) -> Config:
    """The settings with the saved choice applied, but for sections that are set otherwise than when it was made."""
    try:
        kept = json.loads(path.read_text("utf-8"))
        choice = parse_choice(kept["choice"])
        source = str(choice.get("camera", {}).get("source", ""))
        if source != shown_address(source):  # an earlier version kept its password where everybody may read it
            _write(path, kept["over"], choice, configured)
        over, settings = kept["over"], _digests(configured)
        over = over if isinstance(over, Mapping) else {}  # an earlier version knew only whether all was as before
        if again := [section for section in choice if over.get(section) != settings[section]]:
            LOGGER.warning("set otherwise since a game was chosen on the page, and as set again: %s", ", ".join(again))
        choice = {section: keys for section, keys in choice.items() if section not in again}
        if not choice:
            return configured
        wanted = chosen(configured, choice, catalogue)
        return with_source(wanted, _with_password(wanted.camera.source, path, configured))
    except FileNotFoundError:
        return configured
    except (OSError, ValueError, LookupError, TypeError) as error:
        LOGGER.warning("what was chosen last cannot be taken up again: %s", error)
        return configured


def _with_password(source: str, path: Path, configured: Config) -> str:
    """The camera of a saved choice. Raises ChoiceError if its password is in neither file any more."""
    own = camera_path(path)
    typed = [own.read_text("utf-8")] if own.exists() else []
    found = meant(source, [*typed, configured.camera.source])
    if STARS in found:
        raise ChoiceError(f"camera.source = {found!r}: its password is not kept any more")
    return found


def _digests(configured: Config) -> dict[str, str]:
    """By section that may be chosen, a digest of its settings; game, players and clock are chosen together."""
    now = choice_of(configured)
    counted = {section: {one: now[one] for one in TOGETHER.get(section, (section,))} for section in now}
    return {
        section: hashlib.sha256(json.dumps(keys, sort_keys=True).encode()).hexdigest()
        for section, keys in counted.items()
    }
