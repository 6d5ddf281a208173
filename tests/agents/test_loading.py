"""Agents whose search kernel is still being compiled, with fake kernels that arrive on demand."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import games
from agents import kernels, loading
from agents.agent import Limits
from agents.kernels import compilation, kept_code
from agents.plain_search import PlainSearch
from agents.registry import load_agent
from tests.conftest import ROOT

NEVER = threading.Event()


class SlowGame:
    """The rules of gánh under a name of their own, for which a kernel can be faked."""

    def __init__(self, name: str) -> None:
        self._game = games.load("ganh")
        self.name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


class FakeKernel:
    """A kernel for any game that is loaded once `arrive` is set."""

    SEARCH = PlainSearch

    def __init__(self) -> None:
        self.arrive = threading.Event()
        self.asked = 0
        self.made = 0

    def load(self, name: str) -> type:
        self.asked += 1
        assert self.arrive.wait(20)
        return PlainSearch

    def search(self, game: Any, table_mb: int, seed: int, heuristic: str = "") -> PlainSearch:
        assert self.arrive.is_set(), "the kernel was asked for before it was there: everybody would wait"
        self.made += 1
        return PlainSearch(game)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[tuple[FakeKernel, Any]]:
    game, kernel = SlowGame(f"slow_{request.node.name}"), FakeKernel()
    monkeypatch.setattr(kernels, "names", lambda: (game.name,))
    monkeypatch.setattr(kernels, "load", kernel.load)
    monkeypatch.setattr(kernels, "search", kernel.search)
    monkeypatch.setattr(kernels, "is_on_disk", lambda name: True)
    yield kernel, game
    kernel.arrive.set()
    loading.answer_within(None)
    loading.begin(game.name).join()


def test_a_worker_answers_without_a_kernel_that_is_late(fake: tuple[FakeKernel, Any]) -> None:
    kernel, game = fake
    loading.answer_within(0.05)
    player = load_agent("alphabeta", game)
    for _ in range(2):
        answer = player.choose(game.initial(), Limits(depth=1), NEVER)
        assert answer.move in game.legal_moves(game.initial())
        assert answer.depth == 1
        assert answer.told_score is None  # plain search judges by another evaluation
    assert (kernel.asked, kernel.made) == (1, 0)
    assert loading.is_busy()
    kernel.arrive.set()
    loading.begin(game.name).join()
    answer = player.choose(game.initial(), Limits(depth=1), NEVER)
    assert answer.told_score == answer.score
    assert (kernel.asked, kernel.made) == (1, 1)
    assert not loading.is_pending(game.name)


def test_a_level_thinks_its_time_after_waiting_in_vain(fake: tuple[FakeKernel, Any]) -> None:
    _, game = fake
    loading.answer_within(0.3)
    answer = load_agent("level-5", game).choose(game.initial(), Limits(time_s=1.0), NEVER)
    assert answer.depth >= 1
    assert answer.score is not None


def test_a_depth_for_the_kernel_does_not_keep_the_answer_waiting(
    fake: tuple[FakeKernel, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, game = fake
    loading.answer_within(0.05)
    monkeypatch.setattr("agents.alphabeta.STOPGAP_S", 0.1)
    answer = load_agent("alphabeta", game).choose(game.initial(), Limits(depth=30), NEVER)
    assert 1 <= answer.depth < 30


def test_who_has_no_time_does_not_wait_for_a_compilation(
    fake: tuple[FakeKernel, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, game = fake
    load = kernel.load

    def compiling(name: str) -> type:
        for told in compilation.listeners:
            told(False)
        return load(name)

    monkeypatch.setattr(kernels, "load", compiling)
    loading.answer_within(20)  # the kernel arrives when the test is over
    load_agent("alphabeta", game).choose(game.initial(), Limits(depth=1), NEVER)
    assert kernel.made == 0 and loading.is_busy()


def test_what_was_never_compiled_here_is_compiled_by_another_process_while_moves_are_played(
    fake: tuple[FakeKernel, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, game = fake
    told, compiled, ended = list[list[str]](), threading.Event(), threading.Event()

    def run(command: list[str], _timeout_s: float, **_options: object) -> None:
        told.append(command)
        assert compiled.wait(20)
        ended.set()

    monkeypatch.setattr(kernels, "is_on_disk", lambda name: False)
    monkeypatch.setattr(loading.processes, "run", run)  # type: ignore[attr-defined]
    loading.answer_within(20)
    load_agent("alphabeta", game).choose(game.initial(), Limits(depth=1), NEVER)
    assert told[0][1:] == ["-m", "agents.compile_ahead", "--alone", game.name]
    assert (kernel.asked, kernel.made) == (0, 0) and not ended.is_set()  # nothing is compiled or waited for here
    compiled.set()
    kernel.arrive.set()
    loading.begin(game.name).join()
    assert kernel.asked == 1


def test_no_compiler_is_imported_to_answer_while_another_process_compiles(tmp_path: Path) -> None:
    program = """
import sys, threading, games
from agents import loading
from agents.agent import Limits
from agents.registry import load_agent
loading.processes.run = lambda *_, **options: threading.Event().wait()
loading.answer_within(60)
game = games.load("gomoku")
load_agent("alphabeta", game).choose(game.initial(), Limits(depth=1), threading.Event())
print(sorted({"numba", "onnxruntime"} & set(sys.modules)), flush=True)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_a_kernel_is_on_the_disk_once_it_was_loaded_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_code, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernels, "_kernel", lambda _name: FakeKernel)
    folder = kept_code.folder_of(ROOT / "games" / "reversi")
    folder.mkdir()
    assert not kernels.is_on_disk("reversi")  # a compilation that was interrupted leaves a part of it
    kernels.load("reversi")
    assert kernels.is_on_disk("reversi") and not kernels.is_on_disk("gomoku")


def test_without_haste_the_kernel_is_waited_for(fake: tuple[FakeKernel, Any]) -> None:
    kernel, game = fake
    threading.Timer(0.2, kernel.arrive.set).start()
    load_agent("alphabeta", game).choose(game.initial(), Limits(depth=1), NEVER)
    assert kernel.made == 1


def test_stop_ends_the_waiting(fake: tuple[FakeKernel, Any]) -> None:
    kernel, game = fake
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    answer = load_agent("alphabeta", game).choose(game.initial(), Limits(depth=5), stop)
    assert answer.move in game.legal_moves(game.initial())
    assert kernel.made == 0


def test_a_kernel_that_another_thread_imports_is_not_ready(fake: tuple[FakeKernel, Any]) -> None:
    kernel, game = fake
    assert not loading.is_ready(game.name)
    thread = loading.begin(game.name)
    assert loading.begin(game.name) is thread
    time.sleep(0.01)
    assert loading.is_pending(game.name)
    kernel.arrive.set()
    thread.join()
    assert not loading.is_pending(game.name)


def test_a_kernel_that_was_loaded_while_another_process_compiles_it_is_used(
    fake: tuple[FakeKernel, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, game = fake
    thread = loading.begin(game.name)
    assert loading.is_pending(game.name)
    monkeypatch.setitem(sys.modules, games.module_name(game.name, "kernel"), SimpleNamespace(SEARCH=PlainSearch))
    assert thread.is_alive() and not loading.is_pending(game.name)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("quiet_s", [-1.0, 1e9])
def test_compiling_is_shown_on_a_terminal_and_loading_from_the_disk_is_not(
    monkeypatch: pytest.MonkeyPatch, quiet_s: float
) -> None:
    told = Terminal()
    monkeypatch.setattr(kernels, "QUIET_S", quiet_s)
    monkeypatch.setattr(kernels.sys, "stderr", told)
    with kernels._shown("gomoku"):
        for _ in range(3):
            for listener in compilation.listeners:
                listener(quiet_s > 0)
    assert not compilation.listeners
    lines = told.getvalue().split("\r\033[K")[1:]
    if quiet_s > 0:
        assert lines == []
        return
    assert [line.rpartition(" of ")[0] for line in lines[:3]] == [
        f"Preparing the player of gomoku, once: {number}" for number in (1, 2, 3)
    ]
    assert lines[3:] == [""]
