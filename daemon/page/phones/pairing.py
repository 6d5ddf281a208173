"""Pairing of phones: a code that works once, and the phones that have used one.

A phone keeps a secret of its own in a cookie; only its hash is kept here, so that it stays paired over a restart.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from calibration.atomic_file import read_private, write_private

_log = logging.getLogger(__name__)

CODE_BYTES, PHONE_BYTES = 16, 32
VALID_S = 3600.0
MAX_PHONES = 16
"""Most paired phones; a further one takes the place of the one paired first."""
MAX_SECRET = 128
"""Characters of a secret that are compared."""
MAX_FILE_BYTES = 65536


@dataclasses.dataclass
class Code:
    """A secret that pairs one phone."""

    secret: str
    ends_s: float
    """On the monotonic clock."""


class Pairing:
    """The code and the paired phones. Used by the page's thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._code = self._new_code()
        self._phones = self._read()
        """Hashes of the phones' secrets, the phone paired first first."""

    @property
    def code(self) -> Code:
        """The code that works now; renewed once half its time is over."""
        if self._clock() > self._code.ends_s - VALID_S / 2:
            self._code = self._new_code()
        return self._code

    @property
    def count(self) -> int:
        return len(self._phones)

    def renew(self) -> None:
        """Makes another code; the present one stops working."""
        self._code = self._new_code()

    def pair(self, secret: str) -> str | None:
        """A new phone's own secret, in exchange for the code; None if that is not the present code."""
        code = self._code
        if not _same(secret, code.secret) or self._clock() > code.ends_s:
            return None
        self.renew()
        own = secrets.token_urlsafe(PHONE_BYTES)
        self._phones = [*self._phones, _hash(own)][-MAX_PHONES:]
        self._write()
        return own

    def phone(self, secret: str) -> str | None:
        """The name of the paired phone that has this secret; None if none has."""
        found = _hash(secret[:MAX_SECRET])
        return next((one[:12] for one in self._phones if hmac.compare_digest(one, found)), None)

    def forget(self) -> int:
        """Forgets all phones, and renews the code; returns how many phones there were."""
        count, self._phones = len(self._phones), []
        self.renew()
        self._write()
        return count

    def _new_code(self) -> Code:
        return Code(secrets.token_urlsafe(CODE_BYTES), self._clock() + VALID_S)

    def _read(self) -> list[str]:
        try:
            kept = json.loads(read_private(self._path, MAX_FILE_BYTES)[0])
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            _log.warning("%s: cannot be read (%s): phones must be paired again", self._path, error)
            return []
        phones = kept if isinstance(kept, list) else []
        return [one for one in phones if isinstance(one, str) and len(one) == 64 and one.isascii()][-MAX_PHONES:]

    def _write(self) -> None:
        try:
            write_private(self._path, json.dumps(self._phones).encode())
        except OSError as error:
            _log.warning("%s: cannot be written (%s): phones must be paired again after a restart", self._path, error)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass")[:MAX_SECRET], secret.encode())
