"""`kibitzer doctor`: checks what Kibitzer needs on this machine, and says what to do about what is missing."""

from __future__ import annotations

import dataclasses
import json
import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import games
from calibration.template import TemplateError, load_template
from daemon.config import ROOT, SHIPPED, Config, ConfigError, load_config
from daemon.records.journal import Journal, JournalError
from daemon.showing.window import display_fault
from vision.frame import FrameSource, SourceEnded, SourceError
from vision.reading.descriptors import load_descriptor
from vision.sources.live import LiveSource
from vision.sources.opening import open_source

CAMERA_S = 5.0
MEASURED_S = 4.0
"""How long a live source is watched: longer than a camera takes to find its exposure and to be locked."""
DARK = 20.0
"""Mean grey value below which a picture shows nothing."""
LEAST_FREE_MB = 200

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@dataclasses.dataclass(frozen=True)
class Finding:
    """What one check found."""

    part: str
    ok: bool
    text: str
    """What was found; where it is not well, also what to do."""


@app.command("doctor")
def doctor(
    config: Annotated[Path, typer.Option(help="Settings to check.")] = SHIPPED,
    source: Annotated[str, typer.Option(help="Camera or address to look at instead of the configured one.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per check.")] = False,
) -> None:
    """Checks settings, game, models, camera, speech, ports and disk, and says what to do.

    Exit status 0 also where something is missing: Kibitzer goes on without a voice or a camera.
    """
    try:
        settings = load_config(config)
    except ConfigError as error:
        sys.stderr.write(f"kibitzer doctor: {error}\n")
        raise typer.Exit(2) from None
    if source:
        camera = settings.camera.model_copy(update={"source": source})
        settings = settings.model_copy(update={"camera": camera})
    checks: list[Callable[[Config], Finding]] = [_game, _models, _camera, _speech, _ports, _record, _display]
    for check in checks:
        finding = check(settings)
        if as_json:
            sys.stdout.write(json.dumps(dataclasses.asdict(finding)) + "\n")
        else:
            sys.stderr.write(f"{'ok  ' if finding.ok else 'LOOK'}  {finding.part:<8} {finding.text}\n")


def _game(config: Config) -> Finding:
    try:
        game = games.load(config.game.name, config.game.rules)
        template = load_template(game.name, games.switched_on(game))
    except (games.GameError, TemplateError) as error:
        return Finding("game", False, f"{error}")
    return Finding("game", True, f"{game.title}, {len(template.cell_names)} cells")


def _models(_config: Config) -> Finding:
    try:
        descriptor = load_descriptor()
        described = descriptor.describe(np.zeros((1, 48, 48, 3), dtype=np.uint8))
    except (OSError, ValueError) as error:
        return Finding("models", False, f"{error}. Get the file again with `git checkout models`")
    return Finding("models", True, f"{descriptor.name}, {described.shape[1]} numbers a cell")


def _camera(config: Config) -> Finding:
    spec, camera = config.camera.source, config.camera
    try:
        size_px = camera.width_px, camera.height_px
        source = open_source(spec, rate_hz=camera.rate_hz, size_px=size_px, give_up_s=CAMERA_S)
        try:
            return _pictures_of(spec, source)
        finally:
            source.close()
    except (SourceError, SourceEnded) as error:
        text = str(error) or "it ended at once"
        hint = '`kibitzer demo` needs none; a phone works with source = "http://PHONE:8080/video"'
        return Finding("camera", False, f"{text}; {hint}")


def _pictures_of(spec: str, source: FrameSource) -> Finding:
    """What a source delivers; of a live one also how fast, watched until a camera has locked its exposure."""
    frame = source.read(CAMERA_S)
    if frame is None:
        return Finding("camera", False, f"{spec}: no picture within {CAMERA_S:.0f} s; does another program hold it?")
    height, width = frame.image.shape[:2]
    if not isinstance(source, LiveSource):
        return Finding("camera", True, f"{spec}: {width}x{height} pixels, no live source")
    end_s = time.monotonic() + MEASURED_S
    while time.monotonic() < end_s:
        source.read(end_s - time.monotonic())
    delivery = source.delivery
    delivery.size_px = width, height
    claimed = f"; the driver says {delivery.claimed}" if delivery.claimed else ""
    text = f"{spec}: {delivery.text()}{claimed}"
    dark = float(frame.image.mean()) < DARK
    advice = [delivery.advice()] if delivery.slow else []
    advice += ["the picture is very dark: switch on a light, or take the cap off"] if dark else []
    return Finding("camera", not advice, "; ".join([text, *advice]))


def _speech(config: Config) -> Finding:
    if not config.speech.enabled:
        return Finding("speech", True, "switched off in the settings")
    missing = [name for name in ("espeak-ng", "aplay") if not shutil.which(name)]
    if missing:
        fix = "apt-get install espeak-ng alsa-utils"
        return Finding("speech", False, f"{' and '.join(missing)} not found; everything is written only. {fix}")
    cards = Path("/proc/asound/cards")
    if not config.speech.device and (not cards.exists() or "no soundcards" in cards.read_text(encoding="utf-8")):
        return Finding("speech", False, "no sound card; everything is written only, unless speech.device names one")
    return Finding("speech", True, f"espeak-ng, language {config.speech.language}")


def _ports(config: Config) -> Finding:
    wanted = [("page", config.page.host, config.page.port)] if config.page.enabled else []
    for name, endpoint in (("state", config.bus.state), ("reply", config.bus.reply)):
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        if endpoint.startswith("tcp://") and port.isdecimal():
            wanted.append((name, host, int(port)))
    taken = [f"{name} {host}:{port}" for name, host, port in wanted if port and not _is_free(host, port)]
    if taken:
        return Finding("ports", False, f"in use: {', '.join(taken)}; is another kibitzer running? Else change them")
    return Finding("ports", True, ", ".join(f"{name} {port}" for name, _, port in wanted))


def _is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _record(config: Config) -> Finding:
    path = Path(config.journal.path)
    path = path if path.is_absolute() else ROOT / path
    folder = next(parent for parent in path.parents if parent.exists())
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < LEAST_FREE_MB:
        return Finding("record", False, f"{path}: only {free_mb} MB free; make room")
    if not path.exists():
        return Finding("record", True, f"{path}: made at the first start; {free_mb} MB free")
    try:
        journal = Journal(path, read_only=True)
        count = len(journal.games())
        journal.close()
    except JournalError as error:
        return Finding("record", False, f"{path}: {error}")
    return Finding("record", True, f"{path}: {count} games; {free_mb} MB free")


def _display(config: Config) -> Finding:
    if not config.page.window:
        return Finding("display", True, "no window wanted")
    fault = display_fault()
    return Finding("display", True, fault or "a window will be shown")
