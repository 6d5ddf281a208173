"""Checks cameras and sound: whether they are connected, whether this user may use them, what they deliver."""

from __future__ import annotations

import io
import os
import shutil
import time
import wave
from pathlib import Path
from subprocess import TimeoutExpired

from daemon.checks import CheckResult
from daemon.config.settings import Config
from daemon.page.phones.addresses import own_addresses
from daemon.supervision.camera import NONE
from system import processes
from vision.frame import FrameSource, SourceEnded, SourceError
from vision.sources.cameras import DEV, SYS, cameras, stable_name
from vision.sources.live import LiveSource
from vision.sources.opening import open_source
from vision.sources.phone import PHONE
from vision.sources.slot import Attempt
from wording.outside import shown_address

CAMERA_S = 5.0
OPEN_S = 15.0
MEASURED_S = 4.0
"""Seconds for which a live source is watched: longer than a camera takes to settle and lock its exposure."""
DARK = 20.0
PLAY_S = 5.0
CARDS = Path("/proc/asound/cards")


def check_cameras(_config: Config, dev: Path = DEV, sys: Path = SYS) -> CheckResult:
    """Lists the cameras on a cable, by the names to use in the settings."""
    found = cameras(dev, sys)
    if not found:
        return CheckResult("cameras", True, "none on a cable")
    text = "; ".join(camera.text for camera in found)
    denied = [camera.number for camera in found if not os.access(dev / f"video{camera.number}", os.R_OK | os.W_OK)]
    if denied:
        return CheckResult("cameras", False, f"{text}; {_denied('video')}")
    return CheckResult("cameras", True, text)


def _check_phone(config: Config) -> CheckResult:
    found = config.phone.addresses or own_addresses()
    if not found:
        return CheckResult("camera", False, "a phone: this computer is in no network that a phone could reach it by")
    text = (
        f"a phone: `kibitzer run` shows the code for it; it must reach {' or '.join(found)}, port {config.phone.port}"
    )
    return CheckResult("camera", True, text)


def check_camera(config: Config) -> CheckResult:
    """Checks whether the configured camera opens, and what it delivers."""
    spec, camera = config.camera.source, config.camera
    name = shown_address(spec)
    if spec == NONE:
        return CheckResult("camera", True, "none is wanted: moves are made on the page or told")
    if spec == PHONE:
        return _check_phone(config)
    size_px = camera.width_px, camera.height_px
    attempt = Attempt(
        lambda: open_source(
            spec,
            rate_hz=camera.rate_hz,
            size_px=size_px,
            give_up_s=CAMERA_S,
            max_megapixels=camera.max_megapixels,
        )
    )
    if not attempt.wait(OPEN_S):
        attempt.abandon()
        return CheckResult("camera", False, f"{name}: its driver hangs; unplug the camera and plug it in again")
    try:
        source = attempt.result()
        try:
            return _pictures_of(name, source)
        finally:
            source.close()
    except (SourceError, SourceEnded) as error:
        text = str(error) or f"{name}: nothing came within {CAMERA_S:.0f} s; is it switched on, and the address right?"
        hint = '`kibitzer demo` needs none; a phone works with source = "phone"'
        return CheckResult("camera", False, f"{text}{'' if text.endswith('?') else ';'} {hint}")


def _pictures_of(name: str, source: FrameSource) -> CheckResult:
    """Checks a source's pictures; for a live source also the rate, watched until a camera has locked its exposure."""
    frame = source.read(CAMERA_S)
    if frame is None:
        return CheckResult(
            "camera", False, f"{name}: no picture within {CAMERA_S:.0f} s; does another program hold it?"
        )
    height, width = frame.image.shape[:2]
    if not isinstance(source, LiveSource):
        return CheckResult("camera", True, f"{name}: {width}x{height} pixels, no live source")
    end_s, checksums = time.monotonic() + MEASURED_S, {frame.checksum}
    while time.monotonic() < end_s:
        more = source.read(end_s - time.monotonic())
        if more is not None:
            checksums.add(more.checksum)
    delivery = source.delivery
    delivery.size_px = width, height
    claimed = f"; the driver says {delivery.claimed}" if delivery.claimed else ""
    advice = [delivery.advice()] if delivery.slow else []
    if float(frame.image.mean()) < DARK:
        advice.append("the picture is very dark: switch on a light, or take the cap off")
    if len(checksums) == 1:
        advice.append("the picture stands still to the last bit: is it a real camera, and does its program run?")
    if stable := stable_name(name):
        advice.append(f'its number changes with the next plug: set source = "{stable}"')
    return CheckResult("camera", not advice, "; ".join([f"{name}: {delivery.text()}{claimed}", *advice]))


def check_voice(config: Config) -> CheckResult:
    """Checks the programs for speech, and its language."""
    if not config.speech.enabled:
        return CheckResult("voice", True, "switched off in the settings")
    missing = [name for name in ("espeak-ng", "aplay") if not shutil.which(name)]
    if missing:
        fix = "apt-get install espeak-ng alsa-utils"
        return CheckResult("voice", False, f"{' and '.join(missing)} not found; everything is written only. {fix}")
    language = config.speech.language
    try:
        voices = processes.run(["espeak-ng", f"--voices={language}"], PLAY_S, capture_output=True, text=True).stdout
    except (OSError, TimeoutExpired) as error:
        return CheckResult("voice", False, f"espeak-ng does not answer: {error}. apt-get install --reinstall espeak-ng")
    if len(voices.splitlines()) < 2:
        return CheckResult("voice", False, f"no voice speaks {language}: apt-get install espeak-ng-data")
    return CheckResult("voice", True, f"espeak-ng, language {language}")


def check_sound(config: Config, cards: Path = CARDS, program: str = "aplay") -> CheckResult:
    """Checks sound output by playing a twentieth of a second of silence."""
    if not config.speech.enabled or not shutil.which(program):
        return CheckResult("sound", True, "nothing is to be heard")
    device = config.speech.device
    if not device and (not cards.exists() or "no soundcards" in cards.read_text(encoding="utf-8", errors="replace")):
        what = "no sound card; everything is written only"
        return CheckResult("sound", False, f"{what}. Connect a loudspeaker, or name a device in speech.device")
    command = [program, "-q", *(["-D", device] if device else []), "-"]
    try:
        played = processes.run(command, PLAY_S, input=_silence(), capture_output=True)
    except (OSError, TimeoutExpired):
        return CheckResult("sound", False, f"{device or 'the default device'} hangs; does another program hold it?")
    if played.returncode:
        lines = played.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        advice = f"{_denied('audio')}, or set speech.device to a name that `aplay -L` lists"
        return CheckResult("sound", False, f"{device or 'the default device'}: {lines[0]}; {advice}")
    return CheckResult("sound", True, device or "the default device")


def _silence() -> bytes:
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(bytes(2 * 22050 // 20))
    return sound.getvalue()


def _denied(group: str) -> str:
    return f"if this user may not use it: sudo usermod -aG {group} $USER, and log in again"
