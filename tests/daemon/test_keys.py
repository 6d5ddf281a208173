"""Who may join a bus that other computers can reach: key files, and real sockets that ask for keys."""

from __future__ import annotations

import contextlib
import json
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq
from typer.testing import CliRunner

from agents import certificates
from agents.certificates import CertificateError, WorkerKeys
from agents.messages import TOPIC
from agents.worker import Worker
from daemon.bus import bus as bus_module
from daemon.bus.bus import Bus
from daemon.bus.endpoints import BusError
from daemon.bus.keys import KeyFolder
from daemon.cli.keys import app
from tests.daemon.test_bus import state
from tests.waiting import wait_for


def own_address() -> str:
    """An address of this computer that others can reach; loopback if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.254", 9))  # sends nothing; only finds which local address would be used
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


@pytest.fixture
def folder(tmp_path: Path) -> KeyFolder:
    made = KeyFolder(tmp_path / "keys")
    made.new("daemon")
    return made


@pytest.fixture
def bus(folder: KeyFolder) -> Iterator[Bus]:
    made = Bus(f"tcp://{own_address()}:*", f"tcp://{own_address()}:*", keys=folder.path)
    yield made
    made.close()


class Peer:
    """A worker in another program; without keys its connection is plain."""

    def __init__(self, bus: Bus, keys: WorkerKeys | None) -> None:
        self.context = zmq.Context()
        self.states, self.replies = self.context.socket(zmq.SUB), self.context.socket(zmq.DEALER)
        for sock, endpoint in ((self.states, bus.state_endpoint), (self.replies, bus.reply_endpoint)):
            sock.setsockopt(zmq.LINGER, 0)
            sock.setsockopt(zmq.RECONNECT_IVL, 20)
            if keys is not None:
                keys.secure(sock)
            sock.connect(endpoint)
        self.states.subscribe(TOPIC)

    def ready(self) -> None:
        message = {"type": "ready", "worker": "w1", "agents": ["alphabeta"], "games": ["nine_mens_morris"]}
        self.replies.send(json.dumps(message).encode())

    def hears(self, wait_ms: int) -> bool:
        if not self.states.poll(wait_ms):
            return False
        self.states.recv_multipart()
        return True

    def hears_state(self, sequence: int) -> bool:
        """Whether that state arrives; earlier ones, which are sent again for every newcomer, are skipped."""
        while self.states.poll(5000):
            if json.loads(self.states.recv_multipart()[1])["sequence"] == sequence:
                return True
        return False

    def close(self) -> None:
        self.context.destroy(linger=0)


REFUSED = ("refused_key", "refused_no_key")
Connect = Callable[[Bus, WorkerKeys | None], Peer]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes peers, and closes them after the test."""
    with contextlib.ExitStack() as opened:
        yield lambda bus, keys: opened.enter_context(contextlib.closing(Peer(bus, keys)))


def worker_keys(folder: KeyFolder, name: str) -> WorkerKeys:
    if not (folder.path / f"{name}.key").exists():
        folder.new(name)
    return WorkerKeys(folder.daemon().public, certificates.read_secret(folder.path / f"{name}.key_secret"))


def allowed(folder: KeyFolder, name: str) -> WorkerKeys:
    keys = worker_keys(folder, name)
    folder.allow(folder.path / f"{name}.key")
    return keys


def modes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def test_key_files_are_the_owners_alone(folder: KeyFolder) -> None:
    folder.new("laptop")
    folder.allow(folder.path / "laptop.key")
    found = modes(folder.path)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert found.pop("allowed") == 0o700
    assert set(found.values()) == {0o600} and "allowed/laptop.key" in found


def test_an_allowed_worker_hears_and_is_heard_and_a_stranger_gets_nothing(
    bus: Bus, folder: KeyFolder, connect: Connect
) -> None:
    friend = connect(bus, allowed(folder, "friend"))
    stranger, plain = connect(bus, worker_keys(folder, "stranger")), connect(bus, None)
    bus.publish(state(1))
    for peer in (friend, stranger, plain):
        peer.ready()
    assert friend.hears(5000)
    wait_for(bus.workers)
    wait_for(lambda: bus.counters()["refused_key"] and bus.counters()["refused_no_key"])
    assert not stranger.hears(200) and not plain.hears(0)
    assert [worker.name for worker in bus.workers()] == ["w1"] and bus.counters()["received"] == 1


def test_a_revoked_worker_is_cut_off_while_the_others_come_back(bus: Bus, folder: KeyFolder, connect: Connect) -> None:
    friend, former = (connect(bus, allowed(folder, name)) for name in ("friend", "former"))
    for sequence in (1, 2):
        bus.publish(state(sequence))
        assert friend.hears_state(sequence) and former.hears_state(sequence)
    folder.revoke("former")
    wait_for(lambda: bus.counters()["reopened"] == 1)
    assert friend.hears_state(2)  # it has joined again and got the state at once
    bus.publish(state(3))
    assert friend.hears_state(3)
    assert not former.hears(300)


def test_a_daemon_with_another_key_is_not_trusted_by_the_worker(
    bus: Bus, folder: KeyFolder, connect: Connect, tmp_path: Path
) -> None:
    other = KeyFolder(tmp_path / "other")
    other.new("daemon")
    keys = allowed(folder, "friend")
    bus.publish(state(1))
    assert not connect(bus, keys._replace(server=other.daemon().public)).hears(500)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("stranger", "does not take this worker's key"),
        ("another daemon's", "is not the daemon whose key this worker has"),
        ("none", "lets nobody in without a key"),
    ],
)
def test_a_worker_says_which_key_is_wrong_and_asks_again_no_faster_than_it_should(
    bus: Bus, folder: KeyFolder, tmp_path: Path, kind: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = KeyFolder(tmp_path / "other")
    other.new("daemon")
    keys = {
        "stranger": worker_keys(folder, "stranger"),
        "another daemon's": allowed(folder, "friend")._replace(server=other.daemon().public),
        "none": None,
    }[kind]
    closing = threading.Event()
    worker = Worker("late", ("random",), keys=keys)
    thread = threading.Thread(target=worker.run, args=(bus.state_endpoint, bus.reply_endpoint, closing), daemon=True)
    thread.start()
    try:
        wait_for(lambda: told in caplog.text)
        since_s, before = time.monotonic(), bus.counters()
        time.sleep(1.0)
        wait_for(lambda: sum(bus.counters()[one] for one in REFUSED) > 0)
        tries = sum(bus.counters()[one] - before[one] for one in REFUSED)
        assert tries <= 2 * ((time.monotonic() - since_s) / certificates.AGAIN_S + 2)  # two sockets
    finally:
        closing.set()
        thread.join(10)


def test_the_daemons_own_worker_needs_no_permission(bus: Bus, connect: Connect) -> None:
    _, server, _, own = bus.worker_options
    bus.publish(state(1))
    assert connect(bus, certificates.read_worker_keys(Path(server), Path(own))).hears(5000)


def test_a_bus_for_other_computers_wants_keys_and_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(BusError, match="kibitzer keys new daemon"):
        Bus("tcp://0.0.0.0:*", "tcp://127.0.0.1:*")
    with pytest.raises(BusError, match="kibitzer keys new daemon"):
        Bus("tcp://0.0.0.0:*", "tcp://127.0.0.1:*", keys=tmp_path / "none")


def test_keys_that_others_can_read_are_refused(folder: KeyFolder) -> None:
    (folder.path / "daemon.key_secret").chmod(0o640)
    with pytest.raises(CertificateError, match="chmod 600"):
        folder.daemon()
    folder.path.chmod(0o755)
    with pytest.raises(BusError, match="chmod 700"):
        Bus("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", keys=folder.path)


def test_an_ipc_address_in_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with pytest.raises(BusError, match="chmod 700"):
        Bus(f"ipc://{tmp_path}/s", f"ipc://{tmp_path}/r")


def test_an_ipc_folder_is_made_for_the_owner_alone(tmp_path: Path) -> None:
    with contextlib.closing(Bus(f"ipc://{tmp_path}/run/s", f"ipc://{tmp_path}/run/r")):
        assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "run" / "s").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "x" * 33, "ä", "a\n", ".hidden"])
def test_a_key_is_named_by_a_plain_word(folder: KeyFolder, name: str) -> None:
    for attempt in (folder.new, folder.revoke):
        with pytest.raises(CertificateError, match="a key's name"):
            attempt(name)


def test_a_secret_file_that_is_allowed_by_mistake_leaves_no_secret_behind(folder: KeyFolder) -> None:
    folder.new("laptop")
    assert folder.allow(folder.path / "laptop.key_secret") == "laptop"
    assert certificates.read(folder.path / "allowed" / "laptop.key").secret is None


def test_what_is_no_certificate_counts_for_nobody(folder: KeyFolder) -> None:
    folder.new("laptop")
    folder.allow(folder.path / "laptop.key")
    for name, text in (
        ("a", ""),
        ("b", "x" * 10_000),
        ("c", 'public-key = "short"'),
        ("d", f'public-key = "{"~" * 40}"'),
        ("e", f'public-key = "{"#" * 40}"'),
    ):
        (folder.path / "allowed" / f"{name}.key").write_text(text)
    assert list(folder.allowed()) == ["laptop"]
    assert [path.stem for path in folder.damaged()] == ["a", "b", "c", "d", "e"]


def test_a_name_is_never_given_to_a_second_key_in_silence(folder: KeyFolder) -> None:
    for name in ("one", "two"):
        folder.new(name)
    folder.allow(folder.path / "one.key", "laptop")
    with pytest.raises(CertificateError, match="revoke that one first"):
        folder.allow(folder.path / "two.key", "laptop")
    with pytest.raises(CertificateError, match="exists already"):
        folder.new("one")


def test_the_commands_lead_from_no_keys_to_an_allowed_worker(tmp_path: Path) -> None:
    runner, where = CliRunner(), ("--folder", str(tmp_path / "keys"))
    for words in (["new", "daemon"], ["new", "laptop"], ["allow", str(tmp_path / "keys" / "laptop.key")]):
        assert runner.invoke(app, [*words, *where]).exit_code == 0
    found = json.loads(runner.invoke(app, ["list", "--json", *where]).stdout)
    assert found["allowed"]["laptop"] == found["pairs"]["laptop"] and set(found["pairs"]) == {"daemon", "laptop"}
    assert runner.invoke(app, ["revoke", "laptop", *where]).exit_code == 0
    again = runner.invoke(app, ["revoke", "laptop", *where])
    assert again.exit_code == 2 and "no key named 'laptop' is allowed" in again.stderr


def test_worker_keys_are_given_together(folder: KeyFolder) -> None:
    with pytest.raises(CertificateError, match="belong together"):
        certificates.read_worker_keys(folder.public_path, None)
    with pytest.raises(CertificateError, match="public key only"):
        certificates.read_worker_keys(folder.public_path, folder.public_path)


def test_connections_that_prove_nothing_keep_nobody_out_and_are_closed(
    folder: KeyFolder, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus_module, "HANDSHAKE_MS", 300)
    with contextlib.ExitStack() as opened:
        bus = Bus(f"tcp://{own_address()}:*", f"tcp://{own_address()}:*", keys=folder.path)
        opened.callback(bus.close)
        host, _, port = bus.reply_endpoint.removeprefix("tcp://").rpartition(":")
        silent = [opened.enter_context(socket.create_connection((host, int(port)), timeout=5)) for _ in range(20)]
        silent[0].sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        bus.publish(state(1))
        assert connect(bus, allowed(folder, "friend")).hears(5000)
        wait_for(lambda: bus.counters()["refused_no_key"] >= 19)
        for one in silent:
            with contextlib.suppress(ConnectionResetError):
                while one.recv(1024):  # its greeting, then the end; a timeout fails the test
                    pass


def test_a_worker_that_was_refused_joins_once_its_key_is_allowed(
    bus: Bus, folder: KeyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "AGAIN_S", 0.1)
    keys = worker_keys(folder, "late")
    closing = threading.Event()
    worker = Worker("late", ("random",), keys=keys)
    thread = threading.Thread(target=worker.run, args=(bus.state_endpoint, bus.reply_endpoint, closing), daemon=True)
    thread.start()
    try:
        wait_for(lambda: bus.counters()["refused_key"])
        folder.allow(folder.path / "late.key")
        wait_for(lambda: [one.name for one in bus.workers()] == ["late"])
    finally:
        closing.set()
        thread.join(10)
    assert not thread.is_alive()
