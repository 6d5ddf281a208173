"""Which Kibitzer a process runs: jobs are done only by workers with the same code."""

from __future__ import annotations

import functools
import hashlib
import re

import places

PACKAGES = ("agents", "games", "lab/train", "models", "rules", "wording")
"""Packages that decide the result of a job; `models` lists the checksums of the weights in its manifest."""


@functools.cache
def version() -> str:
    """The release and a digest of its code, such as `0.2.0-3fa29c01`."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((places.PROGRAM / package).rglob("*")):
            if path.suffix in (".py", ".toml"):
                content = path.read_bytes()
                digest.update(f"{path.relative_to(places.PROGRAM)} {len(content)}\n".encode() + content)
    source = (places.PROGRAM / "daemon" / "__init__.py").read_text(encoding="utf-8")
    release = re.search(r'__version__ = "(.+)"', source)
    return f"{release[1] if release else 'unknown'}-{digest.hexdigest()[:8]}"
