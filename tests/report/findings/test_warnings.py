"""Warnings on the terminal: two in full, then a line each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rich.console import Group

from tensordbg.analysis.why import why
from tensordbg.report.findings.warnings import warning_lines
from tensordbg.report.findings.why_text import render
from tests.analysis.warnings.network import network
from tests.report.rendering import rendered

RESULT = why(network({"Relu": lambda _: np.zeros((8, 5))}))
WHOLE = """\
All 360 tensors over 30 steps were finite.

warnings, of finite numbers:
  dead_units: Relu:0 (train.py:12)
    line
    why   All of Relu:0 is zero for every input, since step 0: it can not learn any more.
    fix   Lower the learning rate, start with smaller or positive biases, scale the inputs to about
          1, or use an activation that has a slope everywhere: LeakyReLU, ELU, GELU.
"""


def test_none() -> None:
    assert warning_lines([]) == []


def test_below_what_is_finite() -> None:
    assert render(RESULT) == WHOLE


def test_variable_and_others() -> None:
    (warning,) = RESULT.warnings
    lines = rendered(Group(*warning_lines([replace(warning, variable="kernel", also=("kernel", "bias"), source=None)])))
    assert lines[2] == "  dead_units: kernel"
    assert lines[-1] == "    also  bias"


def test_many() -> None:
    lines = rendered(Group(*warning_lines([*RESULT.warnings] * 20)))
    assert len([line for line in lines if line.startswith("  dead_units")]) == 8
    assert len([line for line in lines if line.startswith("    why")]) == 2
    assert lines[-1] == "  and 12 more; --json tells all"
