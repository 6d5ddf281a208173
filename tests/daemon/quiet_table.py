"""Settings of a table in a test: free ports, no voice, no window, and its record in a folder of the test's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daemon.config.settings import Config

FREE = {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"}


def quiet(folder: Path, **sections: Any) -> Config:
    """Two people play, and a page is at a free port; `sections` take the place of these."""
    usual: dict[str, Any] = {
        "players": {"second": {"agent": ""}},
        "bus": FREE,
        "speech": {"enabled": False},
        "page": {"port": 0, "window": False, "token": str(folder / "token")},
        "journal": {"path": str(folder / "journal.sqlite")},
    }
    return Config.model_validate(usual | sections)
