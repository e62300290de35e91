"""Whole numbers of PyTorch that go round, and parts of tensors that look as if they did: a view is no operation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

import tensordbg  # noqa: E402


def lines_of(folder: Path, program: Callable[[], None]) -> set[int]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        program()
    warnings = tensordbg.open(recording.path).why().warnings
    assert {each.kind for each in warnings} <= {"wrapped_integers"}
    return {each.source.line for each in warnings if each.source is not None}


def marked(program: Callable[[], None]) -> set[int]:
    lines, first = inspect.getsourcelines(program)
    return {first + k for k, line in enumerate(lines) if "# HERE" in line}


def that_go_round() -> None:
    image = torch.arange(100, 200, dtype=torch.uint8)
    image + 60  # HERE
    image[2:] * 2  # HERE
    image - torch.full((100,), 150, dtype=torch.uint8)  # HERE
    torch.arange(300).to(torch.uint8)  # HERE
    -torch.tensor([-128, 3], dtype=torch.int8)  # HERE


def that_are_parts() -> None:
    lengths = torch.tensor([5, 6, 4, 7])
    lengths[2] = 9
    whole = torch.arange(100, 400)
    print(lengths.sum(), lengths.abs().sum(), (-lengths).sum())
    print(whole[3:].sum(), whole[:50].to(torch.uint8), whole[:2].square(), -whole[:2])
    print(whole - whole[0], whole[5:] + whole[:-5], whole[1:9] * whole[:8])
    print(torch.add(whole, whole, alpha=3), torch.sub(whole, 7, alpha=2), 500 - whole, whole + 1)


@pytest.mark.parametrize("program", [that_go_round, that_are_parts])
def test_what_goes_round_is_told_and_a_part_of_a_tensor_is_not_taken_for_it(
    tmp_path: Path, program: Callable[[], None]
) -> None:
    assert lines_of(tmp_path, program) == marked(program)
