"""Finds torchvision's published ResNet-18 weights, downloaded once if allowed or put there by hand; always checked.

They are kept where torchvision itself keeps them, so that neither fetches what the other has. Needs no torch.
"""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

URL = "https://download.pytorch.org/models/resnet18-f37072fd.pth"
"""torchvision's ResNet18_Weights.IMAGENET1K_V1: 47 MB, BSD 3-Clause, trained on ImageNet-1k."""
SHA256 = "f37072fd47e89c5e827621c5baffa7500819f7896bbacec160b1a16c560e07ec"
"""Hexadecimal; its beginning is in the file's name."""
PATIENCE_S = 30.0
"""Seconds to wait for an answer from the network."""
CHUNK_BYTES = 1 << 18

Progress = Callable[[int, int], None]
"""Called with the bytes loaded and the total."""


class Missing(ValueError):
    """No published weights; the message says why, and what to do."""


def published_path() -> Path:
    """The path where torchvision keeps the file, by the environment variables that torch uses."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = Path(os.environ.get("TORCH_HOME") or cache / "torch").expanduser()
    return home / "hub" / "checkpoints" / URL.rpartition("/")[2]


def find_published(fetch: bool, progress: Progress = lambda done, total: None) -> Path:
    """The checked file; if absent and `fetch` is True, it is downloaded first. Raises Missing."""
    path = published_path()
    if not path.is_file():
        if not fetch:
            raise Missing(f"{path} is not on this machine; --weights imagenet fetches it from {URL}")
        _fetch(path, progress)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from error
    if digest != SHA256:
        raise Missing(f"{path} is not what its name says: its sha256 begins {digest[:8]}, not {SHA256[:8]}; delete it")
    return path


def _fetch(path: Path, progress: Progress) -> None:
    """Downloads the file, all or nothing. Raises Missing."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(URL, timeout=PATIENCE_S) as answer, partial.open("wb") as file:
            total = int(answer.headers.get("Content-Length") or 0)
            while chunk := answer.read(CHUNK_BYTES):
                file.write(chunk)
                progress(file.tell(), total)
        partial.replace(path)
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise Missing(f"{URL} cannot be had: {reason}; a file from elsewhere may be laid at {path}") from error
    finally:
        partial.unlink(missing_ok=True)
