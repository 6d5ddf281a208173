"""What a kernel's `for` goes over: each becomes the machine code of a `while` that counts by hand.

numba's own `range` counts twice, and a generator keeps its place in memory: both cost a search some percent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numba
import numba.core.cgutils
import numba.core.imputils
import numba.extending

from agents.kernels.compilation import NONZERO
from agents.kernels.memory import Word

Build = Callable[..., Any]
cgutils: Any = numba.core.cgutils
imputils: Any = numba.core.imputils
extending: Any = numba.extending
types: Any = numba.types


class _Loop(numba.types.SimpleIteratorType):  # type: ignore[misc, name-defined]
    """Over uint64 numbers. The functions get LLVM's builder, the loop's state, a uint64, and its end."""

    def __init__(self, name: str, more: Build, number: Build, after: Build) -> None:
        super().__init__(name, types.uint64)
        self.more, self.number, self.after = more, number, after

    def begin(self, context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        """Code for a loop whose first argument is its first state, and whose last one is its end."""
        begun = cgutils.create_struct_proxy(self)(context, builder)
        begun.state, begun.end = cgutils.alloca_once_value(builder, args[0]), args[-1]
        return begun._getvalue()


MEMBERS = [("state", types.CPointer(types.uint64)), ("end", types.uint64)]
"""How a loop lies in memory: as its state, which the code turns into a register, and its end."""
extending.register_model(_Loop)(lambda manager, loop: extending.models.StructModel(manager, loop, MEMBERS))
imputils.lower_builtin("getiter", _Loop)(lambda _context, _builder, _signature, args: args[0])


def _next(context: Any, builder: Any, signature: Any, args: Any, result: Any) -> None:
    [loop] = signature.args
    begun = cgutils.create_struct_proxy(loop)(context, builder, value=args[0])
    state = builder.load(begun.state)
    more = loop.more(builder, state, begun.end)
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(loop.number(builder, state))
        builder.store(loop.after(builder, state), begun.state)


imputils.lower_builtin("iternext", _Loop)(imputils.iternext_impl(imputils.RefType.UNTRACKED)(_next))
BITS = _Loop(
    "bits",
    more=lambda builder, left, _end: builder.icmp_unsigned("!=", left, left.type(0)),
    number=lambda builder, left: builder.cttz(left, NONZERO),
    after=lambda builder, left: builder.and_(left, builder.sub(left, left.type(1))),
)
SPAN = _Loop(
    "span",
    more=lambda builder, here, end: builder.icmp_unsigned("<", here, end),
    number=lambda _builder, here: here,
    after=lambda builder, here: builder.add(here, here.type(1)),
)
each_bit: Callable[[Word], Iterable[Word]]
each_bit = extending.intrinsic(lambda _typing, _bits: (BITS(types.uint64), BITS.begin))
"""The indices of the set bits of a uint64, the lowest first."""
span: Callable[[Word, Word], Iterable[Word]]
span = extending.intrinsic(lambda _typing, _first, _end: (SPAN(types.uint64, types.uint64), SPAN.begin))
"""The numbers from one uint64 to before another."""
