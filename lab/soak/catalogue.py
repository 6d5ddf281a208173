"""All kinds of faults, by the names that `--faults` takes."""

from __future__ import annotations

from collections.abc import Iterable

from lab.soak.agent_faults import AGENT_FAULTS
from lab.soak.camera_faults import CAMERA_FAULTS
from lab.soak.fault import Fault
from lab.soak.machine_faults import MACHINE_FAULTS
from lab.soak.men_faults import MEN_FAULTS
from lab.soak.move_faults import MOVE_FAULTS
from lab.soak.phone_faults import PHONE_FAULTS
from lab.soak.play_faults import PLAY_FAULTS
from lab.soak.sight_faults import SIGHT_FAULTS

FAULTS: dict[str, type[Fault]] = {
    kind.name: kind
    for kind in (
        *SIGHT_FAULTS,
        *CAMERA_FAULTS,
        *PHONE_FAULTS,
        *MEN_FAULTS,
        *PLAY_FAULTS,
        *MOVE_FAULTS,
        *MACHINE_FAULTS,
        *AGENT_FAULTS,
    )
}


def kinds_of(names: Iterable[str]) -> list[type[Fault]]:
    """The fault classes of these names, in the catalogue's order. Raises ValueError for an unknown name."""
    wanted = list(names)
    for name in wanted:
        if name not in FAULTS:
            raise ValueError(f"--faults: there is no fault {name!r}; the faults are {', '.join(FAULTS)}")
    return [kind for name, kind in FAULTS.items() if name in wanted]
