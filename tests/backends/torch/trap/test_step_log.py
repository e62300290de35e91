from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.backends.torch.trap.step_log import StepLog

torch = pytest.importorskip("torch")


@pytest.fixture
def log() -> Iterator[StepLog]:
    log = StepLog()
    said: list[str] = []
    log.start(said.append)
    log.begin()
    yield log
    log.stop()
    assert said == []


def names(log: StepLog) -> list[str]:
    noted = log.take()
    assert noted is not None
    return [each[0] for each in noted.operations]


def test_kernels_are_noted_and_views_are_not(log: StepLog) -> None:
    x = torch.ones(2, 3)
    log.begin()
    torch.nn.functional.linear(x.t().t(), torch.ones(4, 3)).log_()
    assert names(log)[-2:] == ["aten::mm", "aten::log_"]


def test_what_comes_from_outside_is_kept_as_it_was_before_it_was_written(log: StepLog) -> None:
    x = torch.tensor([1.0, 2.0])
    log.begin()
    y = x * 3
    x.add_(1)
    noted = log.take()
    assert noted is not None
    at, made = log.find(x), log.find(y)
    assert at is not None
    assert made is not None
    memory = noted.memories[at.memory]
    assert memory is not None
    assert memory[1] == torch.tensor([1.0, 2.0]).numpy().tobytes()
    assert noted.memories[made.memory] is None
    assert noted.firsts[at.memory] == tuple(at)


def test_nothing_is_noted_while_it_is_paused_or_evaluated(log: StepLog) -> None:
    x = torch.ones(2)
    log.begin()
    log.pause()
    x.exp()
    log.resume()
    log.rest()
    with torch.no_grad():
        x.sin()
    x.cos()
    assert names(log) == ["aten::cos"]


def test_a_sparse_tensor_is_told_as_what_can_not_be_run_again(log: StepLog) -> None:
    torch.eye(2).to_sparse().coalesce().values().sum()
    noted = log.take()
    assert noted is not None
    assert "not dense, or neither on the processor nor on a GPU" in noted.trouble


def test_without_a_library_nothing_is_noted() -> None:
    log = StepLog()
    log.begin()
    assert log.take() is None
    assert log.find(torch.ones(1)) is None


def test_what_other_processes_send_comes_from_outside(log: StepLog, tmp_path: Path) -> None:
    distributed = torch.distributed
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'group'}", rank=0, world_size=1)
    try:
        log.begin()
        x = torch.ones(3).exp()
        distributed.all_reduce(x)
        y = x * 2
        x.zero_()
    finally:
        distributed.destroy_process_group()
    noted = log.take()
    assert noted is not None
    assert noted.trouble == ""
    (arrived,) = noted.arrived
    sent, at, made = noted.operations[-3][3][0], log.find(x), log.find(y)
    assert at is not None
    assert made is not None
    assert at.memory == arrived != sent[0]
    memory = noted.memories[arrived]
    assert memory is not None
    assert memory[1] == torch.ones(3).exp().numpy().tobytes()
    assert noted.memories[made.memory] is None


def test_asleep_it_notes_nothing_of_any_thread_until_it_is_woken(log: StepLog) -> None:
    x = torch.ones(2)
    log.begin()
    log.sleep()
    x.exp()
    log.wake()
    x.sin()
    assert names(log) == ["aten::sin"]
    log.sleep()
    log.begin()
    x.cos()
    assert names(log) == ["aten::cos"]
    log.sleep()
    log.rest()
    x.tan()
    assert names(log) == ["aten::cos", "aten::tan"]


BAD = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("place", [0, 6, 30])
def test_a_bad_number_is_found_without_an_operation(log: StepLog, dtype: torch.dtype, place: int) -> None:
    good = torch.arange(-15, 16).to(dtype)
    columns = torch.ones(4, 6, dtype=dtype)[:, ::2]
    log.begin()
    assert log.look_for_bad([good, columns, torch.ones(3, dtype=torch.int64), torch.empty(0)]) == (True, [])
    assert log.look_for_bad([good, torch.tensor(BAD).sum().to(dtype)])[0] is False
    for bad in BAD:
        spoilt = good.clone()
        spoilt[place] = bad
        assert log.look_for_bad([columns, spoilt]) == (False, [])
    columns[2, 1] = float("nan")
    assert log.look_for_bad([good, columns]) == (False, [])


def test_what_it_can_not_read_is_handed_back(log: StepLog) -> None:
    others = [torch.eye(2).to_sparse(), torch.ones(2, device="meta"), torch.ones(2, dtype=torch.complex64).conj()]
    assert log.look_for_bad([torch.ones(2), *others]) == (True, others)
