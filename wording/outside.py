"""What may be shown of texts from outside: no characters that hide or reorder text, no passwords of addresses."""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import urlsplit

STARS = "***"
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,15})://(\S+)")
PUNCTUATION = ")]}\"',;:."
"""Characters of the text around an address that may follow it."""
CAMERA_SCHEMES = ("http", "https", "rtsp", "rtsps")
PLAIN_NAMES = frozenset(
    "action cam camera ch channel codec compression format fps framerate h height profile quality rate real_stream "
    "resolution size stream subtype type video w width".split()
)
"""Parameters of cameras' addresses whose values are shown; any other value may be a secret."""
_PLAIN_VALUE = re.compile(r"[\w.,-]{0,32}")
_BREAKS = "\t\n\r\x0b\x0c\x85\u2028\u2029"
_BLANKS = re.compile(r"\s+")


def visible(text: str) -> str:
    """The text on one line without control characters, direction marks, unassigned code points and lone surrogates."""
    if text.isprintable():
        return text
    kept = (" " if one in _BREAKS else one for one in text)
    return "".join(one for one in kept if one == " " or unicodedata.category(one)[0] != "C")


def visible_in(value: object) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [visible_in(one) for one in value]
    if isinstance(value, dict):
        return {visible_in(key): visible_in(one) for key, one in value.items()}
    return value


def clean(text: str, longest: int = 512) -> str:
    """Untrusted text made safe to log, show, store or speak: `visible`, with single blanks, of limited length."""
    return _BLANKS.sub(" ", visible(text[: 4 * longest])).strip()[:longest].rstrip()


def visible_lines(text: str) -> str:
    """A text of several lines, `visible` and without the secrets of addresses: an error or a line of the log."""
    return "\n".join(map(visible, without_secrets(text).split("\n")))


def without_secrets(text: str) -> str:
    """The text with everything hidden that may be a password in one of its addresses.

    Hidden are all before an @, the values of unknown parameters, and the whole address if it cannot be read. A text
    that was shown so is unchanged.
    """
    return ADDRESS.sub(_shown, text) if "://" in text else text


def shown_address(address: str) -> str:
    """A camera's name or address without secrets; an address may have blanks in it."""
    return without_secrets(_BLANKS.sub("%20", address)) if "://" in address else address


def _shown(found: re.Match[str]) -> str:
    scheme, rest = found[1], found[2].rstrip(PUNCTUATION)
    after = found[2][len(rest) :]
    _, at, open_part = rest.rpartition("@")
    if rest and not at and scheme.lower() in CAMERA_SCHEMES and not _is_readable(f"{scheme}://{rest}"):
        return f"{scheme}://{STARS}{after}"
    open_part, mark, _ = open_part.partition("#")
    path, asks, query = open_part.partition("?")
    path = "/".join(_pairs(one) if "=" in one else one for one in path.split("/"))
    fragment = mark and f"#{STARS}"
    return f"{scheme}://{at and f'{STARS}@'}{path}{asks}{_pairs(query)}{fragment}{after}"


def _is_readable(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.netloc) and (parts.port is None or parts.port >= 0)
    except ValueError:
        return False


def _pairs(text: str) -> str:
    """Parameters such as `channel=1&pwd=***`."""
    return "".join(one if one in ("&", ";", "") else _pair(one) for one in re.split("([&;])", text))


def _pair(text: str) -> str:
    name, equals, value = text.partition("=")
    if name.lower() in PLAIN_NAMES and _PLAIN_VALUE.fullmatch(value):
        return text
    return f"{name}={STARS}" if equals else STARS
