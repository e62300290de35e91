"""What Python hands to the event log lies in the segments as the layout says."""

from __future__ import annotations

import json
import os
import resource
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tensordbg.health.reference import sketch
from tensordbg.health.spec import DTYPE_NUMBERS, DTYPES
from tensordbg.model import Detail
from tensordbg.recording.log import NO_FUNCTION, EventLog, ValueStatus, input_reference
from tensordbg.trace.raw.record import EXECUTION_RECORD, TENSOR_RECORD, RecordFlag, RecordKind
from tensordbg.trace.raw.sketches import holds_sketch, sketches_in
from tensordbg.trace.raw.values import KeptTensor, ValueFiles


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    log = EventLog(tmp_path, Detail.HEALTH)
    yield log
    log.close()


def written(folder: Path, dtype: np.dtype) -> np.ndarray:
    """The finished records, in order."""
    parts = [np.fromfile(file, dtype) for file in sorted((folder / "segments").iterdir())]
    records = np.concatenate(parts)
    return records[records["sequence"] > 0]


def test_a_tensor_is_measured(log: EventLog, tmp_path: Path) -> None:
    array = np.array([[1.0, -2.0, 0.0], [np.nan, np.inf, -np.inf]], np.float32)
    log.append_tensor(5, 7, 1, DTYPE_NUMBERS["float32"], 3, array)
    (record,) = written(tmp_path, TENSOR_RECORD)
    assert record["kind"] == RecordKind.EAGER_TENSOR
    assert (record["owner"], record["site"], record["slot"], record["device"]) == (5, 7, 1, 3)
    assert list(record["dims"][: record["rank"]]) == [2, 3]
    assert record["flags"] == RecordFlag.HEALTH
    counts = [record[name] for name in ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "first_bad")]
    assert counts == [6, 1, 1, 1, 1, 1, 3]
    assert [record[name] for name in ("min", "max", "sum", "sum_squares")] == [-2.0, 1.0, -1.0, 5.0]


def test_tensors_that_are_not_finite_are_counted(log: EventLog) -> None:
    for array in (np.zeros(3, np.float32), np.array([1, np.nan], np.float32), np.array([np.inf], np.float32)):
        log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, array)
    log.begin_execution(1, NO_FUNCTION, 0, [-1, -1])
    assert log.bad() == 2


def test_many_dimensions_are_kept_and_very_many_folded(log: EventLog, tmp_path: Path) -> None:
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.zeros([2] * 12, np.float32))
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.zeros([1] * 21 + [2, 3], np.float32))
    twelve, many = written(tmp_path, TENSOR_RECORD)
    assert list(twelve["dims"][: twelve["rank"]]) == [2] * 12
    assert not twelve["flags"] & RecordFlag.MANY_DIMS
    assert list(many["dims"][: many["rank"]]) == [1] * 21 + [6]
    assert many["flags"] & RecordFlag.MANY_DIMS
    assert many["size"] == 6


@pytest.mark.parametrize(("detail", "rank", "flags"), [(Detail.OPS, 255, 0), (Detail.SHAPES, 1, 0)])
def test_less_detail_reads_less(tmp_path: Path, detail: Detail, rank: int, flags: int) -> None:
    log = EventLog(tmp_path, detail)
    try:
        log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.full(4, np.nan, np.float32))
    finally:
        log.close()
    (record,) = written(tmp_path, TENSOR_RECORD)
    assert (record["rank"], record["flags"], record["nan"]) == (rank, flags, 0)


def test_an_execution_has_all_its_inputs(log: EventLog, tmp_path: Path) -> None:
    inputs = [input_reference(number, number % 3) for number in range(60)]
    assert log.begin_execution(4, 9, 2, inputs) == 1
    assert log.begin_execution(4, NO_FUNCTION, 3, []) == 2
    log.end_execution(1, True)
    records = written(tmp_path, EXECUTION_RECORD)
    assert [RecordKind(kind).name for kind in records["kind"]] == [
        "EXECUTION_BEGIN",
        "EXECUTION_INPUTS",
        "EXECUTION_INPUTS",
        "EXECUTION_BEGIN",
        "EXECUTION_END",
    ]
    assert [int(number) for record in records[:3] for number in record["inputs"][: record["rank"]]] == inputs
    assert list(records["function"][[0, 3]]) == [9, NO_FUNCTION]
    assert list(records["iteration"][[0, 3]]) == [2, 3]
    assert list(records["flags"]) == [RecordFlag.FUNCTION] * 3 + [0, RecordFlag.FAILED]


def test_threads_lose_nothing_over_many_segments(log: EventLog, tmp_path: Path) -> None:
    array = np.ones(3, np.float32)

    def append(thread: int) -> None:
        for _ in range(40_000):
            log.append_tensor(1, thread, 0, DTYPE_NUMBERS["float32"], 0, array)

    threads = [threading.Thread(target=append, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = written(tmp_path, TENSOR_RECORD)
    assert list(records["sequence"]) == list(range(1, 160_001))
    assert np.bincount(records["site"]).tolist() == [40_000] * 4
    assert len(list((tmp_path / "segments").iterdir())) > 1


def test_there_is_one_log_in_a_process(log: EventLog, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="already open"):
        EventLog(tmp_path / "other", Detail.HEALTH)


def test_a_folder_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="No such file"):
        EventLog(tmp_path / "absent" / "deeper", Detail.HEALTH)


def test_names_are_on_disk_once(log: EventLog, tmp_path: Path) -> None:
    numbers = [log.device(name) for name in ("/CPU:0", 'odd "name"\n', "/CPU:0")]
    assert numbers == [1, 2, 1]
    lines = (tmp_path / "names.jsonl").read_text().splitlines()
    assert lines[-1] == '{"kind": "device", "id": 2, "name": "odd \\"name\\"\\u000a"}'


def own_file(folder: Path, instead_of: Path) -> int:
    """Opens a file of the program under the number that one of ours had."""
    (number,) = [int(each.name) for each in Path("/proc/self/fd").iterdir() if each.resolve() == instead_of]
    opened = os.open(folder / "own", os.O_RDWR | os.O_CREAT)
    os.dup2(opened, number)
    os.close(opened)
    return number


def test_nothing_goes_into_files_that_the_program_opened_instead_of_ours(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.VALUES, 2**20, 4096)
    log.choose_values([0], True)
    array = np.arange(4, dtype=np.int32)
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["int32"], log.device("before"), array)
    own = [own_file(tmp_path, tmp_path / name) for name in ("names.jsonl", "values/000000.bin")]
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["int32"], log.device("after"), array)
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["int32"], 0, np.ones(2000, np.int32))
    log.close()
    for number in own:
        os.close(number)  # they are still the program's
    assert (tmp_path / "own").read_bytes() == b""
    assert [None if value is None else value.size for value in values_of(tmp_path)] == [4, 4, 2000]
    names = [json.loads(line)["name"] for line in (tmp_path / "names.jsonl").read_text().splitlines()]
    assert names == ["", "", "before", "after"]


def test_a_closed_log_takes_nothing(log: EventLog, tmp_path: Path) -> None:
    log.close()
    assert log.begin_execution(0, NO_FUNCTION, 0, []) == -1
    log.end_execution(1, False)
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.zeros(1, np.float32))
    assert len(written(tmp_path, TENSOR_RECORD)) == 0
    assert (log.failure(), log.dropped()) == ("", 0)


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[EventLog]:
    """Keeps the values of sites 0 to 3, in files of 4096 bytes, up to a mebibyte."""
    log = EventLog(tmp_path, Detail.VALUES, 2**20, 4096)
    log.choose_values(list(range(4)), True)
    yield log
    log.close()


def values_of(folder: Path) -> list[np.ndarray | None]:
    """What was kept of each event."""
    files = ValueFiles(folder, 4096)
    found: list[np.ndarray | None] = []
    for record in written(folder, TENSOR_RECORD):
        shape = tuple(int(extent) for extent in record["dims"][: record["rank"]])
        place = KeptTensor(int(record["value_position"]) - 1, DTYPES[record["dtype"]], shape, None)
        found.append(files.read(place) if record["value_position"] else None)
    return found


def test_values_lie_one_after_the_other_over_files(keeping: EventLog, tmp_path: Path) -> None:
    arrays = [np.arange(size, dtype=np.float64) for size in (0, 1, 9, 600, 3, 1500)]
    for array in arrays:
        keeping.append_tensor(1, 2, 0, DTYPE_NUMBERS["float64"], 0, array)
    assert [value.tobytes() for value in values_of(tmp_path)] == [array.tobytes() for array in arrays]  # type: ignore[union-attr]
    assert [path.stat().st_size for path in sorted((tmp_path / "values").iterdir())][:-1] == [4096] * 4
    assert keeping.values() == ValueStatus(64 + 128 + 4800 + 64 + 12032, 0, "")


def test_only_chosen_sites_are_kept(keeping: EventLog, tmp_path: Path) -> None:
    keeping.choose_values([2, 2**32 - 1], False)
    keeping.choose_values([100_000], True)
    for site in (1, 2, 3, 4, 99_999, 100_000, 2**31):
        keeping.append_tensor(1, site, 0, DTYPE_NUMBERS["int32"], 0, np.array([site % 1000], np.int32))
    assert [None if value is None else value.tolist() for value in values_of(tmp_path)] == [
        *([1], None, [3], None),
        *(None, [0], None),
    ]


def test_the_budget_is_the_end_of_values_not_of_events(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.VALUES, 200, 4096)
    try:
        log.choose_values([0], True)
        for size in (16, 16, 40, 1):
            log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.ones(size, np.float32))
        status = log.values()
    finally:
        log.close()
    assert [value is not None for value in values_of(tmp_path)] == [True, True, False, False]
    assert status == ValueStatus(128, 2, "")


def test_a_write_that_fails_is_the_end_of_values_not_of_events(keeping: EventLog, tmp_path: Path) -> None:
    array = np.arange(1000, dtype=np.int32)
    keeping.append_tensor(1, 0, 0, DTYPE_NUMBERS["int32"], 0, array)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, limits[1]))
    try:
        keeping.append_tensor(1, 0, 0, DTYPE_NUMBERS["int32"], 0, array)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    keeping.append_tensor(1, 0, 0, DTYPE_NUMBERS["int32"], 0, array)
    first, *rest = values_of(tmp_path)
    assert first is not None
    assert (first == array).all()
    assert rest == [None, None]
    assert (keeping.values().refused, keeping.values().failure) == (2, "writing failed: File too large")


def test_threads_keep_their_own_values(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.VALUES, 2**30, 4096)
    log.choose_values(list(range(4)), True)

    def append(thread: int) -> None:
        for turn in range(2_000):
            array = np.full(turn % 50, thread * 10_000 + turn, np.int64)
            log.append_tensor(1, thread, 0, DTYPE_NUMBERS["int64"], 0, array)

    threads = [threading.Thread(target=append, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    turns = [0] * 4
    for record, value in zip(written(tmp_path, TENSOR_RECORD), values_of(tmp_path), strict=True):
        thread = record["site"]
        assert value is not None
        assert value.tolist() == [thread * 10_000 + turns[thread]] * (turns[thread] % 50)
        turns[thread] += 1
    assert turns == [2_000] * 4


def test_other_details_keep_no_values(log: EventLog, tmp_path: Path) -> None:
    log.choose_values([0], True)
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.ones(1, np.float32))
    assert values_of(tmp_path) == [None]
    assert log.values() == ValueStatus(0, 0, "")
    assert not (tmp_path / "values").exists()


def recent(folder: Path, dtype: np.dtype = EXECUTION_RECORD) -> np.ndarray:
    """The records of a log that keeps the last ones, in their order."""
    records = written(folder, dtype)
    return records[np.argsort(records["sequence"])]


def operation(log: EventLog, inputs: list[int], tensors: int) -> int:
    """An eager operation and its results."""
    execution = log.begin_execution(4, NO_FUNCTION, 0, inputs)
    for slot in range(tensors):
        log.append_tensor(execution, 4, slot, DTYPE_NUMBERS["float32"], 0, np.ones(2, np.float32))
    return execution


def test_the_last_executions_are_kept_with_all_that_is_theirs(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=3)
    try:
        numbers = [operation(log, [-1] * inputs, tensors) for inputs, tensors in [(1, 2), (60, 1), (2, 0), (1, 5)] * 50]
    finally:
        log.close()
    owners = recent(tmp_path)["owner"].tolist()
    assert owners == [numbers[-3]] * 4 + [numbers[-2]] + [numbers[-1]] * 6


def test_what_comes_from_outside_is_counted_by_itself(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=4)
    try:
        for _ in range(100):
            source = operation(log, [], 1)
            operation(log, [input_reference(source, 0)], 1)
    finally:
        log.close()
    records = recent(tmp_path)
    begins = records[records["kind"] == RecordKind.EXECUTION_BEGIN]
    assert begins["rank"].tolist() == [0] * 12 + [0, 1] * 4
    assert begins["owner"].tolist() == [*range(169, 193, 2), *range(193, 201)]


def test_an_open_call_outlives_the_count(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=2)
    try:
        call = log.begin_execution(9, 1, 17, [-1] * 30)
        for _ in range(50):
            operation(log, [-1], 1)
        during = recent(tmp_path)
        log.end_execution(call, False)
        after = recent(tmp_path)
    finally:
        log.close()
    assert during["owner"].tolist() == [call, call, 50, 50, 51, 51]
    assert during["iteration"][0] == 17
    # It ended, no tensor of a graph was computed in it, and two came after.
    assert after["owner"].tolist() == [50, 50, 51, 51]


def test_the_room_is_used_again(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.VALUES, 2**20, 2**16, last=100)
    try:
        log.choose_values([4], True)
        array = np.ones(1024, np.float32)
        for _ in range(20_000):
            log.append_tensor(log.begin_execution(4, NO_FUNCTION, 0, [-1]), 4, 0, DTYPE_NUMBERS["float32"], 0, array)
        status = log.values()
    finally:
        log.close()
    assert [path.stat().st_size for path in (tmp_path / "segments").iterdir()] == [4096 * 256]
    files = sorted((tmp_path / "values").iterdir())
    assert sum(path.stat().st_size for path in files) <= 101 * 4096 + 2 * 2**16
    assert status.refused == 0
    reader = ValueFiles(tmp_path, 2**16)
    records = recent(tmp_path, TENSOR_RECORD)
    kept = [record for record in records if record["kind"] == RecordKind.EAGER_TENSOR]
    assert len(kept) == 100
    for record in kept:
        place = KeptTensor(int(record["value_position"]) - 1, "float32", (1024,), None)
        assert reader.read(place).tobytes() == array.tobytes()


def test_a_value_that_does_not_fit_is_left_out_and_later_ones_are_kept(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.VALUES, 2**18, 2**16, last=2)
    try:
        log.choose_values([4], True)
        for count in (10_000, 100_000, 10_000, 10_000):
            execution = log.begin_execution(4, NO_FUNCTION, 0, [-1])
            log.append_tensor(execution, 4, 0, DTYPE_NUMBERS["float32"], 0, np.ones(count, np.float32))
        status = log.values()
    finally:
        log.close()
    tensors = [record for record in recent(tmp_path, TENSOR_RECORD) if record["kind"] == RecordKind.EAGER_TENSOR]
    assert [bool(record["value_position"]) for record in tensors] == [True, True]
    assert status.refused == 1


def test_what_is_kept_for_good_stays_while_the_rest_is_used_again(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=2)
    try:
        for _ in range(5):
            operation(log, [-1], 1)
        call = log.begin_execution(9, 1, 0, [])
        log.keep_all()
        for _ in range(5):
            operation(log, [-1], 1)
        log.end_execution(call, True)
    finally:
        log.close()
    records = recent(tmp_path)
    begins = records[records["kind"] == RecordKind.EXECUTION_BEGIN]
    assert begins["owner"].tolist() == [5, call, 10, 11]
    assert records["owner"][-1] == call


def test_threads_share_the_room(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=64)

    def work() -> None:
        for _ in range(5_000):
            operation(log, [-1], 2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    records = recent(tmp_path)
    owners, counts = np.unique(records["owner"], return_counts=True)
    assert (len(owners), set(counts.tolist())) == (64, {3})
    assert len(set(records["sequence"].tolist())) == len(records)


def test_muted_sites_and_dtypes_leave_no_tensor(log: EventLog, tmp_path: Path) -> None:
    log.mute([2, 20_000])
    log.choose_dtypes(1 << DTYPE_NUMBERS["float32"])
    for site in (1, 2, 3, 20_000):
        for dtype in ("float32", "int32"):
            log.append_tensor(1, site, 0, DTYPE_NUMBERS[dtype], 0, np.zeros(1, dtype))
    records = written(tmp_path, TENSOR_RECORD)
    assert records["site"].tolist() == [1, 3]
    assert {DTYPES[number] for number in records["dtype"]} == {"float32"}


def test_a_full_disk_ends_the_recording_of_the_last_events(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=10_000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        for _ in range(3_000):
            operation(log, [-1], 1)
        failure, dropped = log.failure(), log.dropped()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        log.close()
    assert failure.endswith("000001.bin: File too large")
    assert dropped > 0
    assert len(recent(tmp_path)) == 4096


def test_what_was_written_in_between_is_forgotten_and_its_room_used_again(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.VALUES, 2**20, 2**16, last=2**40)
    log.choose_values([4], True)
    array = np.ones(4096, np.float32)

    def step() -> int:
        execution = log.begin_execution(4, NO_FUNCTION, 0, [-1])
        log.append_tensor(execution, 4, 0, DTYPE_NUMBERS["float32"], 0, array)
        return execution

    try:
        first, begin = step(), log.appended() + 1
        lasting = log.begin_execution(9, 1, 0, [])
        for _ in range(3_000):
            step()
            log.forget(begin, log.appended() + 1)
        last = step()
        log.end_execution(lasting, False)
        status = log.values()
    finally:
        log.close()
    assert recent(tmp_path)["owner"].tolist() == [first, first, lasting, last, last, lasting]
    assert len(list((tmp_path / "segments").iterdir())) == 1
    assert status.refused == 0
    assert sum(path.stat().st_size for path in (tmp_path / "values").iterdir()) <= 3 * 2**16


def test_nothing_is_forgotten_that_lies_outside(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=2**40)
    try:
        numbers = [operation(log, [-1] * inputs, 1) for inputs in (1, 60, 0, 1, 0)]
        log.forget(1, 1)
        log.forget(3, 7)
        log.forget(1000, 2000)
    finally:
        log.close()
    assert list(dict.fromkeys(recent(tmp_path)["owner"].tolist())) == [numbers[0], *numbers[2:]]


def test_muted_sites_are_recorded_again(log: EventLog, tmp_path: Path) -> None:
    for muted in (True, False):
        log.mute([2], muted)
        log.append_tensor(1, 2, 0, DTYPE_NUMBERS["float32"], 0, np.zeros(1, np.float32))
    assert len(written(tmp_path, TENSOR_RECORD)) == 1


def test_a_name_that_no_longer_fits_leaves_no_part_of_its_line(log: EventLog, tmp_path: Path) -> None:
    names = tmp_path / "names.jsonl"
    whole = names.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (whole + 20, limits[1]))
    try:
        assert log.device("/device:CPU:1") == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert names.stat().st_size == whole
    assert log.device("/device:CPU:2") == 2
    assert json.loads(names.read_text().splitlines()[-1]) == {"kind": "device", "id": 2, "name": "/device:CPU:2"}


def test_the_largest_magnitude_since_it_was_last_asked_for(log: EventLog) -> None:
    for numbers in (np.array([2.0, -7.5, np.inf], np.float32), np.array([3.0], np.float64)):
        log.append_tensor(1, 0, 0, DTYPE_NUMBERS[numbers.dtype.name], 0, numbers)
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["int64"], 0, np.array([10**9]))  # a count, or an index
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.array([np.nan], np.float32))
    assert (log.take_largest(), log.take_largest()) == (7.5, 0.0)


def test_sketches_are_recorded_where_they_are_asked_for(tmp_path: Path) -> None:
    large = np.arange(60, dtype=np.float32).reshape(5, 12)
    log = EventLog(tmp_path, Detail.HEALTH)
    log.keep_sketches()
    try:
        for array in (large, np.ones(4, np.float32), large.astype(np.int32), large.reshape((1,) * 10 + (5, 12))):
            log.append_tensor(1, 0, 0, DTYPE_NUMBERS[array.dtype.name], 0, array)
    finally:
        log.close()
    records = written(tmp_path, TENSOR_RECORD)
    held = holds_sketch(records)
    assert held.tolist() == [True, False, False, False]
    np.testing.assert_allclose(sketches_in(records["dims"][held])[0], sketch(large))


def test_no_sketch_is_recorded_otherwise(log: EventLog, tmp_path: Path) -> None:
    log.append_tensor(1, 0, 0, DTYPE_NUMBERS["float32"], 0, np.zeros(60, np.float32))
    assert not holds_sketch(written(tmp_path, TENSOR_RECORD)).any()
