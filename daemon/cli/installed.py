"""Becomes `kibitzer/__init__.py` of an installation: its packages come first on the path, of every process it starts.

Other distributions have an `agents` or a `daemon` too, and so may the current folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (sys.path[0], os.environ.get("PYTHONPATH"))))
os.environ["PYTHONSAFEPATH"] = "1"

from daemon.cli.__main__ import run

__all__ = ["run"]
