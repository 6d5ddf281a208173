"""Restarts an MJPEG photo server in mid-stream: the record must be the same as from the folder.

    .venv/bin/python -m lab.bench.stream_restart PHOTOS --profile table.npz --rule flying=true

Prints one JSON object; exit status 1 if the two records differ.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from lab.bench.kill_resume import ROOT, fetch, free_port

COMMAND = [sys.executable, "-m", "daemon.cli"]
OUTAGE_S = 4.0
"""Seconds that the server stays away."""


def moves_of(lines: str) -> list[str]:
    """The moves among the events."""
    events = [json.loads(line) for line in lines.splitlines()]
    return [event["move"] for event in events if event["event"] == "move"]


def reports_of(lines: str) -> list[str]:
    """Reports other than moves, except for the board's absence during the outage."""
    ordinary = ("move", "start", "board_lost", "board_found", "game_over")
    return [event["event"] for event in map(json.loads, lines.splitlines()) if event["event"] not in ordinary]


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--game", default="nine_mens_morris")
    parser.add_argument("--rule", action="append", default=[])
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--hold-s", type=float, default=2.5, help="seconds each photo is shown")
    given = parser.parse_args()
    watch = [*COMMAND, "watch", "--game", given.game]
    watch += [word for rule in given.rule for word in ("--rule", rule)]
    watch += ["--profile", str(given.profile)] if given.profile else []
    folder = subprocess.run([*watch, "--source", str(given.photos)], capture_output=True, text=True, cwd=ROOT).stdout
    port = free_port()
    serve = [*COMMAND, "serve", str(given.photos), "--port", str(port), "--hold-s", str(given.hold_s), "--rate-hz", "8"]
    server = subprocess.Popen(serve, stderr=subprocess.DEVNULL, cwd=ROOT)
    watcher = subprocess.Popen(
        [*watch, "--source", f"http://127.0.0.1:{port}/video", "--give-up-s", "12"],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    count = len([path for path in given.photos.iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png")])
    shown = ""
    while not shown or int(re.findall(r"\d+", shown)[-1]) < count // 2:
        time.sleep(0.5)
        shown = str((fetch(f"http://127.0.0.1:{port}/now") or {}).get("photo", ""))
    server.kill()
    server.wait()
    time.sleep(OUTAGE_S)
    server = subprocess.Popen([*serve, "--from", shown], stderr=subprocess.DEVNULL, cwd=ROOT)
    stream, _ = watcher.communicate(timeout=count * given.hold_s * 3 + 60)
    server.wait(timeout=30)
    same = moves_of(folder) == moves_of(stream) and reports_of(folder) == reports_of(stream)
    result = {
        "killed_at": shown,
        "moves_folder": len(moves_of(folder)),
        "moves_stream": len(moves_of(stream)),
        "reports_folder": reports_of(folder),
        "reports_stream": reports_of(stream),
        "same_record": same,
    }
    sys.stdout.write(json.dumps(result) + "\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
