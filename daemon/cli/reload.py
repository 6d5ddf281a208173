"""`kibitzer reload`: makes the running daemon reload its settings, and prints the result."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from daemon.checks.network import parts_at
from daemon.cli.options import PortOption
from daemon.cli.wrong_call import stop
from daemon.commands.page_client import address_of
from daemon.config.settings import DEFAULT, ConfigError, load_config

ANSWER_S = 15.0
LOOK_S = 0.2

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("reload")
def reload(
    config: Annotated[Path, typer.Option(help="The daemon's settings; checked first, and used to find its page.")] = (
        DEFAULT
    ),
    port: PortOption = 0,
) -> None:
    """Makes the running daemon reload its settings, and prints what takes effect at once and what needs a restart.

    If anything in the file is wrong, nothing changes. The daemon reads the file that it was started with;
    docs/deployment.md lists what takes effect at once. Exit status: 0 accepted, 1 refused, 2 wrong settings or no
    daemon.

    Example: kibitzer reload --config /etc/kibitzer.toml
    """
    try:
        address = address_of(load_config(config).page, port)
    except ConfigError as error:
        _fail(f"{error}\nnothing was changed")
    parts = _parts(address)
    process, settings = parts.get("process", {}), parts.get("settings", {})
    pid = process.get("pid") if isinstance(process, dict) else None
    if type(pid) is not int or pid <= 1 or not isinstance(settings, dict) or "readings" not in settings:
        _fail(f"what answers at {address} is no daemon that can read its settings again")
    if settings.get("file") != str(config.resolve()):
        _fail(f"the daemon at {address} runs with {settings.get('file')}, not with {config.resolve()}; name it")
    _ask(pid)
    told = _answer(address, settings["readings"])
    if not told.get("ok"):
        raise stop("reload", told.get("text"), 1)
    sys.stdout.write(f"{told.get('text')}\n")


def _ask(pid: int) -> None:
    """Sends SIGHUP to the daemon, after checking that the process is a `kibitzer run`."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if b"daemon.cli" not in words or b"run" not in words:
            _fail(f"process {pid} is no `kibitzer run`; does the daemon run on another computer, or in a container?")
        os.kill(pid, signal.SIGHUP)
    except PermissionError:
        _fail(f"process {pid} is another user's; try with sudo, or `systemctl reload`")
    except OSError:
        _fail(f"there is no process {pid} on this computer; does the daemon run on another one, or in a container?")


def _answer(address: str, before: int) -> dict[str, Any]:
    """Waits until the daemon has read its settings; returns what the health page says about them."""
    deadline_s = time.monotonic() + ANSWER_S
    while True:
        time.sleep(LOOK_S)
        settings = _parts(address).get("settings", {})
        if isinstance(settings, dict) and settings.get("readings", before) != before:
            return settings
        if time.monotonic() > deadline_s:
            _fail(f"the daemon has not read its settings within {ANSWER_S:.0f} s; is it stuck? Its log says more")


def _parts(address: str) -> dict[str, Any]:
    try:
        return parts_at(address)
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", error)
        _fail(f"no daemon answers at {address} ({why}); where its page is off, send SIGHUP or `systemctl reload` it")


def _fail(text: str) -> NoReturn:
    raise stop("reload", text)
