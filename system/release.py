"""The release of the program, which `daemon.__version__` names."""

from __future__ import annotations

import functools
import re

from system import paths


@functools.cache
def release() -> str:
    source = (paths.PROGRAM / "daemon" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "(.+)"', source)
    return found[1] if found else "unknown"
