"""Imports torchvision, even if its wheel was built for another torch.

torchvision's CUDA wheel beside a CPU build of torch cannot load its compiled operators, and its import fails with
"operator torchvision::nms does not exist" (pytorch/vision#9085). We use none of them. In that case, and only then, the
names are declared to torch, and the import is tried again. Matching builds get a plain import.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from torch import library as operators

_declared: list[operators.Library] = []
"""Kept for the life of the process: a library's names vanish with it."""


def import_torchvision() -> ModuleType:
    """The module `torchvision`. Raises ImportError, or any other error of its import."""
    try:
        return importlib.import_module("torchvision")
    except RuntimeError as error:
        if "operator torchvision::" not in str(error):
            raise
    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    _declare_operators()
    return importlib.import_module("torchvision")


def _declare_operators() -> None:
    """Declares, without any implementation, the operators that torchvision registers shapes for."""
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        raise ImportError("torchvision is not installed")
    text = (Path(spec.origin).parent / "_meta_registrations.py").read_text(encoding="utf-8")
    library = operators.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]
    for name in sorted(set(re.findall(r'register_fake\("torchvision::(\w+)"\)', text))):
        library.define(f"{name}(Tensor unused) -> Tensor")  # type: ignore[no-untyped-call]
    _declared.append(library)
