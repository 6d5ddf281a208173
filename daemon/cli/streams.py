"""Standard input, output and error however they are found: closed, full, without a reader, or in ASCII."""

from __future__ import annotations

import codecs
import io
import os
import sys

ESCAPED = "kibitzer_escaped"
"""Name of the error handler for characters that standard output cannot show."""


class Output(io.TextIOWrapper):
    """Standard output that remembers why it could not be written."""

    fault = ""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self.fault = error.strerror or str(error)
            raise

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self.fault = error.strerror or str(error)
            raise


def prepare() -> None:
    """Makes the streams usable; call it before any other file is opened, which would take a closed one's number."""
    # Output to a closed stream is an error, as if it were still closed; error messages are lost.
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free number, which is this one
    sys.stdin = sys.stdin or open(0, closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        given = sys.stdout
        encoding, at_lines, at_once = given.encoding, given.line_buffering, given.write_through
        sys.stdout = Output(given.detach(), encoding, ESCAPED, None, at_lines, at_once)


def fault() -> str:
    return getattr(sys.stdout, "fault", "")


def drop() -> None:
    """Drops what waits for standard output, so that the interpreter's last flush raises nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Characters that the stream's encoding lacks as \uXXXX, which is also how JSON writes them."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


codecs.register_error(ESCAPED, _escaped)
