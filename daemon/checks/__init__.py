"""Independent checks of what Kibitzer needs on this computer, each with advice if something is missing."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class CheckResult:
    """One line of `kibitzer doctor`."""

    part: str
    ok: bool
    text: str
    """What was found and, if there is a problem, what to do."""
