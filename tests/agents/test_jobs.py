"""Jobs in threads, in processes and on clusters: each counted once, and no wait without an end."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import os
import platform
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from agents import jobs as jobs_package
from agents.arena.play import play
from agents.jobs import ALONE, CLUSTER, Backend, JobsError, pools, running, version
from agents.jobs.running import run_jobs
from tests.agents.deadly_work import die, grow, play_or_die

GAMES = 20


def installed(name: str) -> Backend:
    """The backend with two workers on this computer; skips the test where it is not installed."""
    if name == CLUSTER and importlib.util.find_spec("distributed") is None:
        pytest.skip(f"{name} is not installed: it is in the extra cluster")
    return Backend(name, 2)


@pytest.mark.filterwarnings("ignore")  # of the packages' own making
@pytest.mark.parametrize("name", ["loky", "multiprocessing", "dask"])
def test_workers_that_die_in_the_middle_and_in_the_last_game_change_no_result(name: str, tmp_path: Path) -> None:
    deadly = {GAMES // 2, GAMES - 1}
    work = functools.partial(play_or_die, deadly=deadly, graves=tmp_path)
    found = list(run_jobs(work, range(GAMES), installed(name)))
    assert {int(path.name) for path in tmp_path.iterdir()} == deadly
    assert sorted(found) == [(number, work(number, None)) for number in range(GAMES)]


def test_a_job_that_kills_every_worker_ends_the_work_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(JobsError, match="3 workers of this computer died over one job: 7"):
        list(run_jobs(functools.partial(die, graves=tmp_path), [7], Backend("loky", 1)))
    assert len(list(tmp_path.iterdir())) == running.MAX_TRIES


@pytest.mark.filterwarnings("default")  # loky's thread would end by its own warning, and nobody get a result
def test_a_process_that_grows_by_its_first_job_is_not_started_again() -> None:
    assert len({process for _, process in run_jobs(grow, range(4), Backend("loky", 1))}) == 1


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_processes_that_close_right_after_a_call_was_submitted_tell_no_traceback() -> None:
    for _ in range(5):
        pool = pools.Processes(2, "loky")
        pool.submit(int).result()
        pool.submit(time.sleep, 60)
        pool.close()


def test_jobs_are_taken_as_needed_and_yielded_in_order_if_wanted() -> None:
    second = threading.Event()

    def work(number: int, _stop: threading.Event | None) -> int:
        if number == 0:
            assert second.wait(60)
        second.set()
        return -number

    taken: list[int] = []
    endless = (taken.append(number) or number for number in itertools.count())
    with contextlib.closing(run_jobs(work, endless, Backend("threading", 2), in_order=True)) as found:
        assert [next(found) for _ in range(50)] == [(number, -number) for number in range(50)]
    assert len(taken) <= 50 + running.AHEAD * 2


def test_an_error_of_the_work_is_raised_where_results_are_gathered() -> None:
    def work(number: int, _stop: threading.Event | None) -> None:
        raise ValueError(f"no {number}")

    with pytest.raises(ValueError, match="no 5"):
        list(run_jobs(work, [5], ALONE))


class Deserted:
    """A cluster that workers have left, or one with a worker that answers as it is told to."""

    stop, lost = None, (ConnectionError,)

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def __str__(self) -> str:
        return "the cluster"

    def workers(self) -> dict[str, int]:
        return {"host:1": 1} if self.answers else {}

    def submit(self, *_: Any, worker: str | None = None) -> Future[Any]:
        future: Future[Any] = Future()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            future.set_exception(answer)
        elif answer is not None:
            future.set_result(answer)
        return future

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([], r"no worker of the cluster has answered for 0\.1 s"),
        ([version()], r"no worker of the cluster has answered for 0\.1 s"),
        ([None], r"the worker host:1 of the cluster has not answered for 0\.1 s"),
        (["0.1.0-ffffffff"], f"the version on worker host:1 is 0.1.0-ffffffff, here it is {version()}"),
        ([ModuleNotFoundError("No module named 'agents'")], r"on worker host:1 is none \(No module named 'agents'\)"),
    ],
)
def test_workers_that_cannot_do_the_work_are_named_at_once_and_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, answers: list[Any], said: str
) -> None:
    monkeypatch.setattr(running, "_pool", lambda _backend: Deserted(*answers))
    monkeypatch.setattr(running, "MAX_SILENCE_S", 0.1)
    monkeypatch.setattr(running, "LOOK_S", 0.01)
    with pytest.raises(JobsError, match=said) as raised:
        list(run_jobs(play, itertools.count(), ALONE))
    assert "\n" not in str(raised.value)


def test_a_worker_that_joins_later_with_another_version_is_found_by_its_first_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "version", lambda: "0.1.0-ffffffff")  # wanted here; `answer` knows its own
    with pytest.raises(JobsError, match=f"the version on worker {platform.node()} is {version()}, here it is 0.1.0-f"):
        list(run_jobs(lambda number, _stop: number, [1], ALONE))


@pytest.fixture
def bare_dask() -> Iterator[str]:
    """Address of a dask cluster whose worker has no Kibitzer."""
    installed("dask")
    import distributed

    with distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=False
    ) as scheduler:
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", scheduler.scheduler_address, "--nthreads", "1",
             "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"],
            env={**os.environ, "PYTHONPATH": ""}, cwd="/", stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield scheduler.scheduler_address
        finally:
            worker.kill()
            worker.wait()


@pytest.mark.filterwarnings("ignore")
def test_a_dask_worker_without_kibitzer_is_named(bare_dask: str) -> None:
    with pytest.raises(JobsError, match=rf"version on worker tcp://127.* is none \(No module named .*{version()}"):
        list(run_jobs(play, itertools.count(), Backend("dask", None, bare_dask)))


@pytest.mark.filterwarnings("ignore")
def test_an_address_where_no_cluster_answers_ends_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    installed("dask")
    monkeypatch.setattr(pools, "MAX_CONNECTING_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address, said in ((f"127.0.0.1:{port}", "no answer in 0.5 s"), ("nonsense", "to be HOST:PORT")):
            with pytest.raises(JobsError, match=f"the dask cluster {address} cannot be reached: .*{said}") as raised:
                list(run_jobs(play, [], Backend("dask", None, address)))
            assert "\n" not in str(raised.value)
    with pytest.raises(JobsError, match="refused"):
        list(run_jobs(play, [], Backend("dask", None, f"127.0.0.1:{port}")))


def test_backends_that_do_not_exist_or_are_not_installed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JobsError, match="no backend 'slurm'; the backends are threading, loky"):
        Backend("slurm")
    with pytest.raises(JobsError, match="--cluster host:1 is for --backend dask, not loky"):
        Backend("loky", cluster="host:1")
    monkeypatch.setattr(jobs_package.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(JobsError, match=r"needs the package distributed.*kibitzer\[cluster\]"):
        Backend("dask")


def test_several_jobs_run_in_processes_one_in_a_thread_and_a_cluster_takes_all_it_can() -> None:
    assert Backend.chosen(None, None, None) == ALONE
    assert Backend.chosen(None, None, 3) == Backend("loky", 3)
    assert Backend.chosen("threading", None, None, most=2) == Backend("threading", 2)
    if importlib.util.find_spec("distributed") is not None:
        assert Backend.chosen("dask", "host:1", None, most=2) == Backend("dask", None, "host:1")
