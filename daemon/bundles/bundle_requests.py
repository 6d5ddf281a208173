"""Requests from `kibitzer bundle` to a running daemon, passed as small files in the daemon's bundle folder.

Only the daemon's user can open the folder, so only somebody who may see its pictures can ask, and only from this
computer. It also works without the page.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.atomic_file import write_atomically
from daemon.bundles.bundle import BundleError

ASKED_FOLDER = "asked"
TAKEN_S, PACKED_S = 5.0, 120.0
"""Seconds to wait for the daemon to take a request, and then for it to write the bundle."""
POLL_S = 0.1
MAX_BYTES = 4096
MAX_AT_A_TIME = 8
FORGOTTEN_S = 600.0
"""Seconds after which unclaimed files are removed."""


class BundleRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    table: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
    last_s: Annotated[float, Field(gt=0, le=3600)] | None = None
    """Seconds wanted; None: as many as the daemon is set to keep."""
    note: Annotated[str, Field(max_length=1024)] = ""


class BundleAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    path: Annotated[str, Field(max_length=4096)] = ""
    frames: int = 0
    seconds: float = 0.0
    bytes: int = 0
    why: Annotated[str, Field(max_length=1024)] = ""


def ask(folder: Path, request: BundleRequest, taken_s: float = TAKEN_S, packed_s: float = PACKED_S) -> BundleAnswer:
    """Puts a request into the daemon's folder and waits for the answer. Raises BundleError."""
    asked = folder / ASKED_FOLDER
    name = secrets.token_hex(8)
    file, answer = asked / f"{name}.json", asked / f"{name}.answer"
    try:
        if not asked.is_dir():
            raise BundleError(_nobody(folder))
        write_atomically(file, request.model_dump_json().encode(), private=True)
        if not _wait(lambda: not file.exists(), taken_s):
            raise BundleError(_nobody(folder))
        if not _wait(answer.exists, packed_s):
            raise BundleError(f"the daemon has not packed it within {packed_s:.0f} s; look at its log")
        return BundleAnswer.model_validate_json(answer.read_bytes()[: 4 * MAX_BYTES], strict=True)
    except OSError as error:
        raise BundleError(f"{asked}: {error.strerror or error}") from error
    except ValidationError as error:
        raise BundleError(f"{answer}: this is no answer of a daemon") from error
    finally:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
            answer.unlink(missing_ok=True)


def open_request_folder(folder: Path) -> Path:
    """Creates the folder for requests, accessible to its owner only, and returns it. Raises OSError."""
    asked = folder / ASKED_FOLDER
    asked.mkdir(mode=0o700, parents=True, exist_ok=True)
    asked.chmod(0o700)
    return asked


def serve(asked: Path, table: str, pack: Callable[[BundleRequest], BundleAnswer]) -> None:
    """Answers the requests for this table and removes stale files. Raises OSError if the folder cannot be used."""
    for file in sorted(asked.glob("*.json"))[:MAX_AT_A_TIME]:
        request = _taken(file, table)
        if request is not None:
            answer = pack(request).model_dump_json().encode()
            write_atomically(file.with_suffix(".answer"), answer, private=True)
    for file in asked.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - file.lstat().st_mtime > FORGOTTEN_S:
                file.unlink()


def _taken(file: Path, table: str) -> BundleRequest | None:
    """Reads the request in a file and removes the file; None if it is invalid, or for another table: then it stays."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
            content = opened.read(MAX_BYTES + 1)
        request = BundleRequest.model_validate_json(content, strict=True) if len(content) <= MAX_BYTES else None
    except (OSError, ValueError, RecursionError):
        request = None
    if request is not None and request.table != table:
        return None
    file.unlink(missing_ok=True)
    return request


def _wait(done: Callable[[], bool], seconds: float) -> bool:
    deadline_s = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(POLL_S)
    return True


def _nobody(folder: Path) -> str:
    return f"no daemon keeps scenes in {folder}: start `kibitzer run` with enabled = true under [bundles]"
