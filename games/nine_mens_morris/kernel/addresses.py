"""Reads memory by address: data mapped from a file or shared by searches lies outside a search's array.

Code that writes an address into a search's memory must keep the array or file behind it alive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic as _numba_intrinsic


def _intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    made: Callable[..., Any] = _numba_intrinsic(function)
    return made


@_intrinsic
def byte_at(_typing: Any, _address: Any) -> Any:
    """The byte at a uint64 address, as a uint64."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(pointer), ir.IntType(64))

    return numba.uint64(numba.uint64), build


@_intrinsic
def word_at(_typing: Any, _address: Any) -> Any:
    """The uint64 at a uint64 address."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))

    return numba.uint64(numba.uint64), build
