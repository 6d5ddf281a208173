"""Shared test set-up: subprocesses find the checkout's modules, as when the launcher starts them."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

import games
from agents import loading
from daemon.setup.catalogue import Catalogue

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
os.environ["PYTHONPATH"] = str(ROOT)
os.environ["PYTHONSAFEPATH"] = "1"
os.environ["KIBITZER_TABLES"] = ""
"""Tests use and build only the endgame tables that they name."""
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
"""As in the program: the tests share the cores among themselves, and a second thread of each only waits."""
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Containers often set it; every worker, and every program that a test starts, would then compile all modules anew."""
_SHM = "/dev/shm"
if Path(_SHM).is_dir() and shutil.disk_usage(_SHM).free > 4 << 30 and not os.statvfs(_SHM).f_flag & os.ST_NOEXEC:
    os.environ["TMPDIR"] = tempfile.tempdir = _SHM
"""Files of tests lie in memory where there is room: of the thousands of moves that are recorded, each would wait for a
disk. Tests start programs there, too."""
signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell that runs the tests in the background makes them ignore Ctrl-C, and programs started here would inherit
that."""
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.load_profile("same")
providers.is_local_module_file = lambda path: False
"""Generated examples are the same in every process. By itself hypothesis also tries constants of whatever modules are
loaded by then, and has no setting against it."""
LOAD_KERNEL = "import sys; from agents import kernels; kernels.load(sys.argv[1])"


def pytest_configure(config: pytest.Config) -> None:
    """Before processes begin to share the tests, all kernels are compiled, once: each would do it by itself."""
    if config.getoption("numprocesses", None):
        from agents import kernels

        started = [subprocess.Popen([sys.executable, "-c", LOAD_KERNEL, name], cwd=ROOT) for name in kernels.names()]
        for one in started:
            one.wait()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is loaded by then stays: the collector, which would look through it again and again, leaves it alone."""
    gc.disable()
    found = yield
    gc.enable()
    gc.freeze()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test logged may hold lone surrogates, which a report to another process may not."""
    report = yield
    report.sections = [(title, text.encode("utf-8", "backslashreplace").decode()) for title, text in report.sections]
    return report


ASK_PROGRAM = Catalogue._ask


@pytest.fixture(autouse=True, scope="session")
def agents_listed_here() -> Iterator[None]:
    """Every daemon has a program list the agents, for half a second; here most have the same list at once."""

    def ask(catalogue: Catalogue) -> None:
        from agents import agents_cli

        catalogue.newest = agents_cli.catalogue(games.names())

    def make(catalogue: Catalogue) -> None:
        catalogue._thread = threading.Thread(target=catalogue._ask)
        catalogue._thread.start()
        catalogue._thread.join()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Catalogue, "__init__", make)
        patch.setattr(Catalogue, "_ask", ask)
        yield


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    """An engine that a test starts in this process limits for the whole process how long agents wait for their code."""
    yield
    loading.answer_within(None)


@pytest.fixture
def real_data() -> Path:
    """The folder of real photos and positions; skips the test if it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no real photos: {DATA} is absent")
    return DATA


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replaces the Romanian translation by wide letters, so that untranslated text shows as narrow letters."""
    from daemon.words import translation
    from tests.daemon.pseudo import speak_pseudo

    speak_pseudo(monkeypatch)
    yield
    translation.page_words.cache_clear()
    translation.speak("en")
