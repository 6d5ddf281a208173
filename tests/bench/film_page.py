"""Films the page beside a demo: the moving picture of the README.

    python -m tests.bench.film_page --out docs/demo.webp

Needs Chromium. The demo runs in real time, with its own voice if the machine has one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM

PAGE = "http://127.0.0.1:8765/"
SIZE_PX = 1280, 800
START_S = 60.0


def main() -> None:
    """Starts the demo, films its page, and ends it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.webp")
    parser.add_argument("--game", default="morris")
    parser.add_argument("--after-s", type=float, default=20.0, help="seconds of play before the first picture")
    parser.add_argument("--seconds", type=float, default=16.0)
    parser.add_argument("--rate-hz", type=float, default=3.0)
    parser.add_argument("--width", type=int, default=800, help="pixels")
    asked = parser.parse_args()
    demo = subprocess.Popen(
        [sys.executable, "-m", "daemon.cli", "demo", "--game", asked.game], stderr=subprocess.DEVNULL
    )
    try:
        await_page(demo)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": SIZE_PX[0], "height": SIZE_PX[1]})
            page.goto(PAGE)
            time.sleep(asked.after_s)
            pictures = film(page, asked.seconds, asked.rate_hz, asked.width)
            browser.close()
    finally:
        demo.terminate()
        demo.wait()
    first, *others = pictures
    first.save(
        asked.out,
        save_all=True,
        append_images=others,
        duration=round(1000 / asked.rate_hz),
        loop=0,
        quality=60,
        method=6,
    )
    sys.stderr.write(f"{asked.out}: {len(pictures)} pictures, {asked.out.stat().st_size / 1000:.0f} KB\n")


def await_page(demo: subprocess.Popen[bytes]) -> None:
    """Waits until the demo's page answers. Raises TimeoutError."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < START_S and demo.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(PAGE, timeout=1.0):
            return
        time.sleep(0.2)
    raise TimeoutError(f"the demo shows no page at {PAGE}")


def film(page: Page, seconds: float, rate_hz: float, width_px: int) -> list[Image.Image]:
    """Pictures of the page at that rate, scaled down."""
    size_px = width_px, round(width_px * SIZE_PX[1] / SIZE_PX[0])
    pictures, began_s = list[Image.Image](), time.monotonic()
    while len(pictures) < seconds * rate_hz:
        shot = Image.open(io.BytesIO(page.screenshot()))
        pictures.append(shot.convert("RGB").resize(size_px, Image.Resampling.LANCZOS))
        time.sleep(max(0.0, began_s + len(pictures) / rate_hz - time.monotonic()))
    return pictures


if __name__ == "__main__":
    main()
