"""Settings: the daemon's file, and the engines that workers read from it."""

from __future__ import annotations

import re

from agents import engines
from agents.agent import AgentError
from daemon.config.settings import SHIPPED, Config, ConfigError, load_config
from tests.fuzz.bus_entries import scratch_file
from tests.fuzz.entry import Entry, IllegalState

ENGINE = b'[engines.mine]\nprotocol = "uci"\ncommand = ["/bin/x", "uci"]\noptions = { Skill = 15 }\ntimeout_s = 30.0\n'
WORDS = (
    b"[", b"]", b"=", b'""', b"inf", b"nan", b"-1", b"true", b"1979-05-27", b"{}", b"[[a]]", b'"""', b"0xff", b"1e400",
    b"[engines.a]", b"[players.first]", b'agent = "x"\n', b"a.b.c = 1\n",
)  # fmt: skip


def entries() -> list[Entry]:
    shipped = SHIPPED.read_bytes()
    sections = [part for part in re.split(rb"(?m)^(?=\[)", shipped) if part.startswith(b"[")]
    small = tuple(re.sub(rb"\s+#.*", b"", part) for part in sections)
    words = (*WORDS, *(line.split(b"#")[0] for part in small for line in part.splitlines() if line))
    return [
        Entry("config", "config", config_file, (*small, b"".join(small), ENGINE), words, weight=4),
        Entry("engines", "config", engines_file, (ENGINE,), words[:40], weight=1),
    ]


def config_file(data: bytes) -> bool:
    """Reads a settings file: a refusal must name the file; accepted settings must be within all ranges."""
    path = scratch_file(data, "config.toml")
    try:
        found = load_config(path)
    except ConfigError as error:
        if str(path) not in str(error):
            raise IllegalState(f"a refusal that names no file: {error}") from None
        return False
    if Config.model_validate(found.model_dump()) != found:
        raise IllegalState("settings that are not what they say")
    return True


def engines_file(data: bytes) -> bool:
    try:
        found = engines.read(scratch_file(data, "config.toml"))
    except AgentError:
        return False
    for engine in found.values():
        if not all(engine.command) or not engines.MIN_S <= engine.timeout_s <= engines.MAX_S:
            raise IllegalState(f"{engine} is taken")
    return bool(found)
