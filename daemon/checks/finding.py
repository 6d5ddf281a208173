"""The result of one check."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Finding:
    """One line of `kibitzer doctor`."""

    part: str
    ok: bool
    text: str
    """What was found and, if there is a problem, what to do."""
