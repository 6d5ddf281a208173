"""The voice that the settings name: espeak-ng, or another one with espeak-ng as its fallback."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.config.settings import wyoming_address
from daemon.i18n.translation import worded
from daemon.outputs.speech.command_voice import CommandVoice, FallbackVoice, Renders
from daemon.outputs.speech.voice import PROCESS, Voice
from daemon.outputs.speech.wyoming_voice import WyomingVoice


def voice_of(
    language: str,
    rate_wpm: int,
    process: Sequence[str] = PROCESS,
    command: Sequence[str] = (),
    command_s: float = 20.0,
    server: str = "",
    server_s: float = 5.0,
) -> Renders:
    """The voice of `command`, else of the Wyoming server at the address `server`, else of espeak-ng in `process`.

    A command and a server have so many seconds for a phrase. Raises ValueError if `server` is no address.
    """
    own: Renders = Voice(language, rate_wpm, process)
    if command:
        return FallbackVoice(CommandVoice(command, command_s), own, _changed, _back)
    if server:
        return FallbackVoice(WyomingVoice(wyoming_address(server), language, server_s), own, _changed, _back)
    return own


def _changed() -> str:
    """The sentence of the second voice when the first one fails."""
    return worded("My other voice does not work, so I speak with this one.")


def _back() -> str:
    """The sentence of the first voice when it works again."""
    return worded("I have my own voice back.")
