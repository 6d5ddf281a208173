"""`kibitzer settle`: shows when a board would be read, on any source and without a game."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from daemon.cli.wrong_call import refusals
from vision.cli import MEGAPIXELS, parse_corners
from vision.frame import Frame, FrameSource, Image, SourceEnded
from vision.sources.encoded import MAX_MEGAPIXELS
from vision.sources.files import write_picture
from vision.sources.opening import open_source
from vision.watching.arm import ArmWatch, Side
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import Surroundings, surroundings_within
from vision.watching.watcher import Sight, Watcher

READ_S = 0.5
SIDE_PX = 512
"""Longer side of the rectified picture, as in `BoardTemplate`."""
MARGIN_SHARE = 0.11
"""Share of the rectified picture on each side that lies outside the given corners."""
PATCHES = 8
FloatArray = NDArray[np.float64]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class Window:
    """The part of the picture that is watched: the whole, or the quadrilateral around a board."""

    def __init__(self, corners_px: FloatArray | None) -> None:
        self._matrix: FloatArray | None = None
        if corners_px is not None:
            self._matrix, self._size = _rectification(corners_px)

    def show(self, image: Image) -> Image:
        if self._matrix is None:
            return image
        return np.asarray(cv2.warpPerspective(image, self._matrix, self._size), dtype=np.uint8)


class Settler:
    def __init__(self, settle_s: float) -> None:
        self._watcher, self._told = Watcher(CellPlaces.grid(PATCHES), settle_s), False

    def look(self, picture: Image, time_s: float) -> tuple[Sight, Surroundings]:
        around = surroundings_within(picture, MARGIN_SHARE)
        state = self._watcher.update(around, time_s)
        if state.settled:
            self._watcher.renew()
        fresh = state.settled and not state.motion and not self._told
        self._told = state.settled and (self._told or fresh)
        return dataclasses.replace(state, fresh=fresh), around


def _rectification(corners_px: FloatArray) -> tuple[FloatArray, tuple[int, int]]:
    """(3, 3) homography from the picture to the rectified one, and the latter's size with margins."""
    sides = np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1)
    across, down = sides[0] + sides[2], sides[1] + sides[3]
    scale = SIDE_PX * (1 - 2 * MARGIN_SHARE) / max(across, down)
    margin, width, height = SIDE_PX * MARGIN_SHARE, across * scale, down * scale
    target = margin + np.array([[0, 0], [width, 0], [width, height], [0, height]])
    matrix = cv2.getPerspectiveTransform(corners_px.astype(np.float32), target.astype(np.float32))
    return np.asarray(matrix, dtype=np.float64), (round(width + 2 * margin), round(height + 2 * margin))


@app.command("settle")
def settle(
    source: Annotated[str, typer.Argument(help="Camera index or path, video, folder of photos, http/rtsp address.")],
    out: Annotated[Path, typer.Option(help="Folder for the settled pictures; made where it does not exist.")],
    corners: Annotated[
        str,
        typer.Option(help='The board: "x,y x,y x,y x,y", top left, top right, bottom right, bottom left. Else all.'),
    ] = "",
    settle_s: Annotated[float, typer.Option(min=0.05, max=10, help="Seconds that a picture must stand still.")] = 0.4,
    frame_s: Annotated[
        float, typer.Option(min=0.01, max=60, help="Seconds from photo to photo, in a folder of photos.")
    ] = 0.5,
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output instead of words.")] = False,
) -> None:
    """Reports when nothing moves and no hand lies over the board, and saves each such picture.

    One line for each change of phase: time_s, frame, phase (moving, settling, occluded, settled), motion (share
    of the picture that changed, 0 to 1), blocked (whether something has rested over the board for too long), picture
    (file name of a fresh settled picture, else null), arm (top, right, bottom or left: where an arm came in before).

    Example: kibitzer settle table.avi --corners "140,9 508,10 509,379 137,377" --out settled --json
    """
    with refusals("settle", ValueError, OSError):
        window = Window(parse_corners(corners) if corners else None)
        frames = open_source(source, hold_s=frame_s, rate_hz=1 / frame_s, give_up_s=15.0, max_megapixels=max_megapixels)
        out.mkdir(parents=True, exist_ok=True)
        watch(frames, window, Settler(settle_s), out, as_json)


def watch(frames: FrameSource, window: Window, settler: Settler, out: Path, as_json: bool) -> None:
    told, arms = ("", False), ArmWatch()
    try:
        while True:
            frame = frames.read(READ_S)
            if frame is None:
                continue
            picture = window.show(frame.image)
            state, around = settler.look(picture, frame.time_s)
            name = f"{frame.index:06d}.png" if state.fresh else None
            if name is not None:
                write_picture(out / name, picture)
            arm = arms.update(around, state)
            if (state.phase, state.blocked) != told or state.fresh:
                _tell(frame, state, name, arm if state.fresh else None, as_json)
            told = state.phase, state.blocked
    except SourceEnded:
        return
    finally:
        frames.close()


def _tell(frame: Frame, state: Sight, picture: str | None, arm: Side | None, as_json: bool) -> None:
    line: dict[str, object] = {"time_s": round(frame.time_s, 3), "frame": frame.name or frame.index}
    line |= {"phase": state.phase, "motion": round(state.motion, 4), "blocked": state.blocked}
    line |= {"picture": picture, "arm": arm}
    if as_json:
        sys.stdout.write(json.dumps(line) + "\n")
    else:
        shown = f"  -> {picture}" if picture else "  blocked" if state.blocked else ""
        shown += f" after an arm from the {arm}" if arm else ""
        sys.stdout.write(f"{frame.time_s:8.2f} s  {state.phase:<9} motion {state.motion:6.2%}{shown}\n")
    sys.stdout.flush()
