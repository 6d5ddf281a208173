"""Writes a simulated sitting to a video file, as a camera's recording of a game."""

from __future__ import annotations

from pathlib import Path

import cv2

from vision.frame import SourceError
from vision.simulated.scripted_games import ScriptedGames
from vision.sources.files import check_name

RATE_HZ = 15.0
AFTERWARDS_S = 3.0
"""Seconds that the last board stays in the picture."""
MAX_S = 3600.0
CODECS = {".avi": "MJPG", ".mp4": "mp4v", ".mkv": "mp4v"}


def record_video(sitting: ScriptedGames, path: Path, longest_s: float = MAX_S) -> dict[str, object]:
    """Plays without waiting to the end of the last game, or for that long; returns the truth. Raises SourceError."""
    if path.suffix.lower() not in CODECS:
        raise SourceError(f"{path}: a video is written as {', '.join(CODECS)}")
    check_name(str(path))
    frame = sitting.read(1.0)
    assert frame is not None
    height, width = frame.image.shape[:2]
    codec = cv2.VideoWriter.fourcc(*CODECS[path.suffix.lower()])
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, codec, RATE_HZ, (width, height))
    if not writer.isOpened():
        raise SourceError(f"{path}: cannot be written as a video")
    try:
        end_s = longest_s
        while frame is not None and frame.time_s < end_s:
            writer.write(frame.image)
            if sitting.over:
                end_s = min(end_s, frame.time_s + AFTERWARDS_S) if end_s == longest_s else end_s
            frame = sitting.read(1.0)
    finally:
        writer.release()
        sitting.close()
    return sitting.truth()
