"""Checks the computer: cores, memory, clock, disk, folders, display, and whether the daemon starts with it."""

from __future__ import annotations

import base64
import datetime
import hashlib
import importlib.metadata
import os
import shutil
import time
from pathlib import Path

from daemon.checks import CheckResult
from daemon.config.settings import Config
from daemon.page.window import display_fault
from daemon.record.journal import Journal, JournalError
from daemon.supervision.resources import gigabytes
from system import paths

MIN_MEMORY_MB = 600
"""Megabytes needed by one table with its worker and voice, with some reserve."""
MIN_CORES = 2
EARLIEST = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
"""Earliest plausible time: a clock that shows an earlier one was never set."""
SEARCHES = paths.cache_folder(".numba_cache")
UNITS = (Path("/etc/systemd/system"), Path.home() / ".config" / "systemd" / "user")


def check_computer(_config: Config, meminfo: Path = Path("/proc/meminfo")) -> CheckResult:
    """Checks cores and memory."""
    cores, free_mb = len(os.sched_getaffinity(0)), _available_mb(meminfo)
    text = f"{cores} cores" + ("" if free_mb is None else f", {free_mb} MB of memory free")
    advice = [f"a table wants {MIN_CORES} cores: ask for fewer pictures, camera.rate_hz = 8"] * (cores < MIN_CORES)
    if free_mb is not None and free_mb < MIN_MEMORY_MB:
        advice.append(f"a table wants {MIN_MEMORY_MB} MB: end other programs")
    return CheckResult("computer", not advice, "; ".join([text, *advice]))


def _available_mb(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) // 1000 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def check_clock(_config: Config, now_s: float | None = None) -> CheckResult:
    """Checks the clock, whose time is written to the record; a small computer without a battery loses it."""
    now = datetime.datetime.fromtimestamp(time.time() if now_s is None else now_s, datetime.UTC)
    text = now.astimezone().strftime("%Y-%m-%d %H:%M")
    if now < EARLIEST:
        return CheckResult("clock", False, f"it shows {text}: `sudo timedatectl set-ntp true`, or set it by hand")
    return CheckResult("clock", True, text)


def check_record(config: Config) -> CheckResult:
    """Checks the record: disk space, permissions, and whether it can be read."""
    path = paths.resolved(config.journal.path)
    folder = next(parent for parent in path.parents if parent.exists())
    free = shutil.disk_usage(folder).free
    if free // 1_000_000 < config.supervision.free_mb:
        return CheckResult("record", False, f"{path}: only {gigabytes(free)} GB free; make room")
    if not os.access(path if path.exists() else folder, os.W_OK):
        return CheckResult("record", False, f"{path}: this user may not write it: sudo chown $USER {folder}")
    if not path.exists():
        old = paths.left_behind(config.journal.path)
        advice = f'; {old} is another: copy it there by `sqlite3 {old} ".backup {path}"`' if old else ""
        return CheckResult("record", not advice, f"{path}: made at the first start; {gigabytes(free)} GB free{advice}")
    try:
        journal = Journal(path, read_only=True)
        count = len(journal.games())
        journal.close()
    except JournalError as error:
        return CheckResult("record", False, f"{path}: {error}")
    return CheckResult("record", True, f"{path}: {count} games; {gigabytes(free)} GB free")


def check_folders(config: Config, searches: Path = SEARCHES) -> CheckResult:
    """Checks the other folders written to: log, compiled searches, bundles."""
    wanted = {searches: "searches are compiled anew at every start"}
    if config.log.path:
        wanted[paths.resolved(config.log.path).parent] = "there is no log"
    if config.bundles.enabled:
        wanted[paths.resolved(config.bundles.folder)] = "no bundles are kept"
    faults = []
    for folder, loss in wanted.items():
        there = next(one for one in (folder, *folder.parents) if one.exists())
        if not os.access(there, os.W_OK):
            faults.append(f"{folder} cannot be written, so {loss}: sudo chown $USER {there}")
    if searches.exists() and not paths.is_private(searches):
        faults.append(f"others may write {searches}, so no search is loaded from it: delete it")
    return CheckResult("folders", not faults, "; ".join(faults) or ", ".join(str(folder) for folder in wanted))


def check_owners(config: Config, file: Path) -> CheckResult:
    """Checks whether other users may change or replace record, keys, log, bundles, and the settings `file`."""
    written = (config.journal.path, config.journal.live_file, config.log.path, config.page.token)
    folders = [paths.resolved(path).parent for path in written if path]
    folders += [paths.resolved(path) for path in (config.phone.folder, config.bundles.folder, config.bus.keys) if path]
    found = filter(None, map(paths.exposed, [file, *folders]))
    faults = "; ".join(dict.fromkeys(found))
    return CheckResult("owners", not faults, faults or "no other user may change settings, record or keys")


def check_program(_config: Config) -> CheckResult:
    """Checks every installed file, such as boards, levels and translations, against the digest noted when installed."""
    if paths.IN_CHECKOUT:
        return CheckResult("program", True, "a checkout; `git status` lists what was changed in it")
    files = [file for file in importlib.metadata.files(paths.NAME) or () if file.hash is not None]
    damaged = [str(file.locate()) for file in files if not _is_intact(file)]
    if damaged:
        return CheckResult("program", False, f"damaged or missing: {', '.join(damaged)}; install Kibitzer again")
    return CheckResult("program", True, f"{len(files)} files intact")


def _is_intact(file: importlib.metadata.PackagePath) -> bool:
    assert file.hash is not None
    try:
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


def check_display(config: Config) -> CheckResult:
    """Checks whether a window can be shown."""
    if not config.page.window:
        return CheckResult("display", True, "no window wanted")
    fault = display_fault()
    return CheckResult("display", True, fault or "a window will be shown")


def check_service(_config: Config, units: tuple[Path, ...] = UNITS) -> CheckResult:
    """Checks whether the daemon starts with the computer."""
    written = [str(unit) for folder in units if folder.is_dir() for unit in sorted(folder.glob("kibitzer*.service"))]
    if written:
        return CheckResult("service", True, ", ".join(written))
    if not shutil.which("systemctl"):
        return CheckResult("service", True, "no systemd here; start `kibitzer run` as this computer starts programs")

    return CheckResult("service", True, "starts by hand only; `kibitzer service install` changes that")
