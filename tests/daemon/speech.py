"""Speech for tests of listening, from espeak-ng."""

from __future__ import annotations

import subprocess

import numpy as np
from scipy.signal import resample_poly

from daemon.voice.listening.utterances import RATE_HZ

HEAD_BYTES = 44
"""Of a wave file; espeak-ng writes 22,050 samples a second."""
QUIET_S = 0.5


def spoken(text: str, voice: str = "en-us", noise: float = 20.0) -> bytes:
    """The text in 16 kHz, with a rest before and after it."""
    sound = subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "--stdout", text], capture_output=True, check=True)
    samples = resample_poly(np.frombuffer(sound.stdout[HEAD_BYTES:], np.int16).astype(float), 320, 441)
    rest = np.zeros(int(QUIET_S * RATE_HZ))
    whole = np.concatenate([rest, samples, rest, rest])
    whole += np.random.default_rng(5).normal(0, noise, len(whole))
    return whole.clip(-32768, 32767).astype(np.int16).tobytes()
