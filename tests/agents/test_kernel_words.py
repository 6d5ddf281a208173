"""What compiled searches share: loops over bits and numbers, signed counts, and positions that come again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")
from agents.kernels import past
from agents.kernels.compilation import compiled, number
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import EXACT, OWN, Memory, Word, write

U = np.uint64
TOP = 2**63
PROGRAM = """
import numpy as np
from agents.kernels.compilation import compiled
from agents.kernels.loops import each_bit

@compiled("uint64(uint64)")
def summed(bits):
    total = np.uint64({start})
    for index in each_bit(bits):
        total += index
    return total

print(int(summed(np.uint64(0b10100))))
"""


@compiled("void(uint64, uint64[::1])")
def write_bits(bits: np.uint64, found: Memory) -> None:
    place = U(0)
    for index in each_bit(bits):
        found[place] = index + U(1)
        place += U(1)


@compiled("uint64(uint64, uint64)")
def sum_of(first: np.uint64, end: np.uint64) -> np.uint64:
    total = U(0)
    for one in span(first, end):
        total += one
    return total


@pytest.mark.parametrize("bits", [0, 1, 0b10110, TOP, 2**64 - 1])
def test_each_set_bit_comes_once_the_lowest_first(bits: int) -> None:
    found = np.zeros(65, np.uint64)
    write_bits(U(bits), found)
    expected = [index + 1 for index in range(64) if bits >> index & 1]
    assert found.tolist() == expected + [0] * (65 - len(expected))


@pytest.mark.parametrize(("first", "end"), [(0, 0), (3, 7), (7, 3), (TOP - 2, TOP + 2)])
def test_a_span_has_the_numbers_up_to_its_end(first: int, end: int) -> None:
    assert int(sum_of(U(first), U(end))) == sum(range(first, end)) % 2**64


def test_numbers_of_bits_can_be_subtracted() -> None:
    assert number(U(1)) - number(U(2**64 - 1)) == -63


@pytest.mark.parametrize(("exact", "times"), [(True, 4), (False, 5)])
def test_a_position_that_came_since_the_root_counts_twice_unless_the_search_is_exact(exact: bool, times: int) -> None:
    memory = np.zeros(int(OWN) + 16, np.uint64)
    write(memory, OWN, (7, 5, 7, 8, 7, 7))
    memory[EXACT] = exact
    assert int(past.times(memory, OWN, OWN + Word(4), Word(1), Word(7))) == times
    assert int(past.times(memory, OWN + Word(3), OWN + Word(4), Word(0), Word(7))) == 1


def test_a_process_that_finds_code_on_the_disk_can_compile_more_with_the_same_loops(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code"), "PYTHONSAFEPATH": "1"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    for start in (0, 1):
        program = tmp_path / f"program_{start}.py"
        program.write_text(PROGRAM.format(start=start))
        ran = subprocess.run(
            [sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=300
        )
        assert ran.stdout == f"{6 + start}\n", ran.stderr
