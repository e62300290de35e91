from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.program.variables import Variables
from tensordbg.recording.catalog import Catalog

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class Observer:
    def __init__(self) -> None:
        self.told: list[int] = []

    def add_variable(self, tensor: object, number: int) -> None:
        assert isinstance(tensor, torch.Tensor)
        self.told.append(number)


def variables() -> tuple[Catalog, Observer, Variables]:
    catalog, observer = Catalog(), Observer()
    found = Variables(catalog)
    found.install(observer)  # type: ignore[arg-type]
    return catalog, observer, found


def names(catalog: Catalog, count: int) -> list[str]:
    return [catalog.variable(number).name for number in range(count)]


def step(found: Variables, optimizer: Any) -> None:
    found.before_step(optimizer)
    optimizer.step()
    found.after_step(optimizer)


def test_parameters_and_buffers_go_by_their_names_in_the_module() -> None:
    catalog, observer, found = variables()
    module = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.BatchNorm1d(2))
    module[1].bias.requires_grad_(False)
    found.add_module(module)
    assert names(catalog, 4) == ["0.weight", "1.weight", "1.bias", "1.running_mean"]
    assert [catalog.variable(number).trainable for number in range(4)] == [True, True, False, False]
    assert observer.told == [0, 1, 2, 3, 4, 5]


def test_what_has_no_shape_yet_is_added_when_it_has_one() -> None:
    catalog, observer, found = variables()
    module = torch.nn.Sequential(torch.nn.LazyLinear(2, bias=False), torch.nn.LazyBatchNorm1d())
    found.add_module(module)
    found.add_shaped()
    assert names(catalog, 1) == ["1.num_batches_tracked"]
    module(torch.ones(3, 4))
    found.add_shaped()
    assert names(catalog, 4) == ["1.num_batches_tracked", "0.weight", "1.weight", "1.bias"]
    found.add_shaped()
    assert observer.told == [0, 1, 2, 3, 4, 5]


def test_a_part_that_is_called_first_gets_its_name_in_the_whole() -> None:
    catalog, observer, found = variables()
    module = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False))
    found.add_module(module[0])
    found.add_module(module)
    assert names(catalog, 1) == ["0.weight"]
    assert observer.told == [0]


def test_the_second_model_goes_by_the_name_that_the_program_has_for_it() -> None:
    catalog, _, found = variables()
    maker, judge = torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False)
    found.add_module(maker)
    found.add_module(judge)
    assert names(catalog, 2) == ["weight", "judge.weight"]


def test_what_only_an_optimizer_has_goes_by_the_programs_name() -> None:
    catalog, _, found = variables()
    params = {"w": torch.ones(2, requires_grad=True)}
    params["w"].grad = torch.ones(2)
    optimizer = torch.optim.Adam(params.values())
    step(found, optimizer)
    assert names(catalog, 3) == ["params['w']", "params['w']/exp_avg", "params['w']/exp_avg_sq"]


def test_new_memory_is_told_of_in_steps_that_are_powers_of_two() -> None:
    _, observer, found = variables()
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(2):
        step(found, optimizer)
    assert observer.told == [0]
    w.data = torch.zeros(2)
    step(found, optimizer)
    assert observer.told == [0]
    step(found, optimizer)
    assert observer.told == [0, 0]
