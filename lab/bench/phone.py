"""Films a whole photographed game of morris with a phone's page, and counts the boards followed.

    kibitzer bench phone                        # the whole game, with the network cut and back
    kibitzer bench phone --plies 6 --cut-s 0    # shorter, and without a cut

Chromium and daemon are real, with HTTPS between them. The browser's camera is a film of the photographs
(lab/films/films.py). The QR code is read off the screen, and a wrong code is tried first. Printed are: boards followed
in their order; boards wrongly believed; milliseconds from the camera's picture to the daemon's answer that it has it
(median, and 95 %); pictures and bytes a second; and how many phrases came out of the phone's page (in the daemon's
sound: the browser has no voices).

It needs Chromium and the photographs. Exit status 1 if a wrong board was believed, a board was not followed, or the
median is above 150 ms.
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from playwright.sync_api import Page, sync_playwright

import games
from lab.bench.browsing import CHROMIUM, PLAYED
from lab.bench.daemons import fetch, free_port, program, wait, write_settings
from lab.films.filmed import DATA, RULES, Studio
from lab.films.films import FPS, Plan, showings
from lab.films.judge import Due, by_the_rules
from rules import AnyGame
from vision.sources.encoded import JpegSplitter

FIRST_S = 20.0
"""Seconds of the first board before the film: the eyes open meanwhile."""
STILL_S = 1.0
AROUND_S = 9.0
"""Seconds that the players rest besides the cut itself: until the phone is back, and what it sends was read."""
LATE = 2.5
"""Times as long as a film may take: a busy computer shows fewer pictures a second than it should."""
MOST_MS = 150.0
CAMERA_HZ = 30
"""Pictures a second that Chromium takes from an MJPEG file."""


def main(
    plies: Annotated[int, typer.Option(help="photos after the first; 0 is the whole game")] = 0,
    sway: Annotated[float, typer.Option(help="share of a hand's sway")] = 0.0,
    free: Annotated[str, typer.Option(help="seconds that a board is free")] = "2",
    cut_s: Annotated[float, typer.Option(help="seconds without network; 0 cuts nothing")] = 6.0,
    keep: Annotated[Path | None, typer.Option(help="folder of films made before")] = None,
    shots: Annotated[Path | None, typer.Option(help="folder for screenshots of the phone")] = None,
) -> int:
    with tempfile.TemporaryDirectory(prefix="kibitzer-phone-") as temporary:
        folder = Path(temporary)
        game, photos = games.load("morris", RULES), DATA / "morris"
        studio = Studio(photos, photos / "labels.json", DATA / "hand", "1", keep or folder, game, {})
        film = studio.film(Plan(sway, 0.0, free, 7, plies), lambda _: None)
        shown = showings(film, studio.hand)
        dues = by_the_rules(game, shown)
        half = len(shown) // 2 + 1
        seconds = as_camera(film, folder / "camera.mjpeg", shown[half - 1].ends_s, cut_s and cut_s + AROUND_S)
        played = sum(due.plies for due in dues[:half]), sum(due.plies for due in dues)
        line, figures = followed(folder, played, seconds, cut_s, shots)
    return report(game, dues, line, figures)


def as_camera(film: Path, path: Path, rest: float, rest_s: float) -> float:
    """Writes a film as a file that Chromium takes for a camera; returns its seconds.

    The first board is shown for FIRST_S more, and that before `rest`, in seconds of the film, for `rest_s` more.
    """
    pictures = JpegSplitter().feed(film.read_bytes())
    at, still = round(rest * FPS), round(STILL_S * FPS)

    def longer(end: int, seconds: float) -> list[bytes]:
        """A still camera's pictures before that one, again and again: each has noise of its own."""
        before = pictures[max(0, end - still) : end]
        return [before[number % still] for number in range(round(seconds * FPS))]

    pictures = longer(still, FIRST_S) + pictures[:at] + longer(at, rest_s) + pictures[at:]
    with path.open("wb") as file:
        for picture in pictures:
            file.write(picture * round(CAMERA_HZ / FPS))
    return len(pictures) / FPS


def followed(
    folder: Path, plies: tuple[int, int], seconds: float, cut_s: float, shots: Path | None
) -> tuple[list[str], list[dict[str, Any]]]:
    """The moves of the game that the daemon followed, and what the phone's page showed each second.

    The network is cut, if at all, once the first of the two numbers of `plies` is played.
    """
    page_port, phone_port, relay_port = free_port(), free_port(), free_port()
    settings = write_settings(
        folder / "table.toml",
        "morris",
        game={"rules": {"flying": True, "first": "auto"}},
        camera={"source": "phone"},
        page={"port": page_port},
        phone={"port": phone_port, "addresses": ["127.0.0.1"], "folder": str(folder / "phone")},
    )
    here = f"http://127.0.0.1:{page_port}"
    with (
        program("daemon.cli", "run", "--config", str(settings), log=folder / "daemon.log"),
        sync_playwright() as playwright,
    ):
        wait(lambda: fetch(f"{here}/words") is not None, f"no daemon shows a page at {here}")
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--use-fake-ui-for-media-stream",
                "--use-fake-device-for-media-stream",
                f"--use-file-for-fake-video-capture={folder / 'camera.mjpeg'}",
            ],
        )
        phone = browser.new_context(
            viewport={"width": 390, "height": 844}, ignore_https_errors=True, permissions=["camera"]
        ).new_page()
        phone.add_init_script(PLAYED)
        laptop = browser.new_page(viewport={"width": 1366, "height": 768})
        laptop.goto(f"{here}/phone")
        address = scanned(laptop).replace(f":{phone_port}/", f":{relay_port}/")  # a cable that can be unplugged
        relay = "lab.bench.relay", str(relay_port), str(phone_port)
        with program(*relay):
            time.sleep(1.0)
            phone.goto(address.partition("#")[0] + "#no-such-code")
            phone.locator("#aim", has_text="Scan the new one").wait_for()
            phone.goto("about:blank")
            phone.goto(address)
            phone.locator("#stop").wait_for()
            phone.locator("#speak").click()
            until_s = time.monotonic() + LATE * seconds
            figures = watched(phone, here, until_s, plies[0] if cut_s else plies[1])
        if cut_s:
            time.sleep(cut_s)
            with program(*relay):
                back = watched(phone, here, until_s, plies[1])
                figures += [{"back_s": back[0]["at_s"] if back else None}, *back]
                shot(phone, shots)
        else:
            shot(phone, shots)
        figures.append({"spoken": phone.evaluate("window.played.length")})
        line: list[str] = max((one["moves"] for one in figures if "moves" in one), key=len, default=[])
        browser.close()
    return line, figures


def watched(phone: Page, here: str, until_s: float, plies: int) -> list[dict[str, Any]]:
    figures, shown, began_s = list[dict[str, Any]](), "", time.monotonic()
    while time.monotonic() < until_s:
        told = dict(phone.locator("#rate").evaluate("(element) => ({ ...element.dataset, text: element.textContent })"))
        if told["text"] and told["text"] != shown:
            shown = told["text"]
            with urllib.request.urlopen(f"{here}/state", timeout=5.0) as response:
                moves = json.load(response)["moves"]
            figures.append(told | {"at_s": round(time.monotonic() - began_s, 1), "moves": moves})
            sys.stderr.write(f"{time.monotonic() - began_s:7.1f} s  {shown}  {phone.inner_text('#said')}\n")
            if len(moves) >= plies:
                break
        time.sleep(1.0)
    return figures


def shot(phone: Page, folder: Path | None) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        phone.screenshot(path=folder / "phone.png")


def scanned(laptop: Page) -> str:
    """The address in the QR code that the page on the table's computer shows."""
    laptop.locator("#qr").wait_for()
    laptop.wait_for_function("document.getElementById('qr').naturalWidth > 0")
    picture = cv2.imdecode(np.frombuffer(laptop.locator("#qr").screenshot(), np.uint8), cv2.IMREAD_COLOR)
    for scale, detector in itertools.product((1.0, 0.5, 2.0, 0.7), (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco())):
        if address := str(detector.detectAndDecode(cv2.resize(np.asarray(picture), None, fx=scale, fy=scale))[0]):
            return address
    raise ValueError("the QR code on the page cannot be read")


def report(game: AnyGame, dues: Sequence[Due], line: Sequence[str], figures: Sequence[dict[str, Any]]) -> int:
    """Prints the figures; returns the exit status."""
    legal = [due for due in dues[1:] if due.legal]
    # Who began is not in the moves' texts.
    right, wrong = max((compared(game, start, line, legal) for start in game.starts), key=lambda found: found[0])
    shown = [one for one in figures if "ms" in one]
    took_ms = sorted(float(one["ms"]) for one in shown)
    median_ms = statistics.median(took_ms)
    back = next((one["back_s"] for one in figures if "back_s" in one), None)
    sys.stdout.write(
        f"boards followed: {right} of {len(legal)}; wrongly believed: {len(wrong)} {', '.join(wrong)}\n"
        f"from the camera to the daemon: median {median_ms:.0f} ms, 95 % {took_ms[int(0.95 * len(took_ms))]:.0f} ms\n"
        f"pictures a second: median {statistics.median(float(one['hz']) for one in shown):.1f}; "
        f"kB/s: median {statistics.median(int(one['bytes']) for one in shown) / 1000:.0f}\n"
        f"phrases spoken by the phone's page: {sum(one.get('spoken', 0) for one in figures)}\n"
        + (f"network cut: pictures again {back:.1f} s after it was back\n" if back is not None else "")
    )
    return 1 if wrong or right < len(legal) or median_ms > MOST_MS else 0


def compared(game: AnyGame, start: Any, line: Sequence[str], legal: Sequence[Due]) -> tuple[int, list[str]]:
    """Number of boards that the moves from a start reach in their order, and the moves that lead to no such board."""
    boards, position = list[str](), start
    for move in line:
        position = game.apply(position, game.parse_move(position, move))
        boards.append(game.board(position))
    right, wrong, rest = 0, list[str](), iter(legal)
    due = next(rest, None)
    for number, board in enumerate(boards):
        if due is not None and board == due.showing.cells:
            right, due = right + 1, next(rest, None)
        elif due is None or due.plies < 2 or boards[number + 1 : number + 2] != [due.showing.cells]:
            wrong.append(f"ply {number + 1}: {line[number]}")
    return right, wrong
