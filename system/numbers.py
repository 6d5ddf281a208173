"""Numbers from outside. To Python and to some parsers `True` and 1.0 are 1, and "1" is as good: not so here."""

from __future__ import annotations

from pydantic import BeforeValidator


def whole(value: object) -> int:
    """The value, which must be a whole number. Raises ValueError."""
    if type(value) is not int:
        raise ValueError(f"it is a whole number, not {value!r:.60}")
    return value


def number(value: object) -> float:
    """The value, which must be a number. Raises ValueError."""
    if type(value) is not int and type(value) is not float:
        raise ValueError(f"it is a number, not {value!r:.60}")
    return float(value)


WHOLE = BeforeValidator(whole)
"""For a `Literal` of whole numbers, which pydantic compares: even where it is strict, `True` equals 1."""
