"""The model files of `models/`: found, checked against the digests of their manifest, and entered in it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

from system import paths

ROOT = paths.PROGRAM
MODELS = ROOT / "models"
MANIFEST = "manifest.toml"
HEADING = """# What was learnt, and where it comes from.
# `sha256` is checked whenever a file is loaded; `command` makes it again. Written by `kibitzer train` and
# `kibitzer book build`.
"""
MADE_HERE = paths.state_folder() / "imagenet"


class WeightsError(ValueError):
    """A model file is missing, not in the manifest, or differs from the manifest's digest."""


@dataclasses.dataclass(frozen=True)
class Weights:
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


def check_all(folder: Path = MODELS) -> int:
    there = [name for name, entry in _entries(folder).items() if (folder / str(entry.get("file", ""))).exists()]
    for name in there:
        _checked(name, folder)
    return len(there)


def _checked(name: str, folder: Path) -> Weights:
    manifest, entries = folder / MANIFEST, _entries(folder)
    try:
        entry = entries[name]
        path, promised = folder / entry["file"], str(entry["sha256"])
    except (KeyError, TypeError) as error:
        missing = f"no entry [{name}]" if name not in entries else f"no usable entry [{name}]: it lacks {error}"
        raise WeightsError(f"{manifest} has {missing}; {_remedy(manifest)}") from error
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise WeightsError(f"{path}: {error.strerror}; {_remedy(path)}") from error
    if digest != promised:
        said = f"its sha256 is {digest[:12]}..., the manifest says {promised[:12]}..."
        raise WeightsError(f"{path}: {said}; {_remedy(path)}")
    return Weights(path, digest, str(entry.get("known_as", digest)), tuple(entry.get("earlier", ())))


def _entries(folder: Path) -> dict[str, dict[str, Any]]:
    manifest = folder / MANIFEST
    try:
        entries: dict[str, dict[str, Any]] = tomllib.loads(manifest.read_text(encoding="utf-8"))
    except OSError as error:
        raise WeightsError(f"{manifest}: {error.strerror}; {_remedy(manifest)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WeightsError(f"{manifest} is damaged ({error}); {_remedy(manifest)}") from error
    if not all(isinstance(entry, dict) for entry in entries.values()):
        raise WeightsError(f"{manifest} is damaged: it holds more than tables; {_remedy(manifest)}")
    return entries


def _remedy(path: Path) -> str:
    if path.parent != MODELS:
        return "`kibitzer train --help` says how to make it again"
    if paths.IN_CHECKOUT:
        return f"restore it with `git checkout {path.relative_to(ROOT)}`"
    return "install Kibitzer again"


def write_entry(folder: Path, name: str, file: str, facts: dict[str, str | float]) -> None:
    """Adds or replaces one entry, with the digest of the present file; other entries stay."""
    path = folder / MANIFEST
    entries = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    entries[name] = {"file": file, "sha256": digest, **facts}
    text = HEADING
    for title, values in entries.items():
        # JSON's strings and numbers are valid TOML.
        lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
        text += f"\n[{title}]\n" + "".join(lines)
    path.write_text(text, encoding="utf-8")
