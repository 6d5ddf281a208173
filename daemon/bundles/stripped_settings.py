"""Strips settings so that they can be shared: keeps numbers, switches, and the few texts that say how a table plays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PLAIN_WORDS = frozenset({"name", "rules", "agent", "seat", "language", "table"})
"""Keys whose texts are kept; any other text may be an address, a path, or a secret."""
PRIVATE = re.compile(r"token|key|secret|password|passwd|pin$|port|host|engine|command|user|allow")
"""Keys whose values are never kept, not even numbers."""
STRIPPED = "(stripped)"
PLAIN = re.compile(r"^[\w .=-]{0,64}$")
"""Pattern of a text that may be kept: no address and no path."""
DEEPEST = 6


def stripped(settings: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The settings without secrets, and without paths and addresses on this computer or its network."""
    return {str(key): _kept(str(key), value, depth) for key, value in settings.items()}


def _kept(key: str, value: Any, depth: int) -> Any:
    if PRIVATE.search(key.lower()) or depth > DEEPEST:
        return STRIPPED
    if isinstance(value, Mapping):
        inner = {f"{name}": one for name, one in value.items()}
        if key in PLAIN_WORDS:
            return {name: _plain(one) for name, one in inner.items() if not PRIVATE.search(name.lower())}
        return stripped(inner, depth + 1)
    if value is None or isinstance(value, bool | int | float):
        return value
    return _plain(value) if key in PLAIN_WORDS else STRIPPED


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    return value if isinstance(value, str) and PLAIN.match(value) else STRIPPED
