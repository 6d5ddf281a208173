"""The coverage-guided part: libFuzzer through atheris, in a separate process for each entry.

`python -m tests.fuzz` starts `python -m tests.fuzz.guided TARGET ENTRY RUNS SEED REPORT`, which writes its results
to REPORT as JSON. libFuzzer ends the process itself, so the report is written while it runs.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.entry import ROOT, Entry, Found, Tally, arm, met, quiet

REPORT_EVERY = 500
MAX_RUN_S = 1800.0
INSTRUMENTED = (
    "games",
    "agents.messages",
    "agents.certificates",
    "agents.protocols",
    "agents.engines",
    "daemon.commands.command",
    "daemon.commands.declaration",
    "daemon.config.settings",
    "daemon.bus",
    "daemon.interpret",
    "daemon.judging",
    "daemon.page.token",
    "calibration",
)


def is_available() -> bool:
    """Whether atheris is installed, which exists for Linux on x86-64 only."""
    return importlib.util.find_spec("atheris") is not None


def drive(entry: Entry, runs: int, seed: int) -> Tally:
    """Lets libFuzzer feed an entry with `runs` inputs. Raises RuntimeError if its process writes no report."""
    with tempfile.TemporaryDirectory(prefix="kibitzer-fuzz-") as folder:
        report = Path(folder, "report.json")
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.guided",
            entry.target,
            entry.name,
            str(runs),
            str(seed),
            str(report),
        ]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=MAX_RUN_S)
        if not report.is_file():
            raise RuntimeError(f"the guided run of {entry.name} wrote nothing: {ended.stderr[-400:]}")
        told = json.loads(report.read_text(encoding="utf-8"))
    tally = Tally(told["inputs"], told["accepted"])
    for one in told["found"]:
        example = bytes.fromhex(one.pop("example"))
        tally.note(
            Found(example=example, **{name: one[name] for name in ("entry", "kind", "where", "error", "what")}),
            one["count"],
        )
    if ended.returncode not in (0,):
        tally.note(Found(entry.name, "crash", "libFuzzer", f"status {ended.returncode}", ended.stderr[-200:], b""))
    return tally


def _main(target: str, name: str, runs: int, seed: int, report: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        from tests.fuzz.targets import entries_of

        entry = next(one for one in entries_of(target) if one.name == name)
    tally = Tally()
    folder = report.parent / "corpus"
    folder.mkdir()
    for number, one in enumerate(entry.seeds):
        (folder / str(number)).write_bytes(one)
    words = report.parent / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in entry.words if word), encoding="ascii")

    def one_input(data: bytes) -> None:
        tally.count(met(entry, data))
        if tally.inputs % REPORT_EVERY == 0 or tally.inputs >= runs:
            report.write_text(json.dumps(tally.as_object()), encoding="utf-8")

    options = [f"-runs={runs}", f"-seed={seed % 2**31 or 1}", f"-max_len={entry.longest}"]
    options.append(f"-artifact_prefix={folder}/")  # not into the folder where the command was started
    if entry.words:
        options.append(f"-dict={words}")
    atheris.Setup([sys.argv[0], *options, "-rss_limit_mb=2048", "-verbosity=0", str(folder)], one_input)
    arm()
    quiet()
    report.write_text(json.dumps(tally.as_object()), encoding="utf-8")
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
