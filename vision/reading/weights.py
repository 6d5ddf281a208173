"""Finds the model files of `models/` and checks their digests against the manifest."""

from __future__ import annotations

import dataclasses
import hashlib
import tomllib
from pathlib import Path

import places

ROOT = places.PROGRAM
MODELS = ROOT / "models"
MADE_HERE = places.state_folder() / "imagenet"
"""Folder of model files that are not shipped but were made on this computer, with a manifest of their own."""


RESTORE = "restore it with `git checkout {}`" if places.IN_CHECKOUT else "install Kibitzer again"


class WeightsError(OSError):
    """A model file is missing, not in the manifest, or differs from the manifest's digest."""


@dataclasses.dataclass(frozen=True)
class Weights:
    """One model file."""

    path: Path
    sha256: str
    """Hexadecimal digest from the manifest, checked by `find_weights`."""
    known_as: str = ""
    """Digest stored in profiles: that of the file's source if every computer makes its own file."""
    earlier: tuple[str, ...] = ()
    """Digests of earlier files that give the same descriptors, so that profiles made with them are still read."""


def find_weights(name: str, folder: Path = MODELS, again: str = "") -> Weights:
    """Finds the named file of the manifest and checks its digest (10 ms for 10 MB).

    `again` is the command that makes a file that is not part of the checkout. Raises WeightsError, which says how to
    get the file.
    """
    try:
        return _checked(name, folder)
    except WeightsError as error:
        if not again:
            raise
        raise WeightsError(f"{name} weights are not on this computer; make them with `{again}`") from error


def _checked(name: str, folder: Path) -> Weights:
    manifest = folder / "manifest.toml"
    try:
        entry = tomllib.loads(manifest.read_text(encoding="utf-8"))[name]
        path, promised = folder / entry["file"], str(entry["sha256"])
    except OSError as error:
        raise WeightsError(f"{manifest}: {error.strerror}; is Kibitzer complete?") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise WeightsError(f"{manifest}: no usable entry {name!r} ({error})") from error
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise WeightsError(f"{path}: {error.strerror}; {RESTORE.format(path.name)}") from error
    if digest != promised:
        said = f"its sha256 is {digest[:12]}..., the manifest says {promised[:12]}..."
        raise WeightsError(f"{path}: {said}; {RESTORE.format(path.name)}")
    return Weights(path, digest, str(entry.get("known_as", digest)), tuple(entry.get("earlier", ())))
