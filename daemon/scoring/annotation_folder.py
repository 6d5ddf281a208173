"""A folder of annotation files, written one by one; files written or changed by somebody else are not overwritten.

A hidden file holds the digest of each file written here. A file with another digest was written or changed by
somebody else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from calibration.annotations import Annotation, PhotoName, annotation_paths, format_annotation
from calibration.atomic_file import write_atomically

WRITTEN = ".score-dominoes.json"
"""Digests of the files written here, by name."""


class FolderError(ValueError):
    """The folder cannot or must not be written to."""


class AnnotationFolder:
    """Writes annotation files, each completely or not at all."""

    def __init__(self, path: Path, names: Iterable[PhotoName], force: bool = False) -> None:
        """`names` are the moves that may be written.

        Raises FolderError if somebody else wrote or changed the file of one of them, unless `force` is set.
        """
        self._path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FolderError(f"{path}: cannot be made: {error.strerror}") from error
        self._written = _read_digests(path / WRITTEN)
        present = annotation_paths(path)
        foreign = [present[name].name for name in names if name in present and not self._is_ours(present[name])]
        if foreign and not force:
            raise FolderError(
                f"{path / foreign[0]} was not written by this command or was changed since"
                f"{f', like {len(foreign) - 1} more' if len(foreign) > 1 else ''}; "
                "choose another --out, or write over them with --force"
            )
        self._present = {name: path.read_bytes() for name, path in present.items()}

    def put(self, name: PhotoName, annotation: Annotation | None) -> None:
        """Writes the move's file; None deletes it if it was written here. Raises FolderError."""
        content = None if annotation is None else format_annotation(annotation).encode()
        if self._present.get(name) == content or (content is None and f"{name}.txt" not in self._written):
            return
        try:
            self._replace(f"{name}.txt", content)
        except OSError as error:
            raise FolderError(f"{self._path / f'{name}.txt'}: cannot be written: {error.strerror}") from error
        if content is None:
            self._present.pop(name, None)
        else:
            self._present[name] = content

    def _replace(self, file: str, content: bytes | None) -> None:
        """Writes the digest before the file: a file without a recorded digest is never overwritten."""
        if content is None:
            self._written.pop(file, None)
            (self._path / file).unlink(missing_ok=True)
        else:
            self._written[file] = hashlib.sha256(content).hexdigest()
        write_atomically(self._path / WRITTEN, json.dumps(self._written, indent=0).encode())
        if content is not None:
            write_atomically(self._path / file, content)

    def _is_ours(self, path: Path) -> bool:
        try:
            return self._written.get(path.name) == hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            return False


def _read_digests(path: Path) -> dict[str, str]:
    """Digests of the files written here before, by name; empty if not known."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): str(digest) for name, digest in content.items()} if isinstance(content, dict) else {}
