"""`kibitzer doctor`: checks that this computer has what Kibitzer needs, and says how to fix what is missing."""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from daemon.checks import CheckResult, devices, machine, network, table
from daemon.cli.wrong_call import settings_of
from daemon.config.settings import DEFAULT, Config

CHECKS: tuple[Callable[..., CheckResult], ...] = (
    machine.check_computer,
    machine.check_clock,
    machine.check_program,
    table.check_game,
    table.check_models,
    table.check_profile,
    table.check_players,
    table.check_engines,
    devices.check_cameras,
    devices.check_camera,
    devices.check_voice,
    devices.check_sound,
    network.check_voice_server,
    network.check_listening,
    network.check_ports,
    network.check_keys,
    machine.check_record,
    machine.check_folders,
    machine.check_owners,
    machine.check_display,
    machine.check_service,
)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("doctor")
def doctor(
    config: Annotated[Path, typer.Option(help="Settings to check.")] = DEFAULT,
    source: Annotated[str, typer.Option(help="Camera or address to check instead of the configured one.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per check.")] = False,
) -> None:
    """Checks computer, settings, game, models, agents, camera, voice, ports, record and disk, and says what to fix.

    A line that begins with LOOK names a problem and what to do about it. The exit status is 0 even then: Kibitzer also
    works without a voice or a camera.

    Example: kibitzer doctor --config /etc/kibitzer.toml
    """
    logging.basicConfig(level=logging.ERROR, format="%(message)s")  # what a source logs meanwhile stands in its line
    settings = settings_of("doctor", config)
    if source:
        camera = settings.camera.model_copy(update={"source": source})
        settings = settings.model_copy(update={"camera": camera})
    for check in CHECKS:
        result = checked(check, settings, config)
        if as_json:
            sys.stdout.write(json.dumps(dataclasses.asdict(result)) + "\n")
        else:
            sys.stderr.write(f"{'ok  ' if result.ok else 'LOOK'}  {result.part:<8} {result.text}\n")


def checked(check: Callable[..., CheckResult], settings: Config, file: Path) -> CheckResult:
    """Runs a check; one that fails with OSError becomes a result, so that the others still run."""
    try:
        return check(settings, file) if check is machine.check_owners else check(settings)
    except OSError as error:
        return CheckResult(check.__name__.removeprefix("check_"), False, f"cannot be checked: {error}")
