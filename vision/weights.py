"""The learnt files of `models/`, vouched for by its manifest."""

from __future__ import annotations

import dataclasses
import hashlib
import tomllib
from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "models"


class WeightsError(OSError):
    """A learnt file that is missing, unknown to the manifest, or not the one the manifest vouches for."""


@dataclasses.dataclass(frozen=True)
class Weights:
    """One learnt file."""

    path: Path
    sha256: str
    """Hexadecimal digest that the manifest promises and `find_weights` has checked."""


def find_weights(name: str, folder: Path = MODELS) -> Weights:
    """The file of that name in the manifest, its digest checked (10 ms for 10 MB). Raises WeightsError."""
    manifest = folder / "manifest.toml"
    try:
        entry = tomllib.loads(manifest.read_text(encoding="utf-8"))[name]
        path, promised = folder / entry["file"], str(entry["sha256"])
    except OSError as error:
        raise WeightsError(f"{manifest}: {error.strerror}; is the checkout complete?") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise WeightsError(f"{manifest}: no usable entry {name!r} ({error})") from error
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise WeightsError(f"{path}: {error.strerror}; restore it with `git checkout {path.name}`") from error
    if digest != promised:
        said = f"its sha256 is {digest[:12]}..., the manifest says {promised[:12]}..."
        raise WeightsError(f"{path}: {said}; restore it with `git checkout {path.name}`")
    return Weights(path, digest)
