"""The key folder: the daemon's own pair, and the public keys of workers that may join from other computers.

var/keys/                  0700
    daemon.key             public: goes to the workers
    daemon.key_secret      0600, stays here
    own.key_secret         0600, for the worker that the daemon starts itself
    allowed/NAME.key       who may join
    NAME.key[_secret]      pairs made here for a worker; its secret is moved to the worker's computer
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import zmq.auth

from agents import certificates
from agents.certificates import Certificate, CertificateError
from calibration.atomic_file import write_atomically

DAEMON, OWN = "daemon", "own"
"""Names of the two pairs that every folder has: the daemon's and its own worker's."""
ALLOWED = "allowed"
MAX_ALLOWED = 256
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class KeyFolder:
    """The keys of one table's bus. Every method may raise CertificateError saying what to do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def new(self, name: str) -> tuple[Path, Path]:
        """Creates a pair; returns the public and the secret file. Never overwrites an existing one."""
        checked_name(name)
        self._make()
        public, secret = self.path / f"{name}.key", self.path / f"{name}.key_secret"
        for path in (public, secret):
            if path.exists():
                raise CertificateError(f"{path} exists already; remove it first if it must be replaced")
        with self._writing(), tempfile.TemporaryDirectory(dir=self.path) as scratch:
            zmq.auth.create_certificates(scratch, name)
            for made, path in ((Path(scratch, secret.name), secret), (Path(scratch, public.name), public)):
                made.chmod(stat.S_IRUSR | stat.S_IWUSR)
                made.replace(path)
        return public, secret

    def allow(self, source: Path, name: str = "") -> str:
        certificate = certificates.read(source)
        name = checked_name(name or source.name.removesuffix("_secret").removesuffix(".key"))
        if name in (DAEMON, OWN):
            raise CertificateError(f"{name!r} is the name of the daemon's own pair; give the worker's key another name")
        known = self.allowed()
        if name in known and known[name] != certificate.public:
            raise CertificateError(f"{name!r} is the name of another key; revoke that one first, or give another name")
        if name not in known and len(known) >= MAX_ALLOWED:
            raise CertificateError(f"at most {MAX_ALLOWED} keys may be allowed; revoke one first")
        self._make()
        target = self.path / ALLOWED / f"{name}.key"
        text = f'metadata\ncurve\n    public-key = "{certificate.public.decode()}"\n'  # never the secret half
        with self._writing():
            write_atomically(target, text.encode(), private=True)
        return name

    def revoke(self, name: str) -> None:
        target = self.path / ALLOWED / f"{checked_name(name)}.key"
        try:
            target.unlink()
        except FileNotFoundError:
            known = ", ".join(self.allowed()) or "none"
            raise CertificateError(f"no key named {name!r} is allowed; allowed are: {known}") from None
        except OSError as error:
            raise CertificateError(f"{target} cannot be removed: {error.strerror}") from None

    def allowed(self) -> dict[str, bytes]:
        """Names and public keys of those who may join; files that are not certificates are skipped."""
        found: dict[str, bytes] = {}
        for path in sorted((self.path / ALLOWED).glob("*.key"))[:MAX_ALLOWED]:
            with contextlib.suppress(CertificateError):
                found[path.name.removesuffix(".key")] = certificates.read(path).public
        return found

    def damaged(self) -> list[Path]:
        known = self.allowed()
        return [path for path in sorted((self.path / ALLOWED).glob("*.key")) if path.stem not in known]

    def pairs(self) -> dict[str, Certificate]:
        found: dict[str, Certificate] = {}
        for path in sorted(self.path.glob("*.key_secret")):
            with contextlib.suppress(CertificateError):
                found[path.name.removesuffix(".key_secret")] = certificates.read(path)
        return found

    def daemon(self) -> Certificate:
        """The daemon's own pair; also checks the folder's permissions."""
        path = self.path / f"{DAEMON}.key_secret"
        if not path.exists():
            raise CertificateError(f"{path} is missing: `kibitzer keys new {DAEMON}` makes the daemon's own keys")
        self.check()
        return certificates.read_secret(path)

    def own(self) -> Certificate:
        """The pair for the worker that the daemon starts itself; created on first use."""
        if not self.own_path.exists():
            self.new(OWN)
        return certificates.read_secret(self.own_path)

    @property
    def own_path(self) -> Path:
        return self.path / f"{OWN}.key_secret"

    @property
    def public_path(self) -> Path:
        return self.path / f"{DAEMON}.key"

    def check(self) -> None:
        if self.path.is_dir():
            owned_alone(self.path)
        if (self.path / ALLOWED).is_dir():
            owned_alone(self.path / ALLOWED)

    def _make(self) -> None:
        with self._writing():
            for folder in (self.path, self.path / ALLOWED):
                folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
        self.check()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CertificateError(f"{self.path} cannot be written: {error.strerror or error}") from None


class AllowedKeys:
    """The public keys (Z85) of those who may join; reread whenever their folder changes. Thread-safe."""

    def __init__(self, folder: KeyFolder) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._own = folder.own().public
        self._mark: object = None
        self._known = frozenset[bytes]()

    def __call__(self) -> frozenset[bytes]:
        with self._lock:
            if (mark := _mark(self._folder.path / ALLOWED)) != self._mark:
                self._mark, self._known = mark, frozenset((*self._folder.allowed().values(), self._own))
            return self._known


def checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise CertificateError(f"{name!r}: a key's name has 1 to 32 letters, digits, _ or -, and begins with no sign")
    return name


def owned_alone(path: Path) -> None:
    """Raises CertificateError if a folder belongs to another user or is open to others."""
    found = path.stat()
    if found.st_uid != os.geteuid():
        raise CertificateError(f"{path} belongs to another user; keep keys in a folder of your own")
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise CertificateError(f"{path} is open to other users of this computer; `chmod 700 {path}`")


def _mark(folder: Path) -> object:
    """A value that changes whenever a file in the folder does."""
    try:
        with os.scandir(folder) as entries:
            files = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return None
    return sorted((name, found.st_ino, found.st_mtime_ns, found.st_size) for name, found in files)
