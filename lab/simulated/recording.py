"""Writes a simulated sitting to a video file, as a camera's recording of a game."""

from __future__ import annotations

from pathlib import Path

from lab.simulated.scripted_games import ScriptedGames
from vision.film import Film

RATE_HZ = 15.0
AFTERWARDS_S = 3.0
"""Seconds that the last board stays in the picture."""
MAX_S = 3600.0


def record_video(sitting: ScriptedGames, path: Path, longest_s: float = MAX_S) -> dict[str, object]:
    """Plays without waiting to the end of the last game, or for that long; returns the truth. Raises SourceError."""
    film = Film(path, RATE_HZ)
    frame = sitting.read(1.0)
    end_s = longest_s
    try:
        while frame is not None and frame.time_s < end_s:
            film.add(frame.time_s, frame.image)
            if sitting.over:
                end_s = min(end_s, frame.time_s + AFTERWARDS_S) if end_s == longest_s else end_s
            frame = sitting.read(1.0)
    finally:
        film.close()
        sitting.close()
    return sitting.truth()
