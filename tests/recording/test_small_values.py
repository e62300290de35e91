from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import NONE, Detail, Site, TensorRef
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.log import NO_FUNCTION, EventLog, input_reference
from tensordbg.recording.small_values import sites_behind, small_values
from tensordbg.trace.program.metadata import SEGMENT_RECORDS

INT32 = DTYPE_NUMBERS["int32"]


def site(number: int, *inputs: int) -> Site:
    return Site(number, f"op{number}", "Mul", 0, NONE, tuple(TensorRef(each, 0) for each in inputs))


def test_the_sites_behind_an_operation_are_found_by_number_and_by_name() -> None:
    sites = [site(0), site(1, 0), site(2, 1), site(3, 0), site(4, 3, NONE)]
    assert sites_behind(FailedOperation("E", "", site=2), [], sites.__getitem__) == {0, 1}
    assert sites_behind(FailedOperation("E", ""), [sites[4]], sites.__getitem__) == {0, 3}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    log = EventLog(tmp_path, Detail.HEALTH)
    yield log
    log.close()


def add(log: EventLog, site: int, elements: list[int]) -> int:
    execution = log.begin_execution(site, NO_FUNCTION, 0, [])
    log.append_tensor(execution, site, 0, INT32, 0, np.array(elements, np.int32))
    return execution


def read(folder: Path, failed: FailedOperation, behind: tuple[int, ...] = ()) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for _, site, _, text in small_values(folder, SEGMENT_RECORDS, failed, behind, 0):
        found.setdefault(site, []).append(text)
    return found


def test_small_tensors_are_told_and_large_ones_are_not(log: EventLog, tmp_path: Path) -> None:
    add(log, 1, [2, 4, 14])
    add(log, 2, list(range(17)))
    log.append_tensor(1, 3, 0, INT32, 0, np.zeros([1] * 6, np.int32))
    assert read(tmp_path, FailedOperation("E", "")) == {1: ["[2, 4, 14]"]}


def test_what_was_recorded_long_ago_is_told_only_where_the_operation_may_have_taken_it(
    log: EventLog, tmp_path: Path
) -> None:
    given, of_graph = add(log, 1, [1]), add(log, 2, [2])
    add(log, 3, [3])
    for _ in range(400):
        add(log, 4, [4])
    failed = log.begin_execution(5, NO_FUNCTION, 0, [input_reference(given, 0)], failed=True)
    assert of_graph > given
    found = read(tmp_path, FailedOperation("E", "", site=5, execution=failed), (2,))
    assert found == {1: ["[1]"], 2: ["[2]"], 4: ["[4]"] * 32}


def test_the_time_is_that_of_the_event(log: EventLog, tmp_path: Path) -> None:
    add(log, 1, [1])
    ((first, *_),) = small_values(tmp_path, SEGMENT_RECORDS, FailedOperation("E", ""), (), 0)
    ((second, *_),) = small_values(tmp_path, SEGMENT_RECORDS, FailedOperation("E", ""), (), 1000)
    assert second == first + 1000 > 1000
