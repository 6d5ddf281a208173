"""Compiles search kernels and caches the code on disk, so that only the first start is slow.

Kernels keep their state in scalars and one flat uint64 array, index with unsigned numbers and declare their signatures:
calls then never compile again, and a recursive function is loaded whole from the disk.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import sigutils
from numba.np import linalg

from agents.kernels import code_cache, kept_code
from agents.kernels.memory import Word


def _no_blas() -> None:
    """Spares numba a third of its start: kernels multiply no matrices, for which it would load SciPy."""
    raise ImportError


setattr(linalg, "ensure_blas", _no_blas)  # noqa: B010 - asked when the first function is compiled or loaded
code_cache.use()

P = ParamSpec("P")
R = TypeVar("R")
listeners: list[Callable[[bool], None]] = []
"""Called after each function that was compiled or loaded, by the same thread: whether it came from the disk."""


def _keep_beside(module: str) -> None:
    """Directs numba's cache to a folder for the game of this kernel, whose name changes with its sources."""
    kernel = Path(getattr(sys.modules[module], "__file__", None) or kept_code.KERNELS / "none").resolve().parent
    package = kernel.parent if kernel.name == "kernel" else kept_code.KERNELS
    setattr(numba.config, "CACHE_DIR", str(kept_code.folder_of(package)))  # noqa: B010 - made from the environment


def compiled(signature: str, *, inlined: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compiles a function at once for one signature; it runs without the interpreter's lock.

    `inlined` puts its code into every function that calls it.
    """

    def compile_it(function: Callable[P, R]) -> Callable[P, R]:
        _keep_beside(function.__module__)
        # Without numba's reference counts: kernels allocate nothing, and their arrays are their callers'.
        options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
        options |= {"forceinline": inlined, "no_cfunc_wrapper": True}  # no C code calls kernels
        machine_code: Any = numba.njit(signature, **options)(function)
        for told in listeners:
            told(bool(machine_code.stats.cache_hits))
        return machine_code  # type: ignore[no-any-return]

    return compile_it


def specialised(function: Callable[..., Any], signature: str, module: str, own: Mapping[str, Any]) -> Any:
    """A function compiled with a game's functions and numbers, by name; the code is cached beside the game's `module`.

    A copy of the function with other globals: functions in a closure would make numba's cache miss in every process.
    """
    name = function.__name__
    made = types.FunctionType(function.__code__, function.__globals__ | dict(own), name)
    del made.__globals__[name]  # a copy that calls itself
    made.__module__, made.__qualname__ = module, f"{module}.{name}"
    return compiled(signature)(made)


@compiled("int64(uint64)")
def signed(bits: Word) -> int:
    """The same 64 bits as a signed number."""
    return np.int64(bits)  # type: ignore[return-value]


def instructions(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes a compiled function of one that writes LLVM's instructions, for what no Python is compiled to.

    That gets LLVM's builder and the arguments, arrays as addresses. Vectors become what the processor has.
    """
    arguments, returned = sigutils.normalize_signature(signature)  # type: ignore[no-untyped-call]

    def make(build: Callable[..., Any]) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values = [
                context.make_array(kind)(context, builder, value).data if isinstance(kind, numba.types.Array) else value
                for kind, value in zip(signature.args, args, strict=True)
            ]
            return build(builder, *values)

        @functools.wraps(build)
        def typed(*_: Any) -> Any:
            return returned(*arguments), generate

        return numba.extending.intrinsic(typed)

    return make


_of_word = instructions("uint64(uint64)")
NONZERO = ir.Constant(ir.IntType(1), 1)
bit_count = _of_word(lambda builder, bits: builder.ctpop(bits))
"""Number of set bits of a uint64."""
lowest_bit = _of_word(lambda builder, bits: builder.cttz(bits, NONZERO))
"""Index of the lowest set bit of a nonzero uint64."""
leading_zeros = _of_word(lambda builder, bits: builder.ctlz(bits, NONZERO))
"""Number of zero bits above the highest set bit of a nonzero uint64."""


@instructions("void(uint64[::1], uint64)")
def fetch(builder: Any, memory: Any, word: Any) -> Any:
    """Begins to bring a word of an array into the cache."""
    number, byte = ir.IntType(32), ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    called = builder.module.declare_intrinsic("llvm.prefetch", [], kind)
    at = builder.bitcast(builder.gep(memory, [word]), byte)
    builder.call(called, [at, number(0), number(3), number(1)])  # to read, to stay, data
    return ir.Constant(byte, None)


def _read(builder: Any, address: Any, bits: int) -> Any:
    word = builder.load(builder.inttoptr(address, ir.IntType(bits).as_pointer()))
    return word if bits == 64 else builder.zext(word, ir.IntType(64))


byte_at = _of_word(lambda builder, address: _read(builder, address, 8))
"""The byte at a uint64 address, as a uint64, and `word_at` the uint64 there.

What is mapped from a file or shared by searches lies outside a search's array. Code that writes an address into a
search's memory must keep the array or file behind it alive.
"""
word_at = _of_word(lambda builder, address: _read(builder, address, 64))


@compiled("int64(uint64)", inlined=True)
def number(bits: Word) -> int:
    """Number of set bits of a uint64, for sums that may be negative."""
    return signed(bit_count(bits))
