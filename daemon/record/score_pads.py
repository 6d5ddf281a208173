"""The score pads of a record: a file each, in a folder beside the journal, readable by its owner alone."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fcntl
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from calibration.atomic_file import write_atomically
from daemon.game.score_pad import ScorePad, ScorePadError

SUFFIX = ".pads"
MAX_BYTES = 1 << 18
ID = "%Y%m%dT%H%M%S%f"
NAME = re.compile(r"[0-9A-Za-z-]{1,64}")


class ScorePads:
    """The pads kept beside one journal. Several threads and processes may use it at once."""

    def __init__(self, journal: Path) -> None:
        self.folder = journal.with_name(journal.name + SUFFIX)

    def ids(self) -> list[str]:
        return sorted((path.stem for path in self.folder.glob("*.json")), reverse=True)

    def read(self, pad_id: str = "") -> ScorePad | None:
        """A pad, by default the newest; None if there is none. Raises ScorePadError if it cannot be read."""
        wanted = pad_id or next(iter(self.ids()), "")
        if not wanted:
            return None
        path = self.folder / f"{wanted}.json"
        if NAME.fullmatch(wanted) is None or not path.is_file():
            raise ScorePadError(f"there is no score pad {wanted[:64]!r}")
        try:
            if path.stat().st_size > MAX_BYTES:
                raise ScorePadError("it is too long")
            return ScorePad.of(json.loads(path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ScorePadError(f"{path} cannot be read: {error}") from None

    def begin(self, pad: ScorePad) -> ScorePad:
        """Keeps a new pad, which is the newest from now on. Raises OSError."""
        now = datetime.datetime.now(datetime.UTC)
        with self._alone():
            begun = dataclasses.replace(pad, pad_id=self._next_id(now), begun=now.isoformat(timespec="seconds"))
            self._write(begun)
        return begun

    def _next_id(self, now: datetime.datetime) -> str:
        """An id after all others, although the clock may have been set back since they were made."""
        for newest in self.ids()[:1]:
            with contextlib.suppress(ValueError, OverflowError):
                last = datetime.datetime.strptime(newest, ID).replace(tzinfo=datetime.UTC)
                now = max(now, last + datetime.timedelta(microseconds=1))
        return now.strftime(ID)

    def change(self, change: Callable[[ScorePad], ScorePad]) -> ScorePad:
        """Replaces the newest pad by what `change` makes of it. Raises ScorePadError, OSError."""
        with self._alone():
            if (pad := self.read()) is None:
                raise ScorePadError("there is no score pad yet: begin one")
            changed = change(pad)
            self._write(changed)
        return changed

    def _write(self, pad: ScorePad) -> None:
        write_atomically(self.folder / f"{pad.pad_id}.json", json.dumps(pad.as_object()).encode(), private=True)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps other programs from changing a pad meanwhile. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
