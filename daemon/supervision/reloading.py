"""Reloads the settings while the daemon runs: validated first, all or nothing; some take effect only at a restart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from daemon.config.settings import Config, ConfigError, load_config
from daemon.words.translation import worded

AT_ONCE = {
    "players": "from the next move on",
    "clock": "from this moment on, for the game that is played; both sides have all of the new time",
    "camera": "the camera is opened again",
    "eyes": "with the next picture",
    "speech": "with the next phrase",
    "listening": "with the next utterance",
    "event": "from the next game on",
    "page.enabled": "the page is opened or closed",
    "page.window": "the window is opened or closed",
    "supervision": "with the next look",
    "log": "with the next line",
}
"""Settings that take effect on reload: a section or a key, and when exactly."""
AT_RESTART = {
    "game": "another game is another record",
    "board": "the profile is what the eyes were made from",
    "advice": "a game is shown as it began",
    "bus": "workers know the addresses and keys",
    "page.host": "who looks on knows the address",
    "page.port": "who looks on knows the address",
    "page.token": "who looks on knows it",
    "page.trusted_proxies": "who is counted as whom must not change under way",
    "phone": "the phones that are paired know the address",
    "journal": "the record that is open is the one that is written",
    "bundles": "the memory is set aside at the start",
    "engines": "the workers read them when they start",
}
"""Settings that take effect only at the next start, and why."""


@dataclasses.dataclass(frozen=True)
class Reading:
    config: Config
    """The settings now in force: new values of those that take effect at once, old values of the rest."""
    taken: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    fault: str = ""
    """Why nothing was changed; empty if the settings are valid."""

    @property
    def text(self) -> str:
        if self.fault:
            return worded("The new settings are wrong. I keep the old ones.")
        if not (self.taken or self.waiting):
            return worded("The settings are as they were.")
        parts = [f"New settings: {_few(self.taken)}."] if self.taken else []
        if self.waiting:
            parts.append(f"{_few(self.waiting)} {'waits' if len(self.waiting) == 1 else 'wait'} for a restart.")
        return " ".join(parts)

    @property
    def spoken(self) -> str:
        if self.fault or not (self.taken or self.waiting):
            return self.text
        if not self.waiting:
            return worded("The new settings are in force.")
        if self.taken:
            return worded("The new settings are in force; some wait for a restart.")
        return worded("The new settings wait for a restart.")


def read_again(path: Path, now: Config, overlaid: Callable[[Config], Config] = lambda config: config) -> Reading:
    try:
        wanted = overlaid(load_config(path))
    except ConfigError as error:
        return Reading(now, fault=str(error))
    changed = tuple(_changed(now.model_dump(), wanted.model_dump()))
    taken = tuple(key for key in changed if takes_effect(key))
    merged = now.model_dump()
    for key in taken:
        _put(merged, wanted.model_dump(), key.split("."))
    try:
        config = Config.model_validate(merged)
    except ValueError as error:
        return Reading(now, fault=f"{path}: the new settings do not fit those that wait for a restart: {error}")
    return Reading(config, taken, tuple(key for key in changed if not takes_effect(key)))


def takes_effect(key: str) -> bool:
    """Whether a key such as `eyes.settle_s` takes effect at once; unlisted keys wait for a restart."""
    return key in AT_ONCE or key.partition(".")[0] in AT_ONCE


def _changed(old: dict[str, Any], new: dict[str, Any], above: str = "") -> Iterator[str]:
    for key in new:
        name = f"{above}.{key}" if above else key
        before, after = old.get(key), new[key]
        if name in ("players", "players.first", "players.second") or (not above and key != "engines"):
            yield from _changed(before or {}, after, name)
        elif before != after:
            yield name


def _put(target: dict[str, Any], source: dict[str, Any], key: list[str]) -> None:
    for part in key[:-1]:
        target, source = target[part], source[part]
    target[key[-1]] = source[key[-1]]


def _few(keys: tuple[str, ...]) -> str:
    return ", ".join(keys[:4]) + (f" and {len(keys) - 4} more" if len(keys) > 4 else "")
