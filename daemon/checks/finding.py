"""What one check found."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Finding:
    """One line of `kibitzer doctor`."""

    part: str
    ok: bool
    text: str
    """What was found; where it is not well, also what to do."""
