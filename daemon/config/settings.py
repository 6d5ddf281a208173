"""Schema of `config.toml`: every key has a range; unknown keys and values out of range are refused."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from system import paths
from system.named_files import parse_toml, read_toml
from wording.outside import clean, visible, without_secrets

ROOT = paths.PROGRAM
SHIPPED = paths.SHIPPED
DEFAULT = paths.settings_file()

MAX_HOST = 253
"""Letters of a host's name (RFC 1035)."""
MAX_FAULT, MAX_VALUE = 300, 100
"""Letters of what is said of a fault, and of the value in it."""
PREFIX, DIVIDER = "KIBITZER_", "__"
"""Prefix of environment variables that override a setting, and the separator between section and key."""


class ConfigError(ValueError):
    """The configuration is invalid; the message names the file, the key, the value and what the key accepts."""


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _named(path: str) -> str:
    """A path that the system can look up, whether there is something or not."""
    if "\0" in path:
        raise ValueError("a path has no zero byte in it")
    try:
        paths.resolved(path).lstat()
    except RuntimeError:
        raise ValueError("there is no such user's home folder") from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise ValueError(f"{error.strerror}".lower()) from None
    return path


def _file(path: str) -> str:
    """A path at which a file is, or may come to be."""
    there = paths.resolved(path)
    if path and there.is_dir():
        raise ValueError("it is a folder, not a file")
    if path and there.exists() and not there.is_file():
        raise ValueError("it is a pipe or a device, not a file")
    return path


def _host(text: str) -> str:
    """The name or number of a computer (RFC 1123)."""
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(text.partition("%")[0])) + text[len(text.partition("%")[0]) :]
    label = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
    if len(text) > MAX_HOST or re.fullmatch(rf"(?!.*\.\d+\Z){label}(?:\.{label})*\.?", text) is None:
        raise ValueError("a host is a name such as board.local, or an address such as 127.0.0.1 or ::1")
    return text


def _source(text: str) -> str:
    """The source of pictures: a number, an address, a word such as phone, or a path."""
    return text if "://" in text else _named(text)


def wyoming_address(text: str) -> tuple[str, int]:
    """Host and port of an address such as `wyoming://piper.local:10200`. Raises ValueError."""
    found = re.fullmatch(r"wyoming://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})/?", text)
    if found is None or not 0 < int(found[2]) <= 65535:
        raise ValueError("an address looks like wyoming://HOST:PORT, such as wyoming://127.0.0.1:10200")
    return found[1].strip("[]"), int(found[2])


def _wyoming(text: str) -> str:
    if text:
        wyoming_address(text)
    return text


PathText = Annotated[str, AfterValidator(_named)]
FileText = Annotated[PathText, AfterValidator(_file)]
HostText = Annotated[str, AfterValidator(_host)]
SourceText = Annotated[str, AfterValidator(_source)]
WyomingText = Annotated[str, AfterValidator(_wyoming)]
Seconds = Annotated[float, Field(ge=0, le=3600)]
Port = Annotated[int, Field(ge=0, le=65535)]
JOINS = "bus:"
"""Prefix of the name of an agent that is none of Kibitzer's own, but joins from the bus by itself."""


def _network(text: str) -> str:
    ipaddress.ip_network(text)
    return text


def _address(text: str) -> str:
    return str(ipaddress.IPv4Address(text))


NetworkText = Annotated[str, AfterValidator(_network)]
AddressText = Annotated[str, AfterValidator(_address)]


Shown = Annotated[str, AfterValidator(visible)]
ShownName = Annotated[str, AfterValidator(clean)]
"""Texts that people see, and that a page may have sent: without characters that hide or reorder text."""


class GameSection(Section):
    """The game and its rules."""

    name: str = "nine_mens_morris"
    rules: dict[Shown, bool | int | Shown] = Field(default_factory=dict)
    deal_seed: int = Field(default=0, ge=0, le=2**31)


class PlayerSection(Section):
    """The player of one side."""

    agent: str = Field(default="", pattern=r"^[A-Za-z0-9_.:-]{0,64}$|^bus:[A-Za-z0-9_.:-]{1,64}$")
    name: ShownName = Field(default="", max_length=64)
    seat: Literal["", "top", "right", "bottom", "left"] = ""
    options: dict[Shown, bool | int | float | Shown] = Field(default_factory=dict)
    time_s: float = Field(default=2.0, gt=0, le=3600)
    depth: int = Field(default=0, ge=0, le=100)
    nodes: int = Field(default=0, ge=0)

    @field_validator("agent")
    @classmethod
    def _joins_by_its_name(cls, agent: str) -> str:
        if agent == JOINS:
            raise ValueError(f"after {JOINS} stands the name of the agent that joins")
        return agent


class PlayersSection(Section):
    """The players of both sides, in the game's order."""

    first: PlayerSection = Field(default_factory=PlayerSection)
    second: PlayerSection = Field(default_factory=lambda: PlayerSection(agent="level-4"))

    @property
    def both(self) -> tuple[PlayerSection, PlayerSection]:
        return self.first, self.second

    @model_validator(mode="after")
    def _sit_apart(self) -> PlayersSection:
        if self.first.seat and self.first.seat == self.second.seat:
            raise ValueError(f"both seats are {self.first.seat!r}: an arm from there tells nothing; leave them empty")
        return self


class CameraSection(Section):
    """The source of the pictures."""

    source: SourceText = "0"
    width_px: int = Field(default=1280, ge=160, le=7680)
    height_px: int = Field(default=720, ge=120, le=4320)
    max_megapixels: float = Field(default=50.0, ge=1, le=500)
    rate_hz: float = Field(default=15.0, ge=1, le=120)
    photo_hold_s: float = Field(default=1.5, ge=0.5, le=60)
    give_up_s: Seconds = 0.0
    frozen_s: float = Field(default=10.0, ge=1, le=3600)


class BoardSection(Section):
    """The board's profile: where the board is and what its pieces look like."""

    profile: PathText = ""


class EyesSection(Section):
    """When a picture counts, and how sure a reading must be."""

    settle_s: float = Field(default=0.4, ge=0.1, le=10)
    readings: int = Field(default=3, ge=1, le=10)
    lost_s: float = Field(default=3.0, ge=0.5, le=60)


class AdviceSection(Section):
    """The best moves, drawn on the board."""

    best_moves: bool = False
    moves: int = Field(default=3, ge=1, le=8)
    seconds: float = Field(default=3.0, ge=0.1, le=60)


class BusSection(Section):
    """ZeroMQ addresses."""

    state: str = "tcp://127.0.0.1:5555"
    reply: str = "tcp://127.0.0.1:5556"
    table: str = Field(default="table", pattern=r"^[A-Za-z0-9_.:-]{1,64}$")
    start_workers: bool = True
    keys: PathText = Field(default="", max_length=4096)


class SpeechSection(Section):
    """The voice."""

    enabled: bool = True
    language: Literal["en", "ro", "pl", "vi", "pt-br"] = "en"
    rate_wpm: int = Field(default=165, ge=80, le=450)
    device: str = ""
    verbosity: Literal["moves", "normal", "coach"] = "normal"
    command: list[str] = Field(default_factory=list, max_length=64)
    command_s: float = Field(default=20.0, ge=1, le=120)
    voice: WyomingText = Field(default="", max_length=300)
    voice_s: float = Field(default=5.0, ge=1, le=120)

    @model_validator(mode="after")
    def _has_one_other_voice(self) -> SpeechSection:
        if self.command and self.voice:
            raise ValueError(f"voice = {self.voice!r} and command = {self.command!r}: leave one of them empty")
        return self


class ListeningSection(Section):
    """What people say to Kibitzer, into a page's microphone."""

    enabled: bool = False
    recogniser: WyomingText = Field(default="", max_length=300)
    recogniser_s: float = Field(default=5.0, ge=1, le=120)
    wake: str = Field(default="Kibitzer", max_length=32, pattern=r"^[^\W\d_]{3,}( [^\W\d_]+){0,2}$")


class PageSection(Section):
    """The page for browsers, tablets and OBS, and the window."""

    enabled: bool = True
    host: HostText = "127.0.0.1"
    port: Port = 8765
    token: FileText = Field(default="var/page.token", min_length=1, max_length=4096)
    trusted_proxies: list[NetworkText] = Field(default_factory=lambda: ["127.0.0.0/8", "::1"], max_length=16)
    window: bool = True


class PhoneSection(Section):
    """The door for phones that film."""

    port: Port = 8766
    addresses: list[AddressText] = Field(default_factory=list, max_length=8)
    folder: PathText = Field(default="var/phone", min_length=1, max_length=4096)


class JournalSection(Section):
    """The journal and its pictures."""

    path: FileText = "var/journal.sqlite"
    pictures: bool = True
    pictures_mb: int = Field(default=200, ge=1, le=1_000_000)
    live_file: FileText = ""


class EventSection(Section):
    """What games are played for, as their records tell it."""

    name: ShownName = Field(default="", max_length=64)
    site: ShownName = Field(default="", max_length=64)
    round: ShownName = Field(default="", max_length=64)


class ClockSection(Section):
    """The players' time limits."""

    control: Literal["none", "move", "game"] = "none"
    minutes: float = Field(default=10.0, ge=0.1, le=1440)
    increment_s: float = Field(default=0.0, ge=0, le=600)
    warn_s: list[Annotated[float, Field(ge=1, le=3600)]] = Field(default_factory=lambda: [60.0, 10.0], max_length=5)
    lose: bool = False


class SupervisionSection(Section):
    """When the daemon counts as stuck, and how little disk space is too little."""

    stuck_s: float = Field(default=10.0, ge=1, le=600)
    end_s: float = Field(default=60.0, ge=0, le=3600)
    free_mb: int = Field(default=200, ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _ends_after_it_is_told(self) -> SupervisionSection:
        if 0 < self.end_s <= self.stuck_s:
            raise ValueError(f"end_s = {self.end_s:g} must be 0 or more than stuck_s = {self.stuck_s:g}")
        return self


class LogSection(Section):
    """The log."""

    path: FileText = Field(default="", max_length=4096)
    level: Literal["debug", "info", "warning", "error"] = "info"
    size_mb: float = Field(default=5.0, ge=0.01, le=1000)
    files: int = Field(default=4, ge=1, le=100)
    repeats: int = Field(default=10, ge=1, le=10_000)


class BundlesSection(Section):
    """Recordings of failed scenes, kept for replay."""

    enabled: bool = False
    folder: PathText = Field(default="var/bundles", min_length=1, max_length=4096)
    seconds: float = Field(default=20.0, ge=2, le=300)
    memory_mb: int = Field(default=64, ge=8, le=2048)
    rejected_s: float = Field(default=6.0, ge=0, le=60)
    quota_mb: int = Field(default=200, ge=1, le=1_000_000)


class EngineSection(Section):
    """An external engine for the agent `external`; the workers read this section from the same file."""

    protocol: Literal["gomocup", "gtp", "nboard", "uci"]
    game: str | None = None
    command: list[Annotated[str, Field(min_length=1)]] = Field(min_length=1)
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    timeout_s: float = Field(default=30.0, ge=0.1, le=3600)
    grace_s: float = Field(default=5.0, ge=0.1, le=3600)


EngineName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


class Config(Section):
    """All settings."""

    game: GameSection = Field(default_factory=GameSection)
    players: PlayersSection = Field(default_factory=PlayersSection)
    camera: CameraSection = Field(default_factory=CameraSection)
    board: BoardSection = Field(default_factory=BoardSection)
    eyes: EyesSection = Field(default_factory=EyesSection)
    advice: AdviceSection = Field(default_factory=AdviceSection)
    bus: BusSection = Field(default_factory=BusSection)
    speech: SpeechSection = Field(default_factory=SpeechSection)
    listening: ListeningSection = Field(default_factory=ListeningSection)
    page: PageSection = Field(default_factory=PageSection)
    phone: PhoneSection = Field(default_factory=PhoneSection)
    journal: JournalSection = Field(default_factory=JournalSection)
    event: EventSection = Field(default_factory=EventSection)
    clock: ClockSection = Field(default_factory=ClockSection)
    supervision: SupervisionSection = Field(default_factory=SupervisionSection)
    log: LogSection = Field(default_factory=LogSection)
    bundles: BundlesSection = Field(default_factory=BundlesSection)
    engines: dict[EngineName, EngineSection] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _write_apart(self) -> Config:
        """No two things are written into one file."""
        written = {
            "journal.path": self.journal.path,
            "journal.live_file": self.journal.live_file,
            "log.path": self.log.path,
            "page.token": self.page.token,
        }
        known: dict[Path, str] = {}
        for key, path in written.items():
            other = known.setdefault(paths.resolved(path).resolve(), key) if path else key
            if other != key:
                raise ValueError(f"{other} and {key} name one file, {visible(path)[:MAX_VALUE]}")
        return self

    @model_validator(mode="before")
    @classmethod
    def _without_what_is_gone(cls, settings: Any) -> Any:
        """Settings of 0.1 and 0.2 have `[vision] adapt = false`; the section is gone, and its default stays."""
        if isinstance(settings, dict) and settings.get("vision") == {"adapt": False}:
            return {key: value for key, value in settings.items() if key != "vision"}
        return settings


def load_config(path: Path = DEFAULT, environment: Mapping[str, str] = os.environ) -> Config:
    """Loads the settings from a file; missing keys keep their defaults, and environment variables take precedence.

    `KIBITZER_CAMERA__SOURCE=none` is `source = "none"` under `[camera]`. Raises ConfigError with every fault at once.
    """
    variables = {key_of(name): name for name in environment if name.startswith(PREFIX) and DIVIDER in name}
    for name in environment:
        if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() in Config.model_fields:
            raise ConfigError(f"{name}: names a section alone; a key of it is set by {name}{DIVIDER}KEY")
    try:
        settings = read_toml(path)
        for key, name in variables.items():
            _put(settings, key, value_of(environment[name]))
        try:
            return Config.model_validate(settings)
        except ValidationError as error:
            # What looks like a number may be a text, such as the camera 0.
            texts = {tuple(map(str, fault["loc"])) for fault in error.errors() if fault["type"] == "string_type"}
            for key in texts & variables.keys():
                _put(settings, key, environment[variables[key]])
            return Config.model_validate(settings)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        faults = [
            f"{_origin(fault['loc'], variables) or path}: {fault_text(fault)}"
            for fault in error.errors(include_url=False)
        ]
        raise ConfigError("\n".join(faults)) from error
    except ValueError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from error


def changed(config: Config, section: str, **values: object) -> Config:
    """The settings with other values in a section. Raises ConfigError."""
    merged = config.model_dump()
    merged[section] |= values
    try:
        return Config.model_validate(merged)
    except ValidationError as error:
        raise ConfigError("\n".join(map(fault_text, error.errors(include_url=False)))) from error


def key_of(variable: str) -> tuple[str, ...]:
    """The key that an environment variable overrides: section, table in it, and name."""
    return tuple(variable.removeprefix(PREFIX).lower().split(DIVIDER))


def value_of(text: str) -> object:
    """The value in a variable, parsed as TOML; what is none is taken literally."""
    try:
        return parse_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def _put(settings: dict[str, Any], key: Sequence[str], value: object) -> None:
    """Sets a key; a value in the place of a table is left for validation to report."""
    first, *rest = key
    if not rest:
        settings[first] = value
    elif isinstance(inner := settings.setdefault(first, {}), dict):
        _put(inner, rest, value)


def _origin(place: tuple[int | str, ...], variables: Mapping[tuple[str, ...], str]) -> str:
    """The variable that a fault comes from; empty if it comes from the file."""
    words = tuple(map(str, place))
    return next((name for key, name in variables.items() if key[: len(words)] == words[: len(key)]), "")


def fault_text(fault: object) -> str:
    """One validation error of pydantic's as text: key, value, and what the key accepts."""
    assert isinstance(fault, dict)
    key = ".".join(str(part) for part in fault["loc"])[:MAX_VALUE]
    if fault["type"] == "extra_forbidden":
        return f"{key}: there is no such key"
    said = str(fault["msg"]).removeprefix("Value error, ")
    if not key:
        return said[:MAX_FAULT]
    # Secrets first: a part of an address may show what the whole would hide.
    return without_secrets(f"{key} = {_shown(fault['input'])}: {said}")[:MAX_FAULT]


def _shown(value: object) -> str:
    try:
        text = without_secrets(repr(value))
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."
