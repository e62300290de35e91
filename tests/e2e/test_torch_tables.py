"""Bad rows of PyTorch's tables, however they came in: one entry, with the line that put them there."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.finding import Origin

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
from torch import nn  # noqa: E402

LOOKED_UP = [[1, 2], [3, 17], [5, 6]]


def by_element(table: nn.Embedding, value: float) -> None:
    with torch.no_grad():
        table.weight[17, 2] = value  # PUT


def by_copy(table: nn.Embedding, value: float) -> None:
    rows = table.weight.detach().clone()
    rows[17, 2] = value  # PUT
    with torch.no_grad():
        table.weight.copy_(rows)


def by_data(table: nn.Embedding, value: float) -> None:
    rows = np.ones((50, 4), np.float32)
    rows[17, 2] = value
    table.weight.data.copy_(torch.from_numpy(rows))  # PUT


def by_element_of_data(table: nn.Embedding, value: float) -> None:
    table.weight.data[17, 2] = value  # PUT


WAYS = [by_element, by_copy, by_data, by_element_of_data]


def train(table: nn.Embedding | nn.EmbeddingBag, optimizer: torch.optim.Optimizer, steps: list[list[int]]) -> None:
    for rows in steps:
        optimizer.zero_grad()
        table(torch.tensor([rows])).square().sum().backward()
        optimizer.step()


def origins_of(folder: Path, program: Callable[[], None]) -> tuple[Origin, ...]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        program()
    return tensordbg.open(recording.path).why().origins


def trained(put: Callable[[nn.Embedding, float], None], value: float) -> None:
    table = nn.Embedding(50, 4)
    put(table, value)
    train(table, torch.optim.Adam(table.parameters(), 0.1), LOOKED_UP)


def put_between(put: Callable[[nn.Embedding, float], None], value: float) -> None:
    table = nn.Embedding(50, 4)
    optimizer = torch.optim.SGD(table.parameters(), 0.1)
    train(table, optimizer, LOOKED_UP[:1])
    put(table, value)
    train(table, optimizer, LOOKED_UP[1:])


def is_told_where(origin: Origin) -> bool:
    return origin.source is not None and origin.source.text.endswith("# PUT")


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("program", [trained, put_between])
@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_is_not_finite(
    way: Callable[..., None], program: Callable[..., None], value: float, tmp_path: Path
) -> None:
    (origin,) = origins_of(tmp_path, lambda: program(way, value))
    assert (origin.cause, is_told_where(origin)) == ("bad_variable", True)
    assert "The variable weight was given a value" in origin.explanation


@pytest.mark.parametrize("program", [trained, put_between])
@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_is_huge(way: Callable[..., None], program: Callable[..., None], tmp_path: Path) -> None:
    (origin,) = origins_of(tmp_path, lambda: program(way, 1e30))
    assert origin.cause == "arithmetic_overflow"
    assert "The variable weight had been set to numbers up to 1e30 (line" in origin.explanation
    assert "# PUT`" in origin.explanation
    assert origin.verdict.suggestion.endswith("set it to smaller numbers.")


@pytest.mark.parametrize("made_of", [nn.Embedding, nn.EmbeddingBag])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_gradients_that_are_sparse(made_of: Callable[..., nn.Embedding], value: float, tmp_path: Path) -> None:
    def program() -> None:
        more = {"mode": "sum"} if made_of is nn.EmbeddingBag else {}
        table = made_of(50, 4, sparse=True, **more)
        by_element(table, value)
        train(table, torch.optim.SparseAdam(list(table.parameters()), 0.1), LOOKED_UP)

    (origin,) = origins_of(tmp_path, program)
    assert (origin.cause, is_told_where(origin)) == ("bad_variable", True)


def test_a_table_that_was_huge_before_the_recording(tmp_path: Path) -> None:
    table = nn.Embedding(50, 4)
    by_element(table, 1e30)
    optimizer = torch.optim.SGD(table.parameters(), 0.1)
    (origin,) = origins_of(tmp_path, lambda: train(table, optimizer, LOOKED_UP))
    assert "The variable weight had been set to numbers up to 1e30." in origin.explanation


@pytest.mark.parametrize("program", [trained, put_between])
@pytest.mark.parametrize("way", WAYS)
def test_a_sound_table(way: Callable[..., None], program: Callable[..., None], tmp_path: Path) -> None:
    assert origins_of(tmp_path, lambda: program(way, 1.0)) == ()


def test_what_grows_in_updates_through_data_is_not_taken_for_set(tmp_path: Path) -> None:
    def program() -> None:
        table = nn.Linear(4, 1)
        x = torch.randn(16, 4)
        for _ in range(40):
            table.zero_grad()
            table(x).square().mean().backward()
            for each in table.parameters():
                each.data.add_(each.grad, alpha=-50.0)

    origin = origins_of(tmp_path, program)[0]
    assert origin.cause == "diverging_values"
    assert "had been set" not in origin.explanation


def test_a_mask_of_infinities_in_a_buffer_is_none(tmp_path: Path) -> None:
    def program() -> None:
        layer = nn.Linear(4, 6)
        layer.register_buffer("mask", torch.zeros(6))
        layer.mask[2] = -math.inf
        optimizer = torch.optim.SGD(layer.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(
                layer(torch.randn(8, 4)) + layer.mask, torch.zeros(8, dtype=torch.long)
            ).backward()
            optimizer.step()

    assert [each.reaches for each in origins_of(tmp_path, program) if "variables" in each.reaches] == []
