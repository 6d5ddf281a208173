"""Makes the moving picture of the README: a demo's page, then photographs of a game that are watched.

    kibitzer bench moving-picture --out docs/demo.webp
    kibitzer bench moving-picture --out docs/demo.webp --photos var/traced

It needs Chromium. The demo runs in real time, with its own voice if the machine has one. The photographs are
path-traced (some minutes, with the extra `train` and LLVM 17 or newer), one of the same table after every ply: nobody
played the game, so that they may be published, which other people's may not. --photos names a folder of such instead.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Annotated

import cv2
import numpy as np
import typer
from PIL import Image
from playwright.sync_api import Page, sync_playwright

import games
from calibration.template import load_template
from daemon.drawing import lettering
from lab.bench.browsing import CHROMIUM
from lab.films.plan import draw_plan

SIZE_PX = 1280, 980
START_S = 60.0
HOLD_S = 1.6
"""Seconds that each photo is shown."""
GROUND, WORDS = (26, 23, 21), (236, 240, 243)
CAPTIONS = "kibitzer demo: a simulated table, and its page", "kibitzer watch --source photos/: path-traced photographs"
CAPTION_PX = 34
MOVES = ("a7", "d6", "g7", "f4", "d7xf4", "f6", "b6", "d5")
"""A mill of morris and what it takes, among the first moves."""
SEED = 5
"""Of the photographed table, its men, lamps and camera."""
TRACED_PX = 800, 600
JPEG_QUALITY = 92


def main(
    out: Annotated[Path, typer.Option(metavar="FILE.webp")],
    game: Annotated[str, typer.Option(help="of the demo")] = "morris",
    photos: Annotated[Path | None, typer.Option(help="folder of photos of a game of morris")] = None,
    after_s: Annotated[float, typer.Option(help="seconds of the demo before the first picture")] = 20.0,
    seconds: Annotated[float, typer.Option(help="of the demo")] = 12.0,
    rate_hz: float = 2.5,
    width: Annotated[int, typer.Option(help="pixels")] = 800,
) -> None:
    size_px = width, round(width * SIZE_PX[1] / SIZE_PX[0])
    with tempfile.TemporaryDirectory(prefix="kibitzer-film-") as folder:
        if photos is None:
            photos = Path(folder) / "photos"
            trace(photos)
        watched = watch(photos, Path(folder) / "seen.mp4", rate_hz, size_px)
    played = play(game, after_s, seconds, rate_hz, size_px)
    first, *others = [*captioned(played, CAPTIONS[0]), *captioned(watched, CAPTIONS[1])]
    duration_ms = round(1000 / rate_hz)
    first.save(out, save_all=True, append_images=others, duration=duration_ms, loop=0, quality=55, method=6)
    sys.stderr.write(f"{out}: {len(others) + 1} pictures, {out.stat().st_size / 1000:.0f} kB\n")


def trace(folder: Path) -> None:
    """Writes a photograph of the same table after each of MOVES."""
    from lab.films.table import FilmTable  # its renderer is an extra

    game, template = games.load("morris"), load_template("nine_mens_morris")
    plan = dataclasses.replace(
        draw_plan(SEED), game=game.name, rules={}, size_px=TRACED_PX, sway="stand", tilt_deg=30.0, on_corner=False
    )
    position = game.initial()
    table = FilmTable(plan, template, game.board(position), game.board(position))
    folder.mkdir()
    for number, text in enumerate(MOVES, 1):
        move = game.parse_move(position, text)
        steps, position = game.steps(position, move), game.apply(position, move)
        for step in steps:
            table.make((step,), game.board(position))
        cv2.imwrite(str(folder / f"{number:02d}.jpg"), table.picture(), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        sys.stderr.write(f"photo {number} of {len(MOVES)}\n")


def play(game: str, after_s: float, seconds: float, rate_hz: float, size_px: tuple[int, int]) -> list[Image.Image]:
    with tempfile.TemporaryFile("w+") as told:
        demo = subprocess.Popen([sys.executable, "-m", "daemon.cli", "demo", "--game", game], stderr=told)
        try:
            address = page_of(demo, told)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": SIZE_PX[0], "height": SIZE_PX[1]})
                page.goto(address)
                time.sleep(after_s)
                camera = Image.open(io.BytesIO(page.request.get(f"{address}frame.jpg").body())).convert("RGB")
                pictures = [fitted(camera, size_px)] * round(HOLD_S * rate_hz)
                pictures += film(page, seconds, rate_hz, size_px)
                browser.close()
        finally:
            demo.terminate()
            demo.wait()
    return pictures


def page_of(demo: subprocess.Popen[bytes], told: IO[str]) -> str:
    """The address of the demo's page, which may be on any port. Raises TimeoutError."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < START_S and demo.poll() is None:
        told.seek(0)
        if named := re.search(r"picture: (http://\S+)", told.read()):
            return named[1]
        time.sleep(0.2)
    raise TimeoutError("the demo names no page")


def film(page: Page, seconds: float, rate_hz: float, size_px: tuple[int, int]) -> list[Image.Image]:
    pictures, began_s = list[Image.Image](), time.monotonic()
    while len(pictures) < seconds * rate_hz:
        shot = Image.open(io.BytesIO(page.screenshot()))
        pictures.append(shot.convert("RGB").resize(size_px, Image.Resampling.LANCZOS))
        time.sleep(max(0.0, began_s + len(pictures) / rate_hz - time.monotonic()))
    return pictures


def watch(photos: Path, out: Path, rate_hz: float, size_px: tuple[int, int]) -> list[Image.Image]:
    """The last photo, and then pictures of what `kibitzer watch --out` films of all of them."""
    words = ["--game", "morris", "--source", str(photos), "--hold-s", str(HOLD_S), "--out", str(out)]
    subprocess.run([sys.executable, "-m", "daemon.cli", "watch", *words], check=True)
    last = max(path for path in photos.iterdir() if path.suffix == ".jpg")
    pictures = [fitted(Image.open(last).convert("RGB"), size_px)] * round(HOLD_S * rate_hz)
    seen, due = cv2.VideoCapture(str(out), cv2.CAP_FFMPEG), 0.0
    step = seen.get(cv2.CAP_PROP_FPS) / rate_hz
    for index in itertools.count():
        read, shot = seen.read()
        if not read:
            break
        if index >= due:
            due += step
            pictures.append(fitted(Image.fromarray(cv2.cvtColor(shot, cv2.COLOR_BGR2RGB)), size_px))
    seen.release()
    return pictures


def fitted(picture: Image.Image, size_px: tuple[int, int]) -> Image.Image:
    picture.thumbnail(size_px, Image.Resampling.LANCZOS)
    whole = Image.new("RGB", size_px, GROUND[::-1])
    whole.paste(picture, ((size_px[0] - picture.width) // 2, (size_px[1] - picture.height) // 2))
    return whole


def captioned(pictures: list[Image.Image], text: str) -> list[Image.Image]:
    strip = np.full((CAPTION_PX, pictures[0].width, 3), GROUND, dtype=np.uint8)
    lettering.write(strip, text, (14, 7), 16, WORDS)
    under = Image.fromarray(strip[..., ::-1].copy())
    joined = []
    for picture in pictures:
        whole = Image.new("RGB", (picture.width, picture.height + CAPTION_PX))
        whole.paste(picture, (0, 0))
        whole.paste(under, (0, picture.height))
        joined.append(whole)
    return joined
