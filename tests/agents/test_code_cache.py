"""Compiled code on disk is loaded only if it is what was written, and from nowhere that others may write."""

from __future__ import annotations

import errno
import logging
import pickle
import tempfile
from pathlib import Path
from typing import Any

import pytest

numba = pytest.importorskip("numba")
from agents.kernels import code_cache, kept_code  # noqa: E402 - without numba there is nothing to keep
from agents.kernels.code_cache import DIGEST_BYTES, CodeFiles  # noqa: E402
from agents.tables import slots  # noqa: E402


def doubled(number: int) -> int:
    return 2 * number


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(code_cache, "_told", set())
    return tmp_path


def compile_it() -> tuple[bool, int]:
    """Whether the machine code came from the disk, and what it computes."""
    made: Any = numba.njit("int64(int64)", cache=True)(doubled)
    return bool(made.stats.cache_hits), int(made(21))


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_code_is_kept_in_one_file_and_loaded_again(folder: Path) -> None:
    assert compile_it() == (False, 42)
    assert len(files_in(folder)) == 1
    assert compile_it() == (True, 42)


@pytest.mark.parametrize("damage", ["flipped", "halved", "zeroed", "empty", "another's"])
def test_damaged_code_is_compiled_anew_and_told_once(
    folder: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    compile_it()
    [path] = files_in(folder)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    whole = path.read_bytes()
    forms = {"flipped": content, "halved": whole[: len(whole) // 2], "zeroed": bytes(len(whole)), "empty": b""}
    path.write_bytes(forms.get(damage, whole[:DIGEST_BYTES] + pickle.dumps("another's")))
    with caplog.at_level(logging.WARNING):
        assert compile_it() == (False, 42)
        path.write_bytes(b"")
        compile_it()
    assert [record.getMessage() for record in caplog.records] == [
        f"compiled searches in {path.parent} are damaged and are compiled anew"
    ]
    assert compile_it() == (True, 42)


def test_a_full_disk_keeps_no_search_from_running_and_leaves_no_half_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert compile_it() == (False, 42)
    assert files_in(folder) == [] and "cannot be kept" in caplog.text and "No space left" in caplog.text


def test_no_place_to_keep_code_keeps_no_search_from_running(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def nowhere(_function: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(code_cache, "CheckedCache", nowhere)
    assert compile_it() == (False, 42)
    assert f"compiled searches cannot be kept in {folder}" in caplog.text


def test_code_for_another_processor_or_version_is_never_loaded(tmp_path: Path) -> None:
    CodeFiles(str(tmp_path), "search", "stamp").save(("int64", "this processor"), "code")
    assert CodeFiles(str(tmp_path), "search", "stamp").load(("int64", "this processor")) == "code"
    assert CodeFiles(str(tmp_path), "search", "stamp").load(("int64", "another processor")) is None
    assert CodeFiles(str(tmp_path), "search", "another stamp").load(("int64", "this processor")) is None


def test_no_code_is_loaded_from_a_folder_that_others_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    given.chmod(0o700)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(given))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert kept_code.cache_folder.__wrapped__() == given
    given.chmod(0o777)
    found = kept_code.cache_folder.__wrapped__()
    assert found.parent == tmp_path and found != given and found.stat().st_mode & 0o077 == 0
    assert f"{given} is another user's, or others may write it" in caplog.text


def test_no_code_is_loaded_from_another_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(kept_code.paths.os, "getuid", lambda: 4711)  # type: ignore[attr-defined]
    assert kept_code.cache_folder.__wrapped__().name.startswith("kibitzer-numba-")


def test_code_of_a_kernel_whose_sources_have_changed_is_compiled_anew(tmp_path: Path) -> None:
    source = tmp_path / "kernel" / "moves.py"
    source.parent.mkdir()
    digests = set()
    for text in ("ONE = 1\n", "ONE = 2\n"):
        source.write_text(text)
        digests.add(kept_code._sources_digest.__wrapped__(tmp_path))
    assert len(digests) == 2


def test_code_that_has_parts_of_a_file_elsewhere_is_compiled_anew_when_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Path(slots.__file__) in kept_code.OUTSIDE  # retrograde analysis is compiled with these functions
    source, digests = tmp_path / "slots.py", set()
    monkeypatch.setattr(kept_code, "OUTSIDE", (source,))
    for text in ("ONE = 1\n", "ONE = 2\n"):
        source.write_text(text)
        digests.add(kept_code._sources_digest.__wrapped__(tmp_path / "game"))
    assert len(digests) == 2
