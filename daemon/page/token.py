"""The page's token, which commands from other computers must carry."""

from __future__ import annotations

import hmac
import re
import secrets
from pathlib import Path

from calibration.atomic_file import read_private, write_private

TOKEN_BYTES = 32
MAX_TOKEN_LENGTH = 128
MAX_FILE_BYTES = 4096
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,128}")


class TokenError(ValueError):
    """A token cannot be read, written or trusted; the message names the file and what to do."""


def page_token(path: Path) -> str:
    """The token in a file that only its owner may read; created on first use. Raises TokenError."""
    try:
        content, is_shown = read_private(path, MAX_FILE_BYTES)
        token = content.decode("ascii").strip()
    except FileNotFoundError:
        return new_token(path)
    except (OSError, UnicodeDecodeError) as error:
        raise TokenError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    if is_shown:
        raise TokenError(f"{path}: others may read this token; `kibitzer keys token --new` makes another")
    if not _TOKEN.fullmatch(token):
        raise TokenError(f"{path}: holds no token; `kibitzer keys token --new` makes one")
    return token


def new_token(path: Path) -> str:
    """Writes a new token to the file, readable by its owner only. Raises TokenError."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    try:
        write_private(path, f"{token}\n".encode())
    except OSError as error:
        raise TokenError(f"{path}: cannot be written: {error.strerror or error}") from None
    return token


def is_bearer(header: str | None, token: str) -> bool:
    """Whether an Authorization header carries that token; compares in constant time."""
    kind, _, given = (header or "").partition(" ")
    brought = given.strip().encode("utf-8", "surrogatepass")[:MAX_TOKEN_LENGTH]
    return hmac.compare_digest(brought, token.encode()) and kind.lower() == "bearer"
