"""A file of somebody else's program as text: UTF-8, UTF-16 with its mark, or an older encoding of one byte a letter.

PGN and SGF without `CA` are ISO 8859-1 by their standards; as browsers do, it is read as Windows-1252, which has it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from daemon.storage.importing.imported import ImportFault

CHARSET = re.compile(rb"\bCA\s*\[\s*([\w.:-]{1,40})\s*\]")
"""What an SGF record says about its encoding."""
KNOWN = re.compile(r"(?:iso-?8859-|latin|windows-|cp|koi8-|gb|big5|shift|sjis|euc-)[\w.-]*", re.IGNORECASE)
"""Names of encodings for text."""
USUAL = "cp1252"
LAST = "latin-1"
"""Reads every byte."""
HEAD = 4000
"""Bytes in which an encoding is looked for."""


def text_of(data: bytes) -> str:
    """The text, its lines ended by a line feed. Raises ImportFault for what is no text."""
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if "\0" not in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise ImportFault("it is no text, but bytes of some other kind of file")


def _encodings(data: bytes) -> Iterator[str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield "utf-16"
    yield "utf-8-sig"
    if (said := CHARSET.search(data, 0, HEAD)) and KNOWN.fullmatch(name := said[1].decode("ascii", "replace")):
        yield name
    yield USUAL
    yield LAST
