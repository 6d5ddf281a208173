"""Shared test set-up: subprocesses find the checkout's modules, as the launcher arranges it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
os.environ["PYTHONPATH"] = str(ROOT)
os.environ["PYTHONSAFEPATH"] = "1"
os.environ["KIBITZER_TABLES"] = ""
"""No test plays by, or builds, endgame tables that it does not name."""
signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell that starts the tests in the background has Ctrl-C ignored; programs started here would inherit that."""


@pytest.fixture
def real_data() -> Path:
    """The folder of real photos and positions; skips the test if it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no real photos: {DATA} is absent")
    return DATA


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replaces Romanian by wide letters: text that stays narrow was never translated."""
    from daemon.i18n import translation
    from tests.daemon.pseudo import speak_pseudo

    speak_pseudo(monkeypatch)
    yield
    translation.page_words.cache_clear()
    translation.speak("en")
