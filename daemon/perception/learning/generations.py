"""Storage for the heads adapted to a table during play; kept beside its profile, which does not change."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.atomic_file import write_atomically
from calibration.stored_arrays import DAMAGED, read_arrays
from vision.calibrating.adapting import Score
from vision.calibrating.examples import Examples
from vision.reading.heads import Head, head_from_arrays

FORMAT = 1
MAX_GENERATIONS = 3
"""Number of generations kept; the oldest is dropped."""


class AdaptedError(ValueError):
    """A damaged file of adapted heads, or one of another profile; the message says what to do."""


@dataclasses.dataclass(frozen=True, eq=False)
class Generation:
    """One adapted head and the evidence for it."""

    number: int
    """Counts from 1."""
    head: Head
    boards: int
    """Number of boards learnt from before it was fitted."""
    examples: int
    """Number of cells that it was fitted to."""
    before: Score
    """Score of the head before it on the newest confirmed boards, which this head was not fitted to."""
    after: Score
    """Its own score on the same boards."""
    set_aside: bool = False
    """Whether it turned out worse than another and is no longer used."""
    newest_board: int = -1
    """Serial number of the newest board that it was fitted to; -1 from an earlier session. Not stored."""
    created: str = dataclasses.field(
        default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat("T", "minutes")
    )
    """ISO 8601, UTC."""


@dataclasses.dataclass(frozen=True, eq=False)
class Adapted:
    """All that is stored of a table's adaptation."""

    generations: tuple[Generation, ...] = ()
    """In ascending order."""
    examples: Examples | None = None
    """The cells to which the next head will be fitted."""


def adapted_path(profile: Path) -> Path:
    """Path of a profile's adapted heads: TABLE.adapted.npz beside TABLE.npz."""
    return profile.with_name(f"{profile.stem}.adapted.npz")


def digest_of(first: Head) -> str:
    """SHA-256 of a profile's first head, by which adapted heads are matched to their profile."""
    digest = hashlib.sha256()
    for name, array in sorted(first.arrays().items()):
        digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def save_adapted(path: Path, first: str, adapted: Adapted) -> None:
    """Writes the file whole or not at all. `first` is `digest_of` the profile's head. Raises OSError."""
    facts = {"format": FORMAT, "first": first, "generations": [_facts(one) for one in adapted.generations]}
    arrays: dict[str, NDArray[Any]] = {"facts": np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)}
    for one in adapted.generations:
        arrays |= {f"{one.number}_{name}": array for name, array in one.head.arrays().items()}
    if adapted.examples is not None:
        arrays["examples"] = adapted.examples.descriptors.astype(np.float16)
        arrays["example_letters"] = np.array([ord(letter) for letter in adapted.examples.letters], dtype=np.int32)
        arrays["example_weights"] = adapted.examples.weights
        arrays["example_kinds"] = np.array(adapted.examples.kinds, dtype=np.int32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    write_atomically(path, buffer.getvalue(), private=True)


def load_adapted(path: Path, first: str = "") -> Adapted:
    """Reads what `save_adapted` wrote; empty without a file. Raises AdaptedError, also for another profile's file."""
    try:
        arrays = read_arrays(path)
        facts = json.loads(arrays["facts"].tobytes())
        if facts["format"] != FORMAT:
            raise ValueError(f"format {facts['format']!r} is not {FORMAT}")
        belongs = str(facts["first"])
        generations = tuple(_generation(entry, arrays) for entry in facts["generations"][-MAX_GENERATIONS:])
        examples = _examples(arrays)
    except FileNotFoundError:
        return Adapted()
    except OSError as error:
        raise AdaptedError(f"{path}: {error.strerror or error}") from error
    except DAMAGED as error:
        raise AdaptedError(f"{path}: holds no adapted heads ({error}); delete it to begin anew") from error
    if first and belongs != first:
        raise AdaptedError(f"{path}: was adapted from another calibration")
    return Adapted(generations, examples)


def _facts(one: Generation) -> dict[str, Any]:
    facts = {name: getattr(one, name) for name in ("number", "boards", "examples", "set_aside", "created")}
    return facts | {name: dataclasses.asdict(getattr(one, name)) for name in ("before", "after")}


def _generation(facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Generation:
    number = int(facts["number"])
    prefix = f"{number}_"
    head = head_from_arrays({name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)})
    before, after = (
        Score(float(facts[name]["loss"]), int(facts[name]["right"]), int(facts[name]["cells"]))
        for name in ("before", "after")
    )
    boards, examples = int(facts["boards"]), int(facts["examples"])
    return Generation(
        number, head, boards, examples, before, after, bool(facts["set_aside"]), created=str(facts["created"])
    )


def _examples(arrays: Mapping[str, NDArray[Any]]) -> Examples | None:
    if "examples" not in arrays:
        return None
    described = np.asarray(arrays["examples"], dtype=np.float32)
    letters = "".join(chr(int(code)) for code in arrays["example_letters"])
    weights = np.asarray(arrays["example_weights"], dtype=np.float64)
    kinds = tuple(int(kind) for kind in arrays["example_kinds"])
    sizes = {len(described), len(letters), len(weights), len(kinds)}
    if described.ndim != 2 or len(sizes) != 1 or not (weights > 0).all() or not np.isfinite(described).all():
        raise ValueError(f"examples of {sorted(sizes)} rows do not fit together")
    return Examples(described, letters, weights, kinds=kinds)
