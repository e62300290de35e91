"""A program's losses and weights are those of a plain run, to the bit, but for what is listed here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.e2e.undisturbed.bit_programs import EQUAL, OTHERWISE

pytestmark = pytest.mark.timeout(900)  # many programs, twice: five minutes on a busy machine

Results = dict[str, list[np.ndarray]]
Run = Callable[..., Results]

PROGRAM = Path(__file__).with_name("bit_programs.py")
TDBG = str(Path(sys.executable).with_name("tdbg"))
WAYS = {"plain": [sys.executable], "record": [TDBG, "run"], "check": [TDBG, "run", "--check"], "trap": [TDBG, "trap"]}

PASSES = ("remapping", "arithmetic_optimization", "constant_folding")
"""What fuses operations, and what reorders them and computes with their constants: Grappler's names."""

LISTED_ON = "avx512f"
"""Processors without these instructions have other kernels, which may agree where those differ."""
HALF, OF_HALF = "avx512_fp16", {"mixed_float16, relu"}
"""Only where these instructions are does TensorFlow fuse products in half precision."""

DIFFERENCES = {
    "dense, tanh": (2e-6, "the fused product, bias and Tanh"),
    "dense, sigmoid, gelu": (2e-6, "the fused product, bias and Sigmoid; Gelu in one kernel"),
    "SimpleRNN": (2e-6, "the fused product, bias and Tanh, in a loop"),
    "mixed_float16, gelu": (2e-3, "Gelu in one kernel, which rounds to half precision once"),
    "mixed_float16, relu": (2e-3, "the fused product and bias, which are rounded to half precision once"),
    "mixed_bfloat16, relu": (2e-2, "the fused product and bias, which are rounded to bfloat16 once"),
    "dense, relu, RMSprop": (2e-6, "sums and products with constants, which come first"),
    "dropout, layer normalization, softmax": (2e-6, "products with constants, which are multiplied first"),
    "LSTM, recurrent dropout": (2e-6, "products with constants, which are multiplied first"),
    "attention": (2e-6, "products with constants, which are multiplied first"),
    "reordered": (2e-7, "sums with constants, which are added first"),
}
"""By how much a loss or weight of a recorded or checked program differs at most, and why."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs the programs in a way, once."""
    folder = tmp_path_factory.mktemp("bits")

    @cache
    def run(way: str, *without: str) -> Results:
        written = folder / f"{way}{len(without)}.npz"
        command = [*WAYS[way], str(PROGRAM), str(written), *without]
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        found: Results = {}
        with np.load(written) as kept:
            for key in kept.files:
                found.setdefault(key.rpartition("/")[0], []).append(kept[key])
        return found

    return run


def difference(plain: list[np.ndarray], other: list[np.ndarray]) -> float | None:
    """The largest difference of two numbers, which are of the order of 1; None where all bits are the same."""
    assert [(a.shape, a.dtype) for a in plain] == [(a.shape, a.dtype) for a in other]
    unlike = [(a, b) for a, b in zip(plain, other, strict=True) if a.tobytes() != b.tobytes()]
    return max((float(np.abs(a - b).max()) for a, b in unlike), default=None)


def test_the_list_of_differences_names_programs() -> None:
    assert DIFFERENCES.keys() == OTHERWISE.keys()
    assert not EQUAL.keys() & OTHERWISE.keys()


@pytest.mark.parametrize("way", ["record", "check"])
def test_recorded_and_checked_programs_differ_in_what_is_listed_only(results: Run, way: str) -> None:
    plain, other = results("plain"), results(way)
    found = {name: difference(plain[name], other[name]) for name in plain}
    unlike = {name: largest for name, largest in found.items() if largest is not None}
    assert unlike.keys() <= DIFFERENCES.keys()
    instructions = Path("/proc/cpuinfo").read_text().split()
    if LISTED_ON in instructions:
        assert unlike.keys() == DIFFERENCES.keys() - (set() if HALF in instructions else OF_HALF)
    assert {name: largest for name, largest in unlike.items() if largest > DIFFERENCES[name][0]} == {}


def test_trapped_programs_are_the_same_to_the_bit(results: Run) -> None:
    plain, other = results("plain"), results("trap")
    assert {name: found for name in plain if (found := difference(plain[name], other[name])) is not None} == {}


def test_without_fusing_and_reordering_all_are_the_same_to_the_bit(results: Run) -> None:
    plain, other = results("plain", *PASSES), results("record", *PASSES)
    assert {name: found for name in plain if (found := difference(plain[name], other[name])) is not None} == {}
