"""A guided calibration over an MJPEG stream, with occasional wrong layouts; then a game with its profile.

    .venv/bin/python -m lab.bench.guided_calibration --seed 1 --plies 12

The table, the calibration and the watching are separate programs, connected only by HTTP: the sitter knows only the
output of `kibitzer calibrate --json`. Prints one JSON object; exit status 1 if a slip went unnoticed, a picture shows
another board than was asked for, or a ply of the game was missed or invented.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import IO, Any

from lab.bench.kill_resume import ROOT, fetch, free_port
from lab.simulated.calibration_player import SLIPS

COMMAND = [sys.executable, "-m", "daemon.cli"]
START_S, GAME_S = 30.0, 600.0


def post(url: str, content: object) -> None:
    """Sends JSON."""
    request = urllib.request.Request(url, json.dumps(content).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).read()


def start_table(words: list[str], port: int) -> subprocess.Popen[bytes]:
    """Starts a simulated table and waits until it answers."""
    table = subprocess.Popen([*COMMAND, "table", *words, "--port", str(port)], stderr=subprocess.DEVNULL, cwd=ROOT)
    deadline_s = time.monotonic() + START_S
    while fetch(f"http://127.0.0.1:{port}/truth") is None:
        if time.monotonic() > deadline_s:
            table.kill()
            raise SystemExit("the table does not start")
        time.sleep(0.2)
    return table


def sit(events: IO[str], url: str, slips: float, chance: random.Random) -> dict[str, Any]:
    """Follows the instructions to the end; returns the slips made and those noticed."""
    heard: list[dict[str, Any]] = []
    laid_wrongly = noticed = wrong_pictures = 0
    pending = False
    asked = ""
    for line in events:
        event = json.loads(line)
        heard.append(event)
        code = event.get("event")
        if code == "lay":
            slip = chance.choice(SLIPS[1:]) if event["cells"] and chance.random() < slips else "none"
            pending, asked = slip != "none", event["board"]
            laid_wrongly += pending
            post(f"{url}/lay", {"board": asked, "slip": slip})
        elif code == "correct":
            noticed += pending
            pending = False
            post(f"{url}/lay", {"mend": True})
        elif code == "taken":
            truth = fetch(f"{url}/truth") or {}
            wrong_pictures += truth.get("board") != asked
        sys.stderr.write(f"  {event.get('text', line.strip())}\n")
    return {"slips": laid_wrongly, "noticed": noticed, "wrong_pictures": wrong_pictures, "summary": heard[-1:]}


def calibrate(words: list[str], profile: Path, slips: float, chance: random.Random) -> dict[str, Any]:
    """Runs the guided calibration of a table; returns its results."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    table = start_table([*words, "--calibrate"], port)
    begun_s = time.monotonic()
    guide: subprocess.Popen[str] = subprocess.Popen(
        [*COMMAND, "calibrate", *words[:2], "--source", f"{url}/video", "--out", str(profile), "--silent", "--json",
         "--give-up-s", "20"],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, cwd=ROOT,
    )  # fmt: skip
    assert guide.stdout is not None
    try:
        result = sit(guide.stdout, url, slips, chance)
        return result | {"status": guide.wait(30), "seconds": round(time.monotonic() - begun_s, 1)}
    finally:
        guide.kill()
        table.terminate()
        table.wait()


def watch_game(words: list[str], profile: Path, plies: int) -> dict[str, Any]:
    """Watches a game on the same table with the profile: its first plies, and what was believed of them."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    table = start_table([*words, "--pace", "1.5", "--think-s", "1"], port)
    watch = subprocess.Popen(
        [*COMMAND, "watch", *words[:2], "--source", f"{url}/video", "--profile", str(profile), "--give-up-s", "5"],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    deadline_s = time.monotonic() + GAME_S
    while len((fetch(f"{url}/truth") or {}).get("moves", [])) < plies + 1 and time.monotonic() < deadline_s:
        time.sleep(0.5)
    truth = (fetch(f"{url}/truth") or {}).get("moves", [])[:plies]
    table.terminate()
    table.wait()
    seen = [json.loads(line) for line in watch.communicate(timeout=60)[0].splitlines()]
    moves = [event["move"] for event in seen if event["event"] == "move"][:plies]
    complaints = [event["event"] for event in seen if event["event"] not in ("move", "start", "board_lost")]
    return {"plies": len(truth), "right": sum(a == b for a, b in zip(truth, moves, strict=False)), "said": complaints}


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="morris")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chance", action="store_true", help="another table, board, light and camera for every seed")
    parser.add_argument("--slips", type=float, default=0.6, help="share of boards that are first laid wrongly")
    parser.add_argument("--plies", type=int, default=12, help="plies of the game that is then watched; 0: none")
    given = parser.parse_args()
    words = ["--game", given.game, "--seed", str(given.seed)] + ["--chance"] * given.chance
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "table.npz"
        result = calibrate([*words, "--pace", "2"], profile, given.slips, random.Random(given.seed))
        result["game"] = watch_game(words, profile, given.plies) if given.plies and profile.exists() else None
    sys.stdout.write(json.dumps(result) + "\n")
    game = result["game"] or {"plies": 0, "right": 0}
    good = result["status"] == 0 and result["slips"] == result["noticed"] and not result["wrong_pictures"]
    return 0 if good and game["plies"] == game["right"] else 1


if __name__ == "__main__":
    sys.exit(main())
