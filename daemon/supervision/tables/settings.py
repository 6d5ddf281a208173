"""The settings of several tables, and checks for conflicts between them."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import places
from daemon.config.settings import Config, ConfigError, load_config
from vision.sources.phone import PHONE

MAX_TABLES = 16


@dataclasses.dataclass(frozen=True)
class Table:
    path: Path
    config: Config

    @property
    def name(self) -> str:
        return self.config.bus.table


def load_tables(paths: Sequence[Path]) -> list[Table]:
    """The tables of these files. Raises ConfigError listing everything that two of them share and must not."""
    if len(paths) > MAX_TABLES:
        raise ConfigError(f"{len(paths)} tables are more than one parent takes ({MAX_TABLES})")
    twice = next((path for n, path in enumerate(paths) if path.resolve() in [one.resolve() for one in paths[:n]]), None)
    if twice is not None:
        raise ConfigError(f"{twice} is given twice: each table has a file of its own")
    tables = [Table(path, load_config(path)) for path in paths]
    if shared := conflicts(tables):
        raise ConfigError("\n".join(shared))
    return tables


def conflicts(tables: Sequence[Table]) -> list[str]:
    """One sentence for each exclusive resource that several tables use."""
    owners: dict[tuple[str, str], list[Table]] = collections.defaultdict(list)
    for table in tables:
        for thing in dict.fromkeys(_own(table)):
            owners[thing].append(table)
    return [
        f"{' and '.join(str(table.path) for table in several)} share {what} {value!r}: each table needs its own"
        for (what, value), several in owners.items()
        if len(several) > 1
    ]


def _own(table: Table) -> Iterator[tuple[str, str]]:
    config = table.config
    yield "the table's name, bus.table =", config.bus.table
    yield "the record, journal.path =", str(_resolved(config.journal.path))
    for address in (config.bus.state, config.bus.reply):
        if not address.endswith(":*"):
            yield ("the port", port) if (port := _port(address)) else ("the bus address", address)
    if config.page.enabled and config.page.port:
        yield "the port", str(config.page.port)
    if config.camera.source == PHONE:
        yield "the port", str(config.phone.port)
        yield "the folder, phone.folder =", str(_resolved(config.phone.folder))
    if config.log.path:
        yield "the log file, log.path =", str(_resolved(config.log.path))
    source = config.camera.source
    if source.isdecimal() or source.startswith("/dev/"):
        device = Path(f"/dev/video{source}" if source.isdecimal() else source)
        yield "the camera, camera.source =", str(device.resolve())


def _port(address: str) -> str:
    """The port of a tcp address; empty for other kinds."""
    kind, _, rest = address.partition("://")
    port = rest.rpartition(":")[2]
    return port if kind == "tcp" and port.isdecimal() else ""


def _resolved(path: str) -> Path:
    return places.resolved(path).resolve()
