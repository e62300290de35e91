from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.tensors.show import histories_of, history_of
from tensordbg.report.show import histories_text, history_text
from tensordbg.trace.reader import TraceReader
from tests.report.rendering import rendered


def test_history(sample_reader: TraceReader) -> None:
    lines = rendered(history_text(history_of(sample_reader, "Log")))
    assert lines[0] == "Log:0  Log in train"
    assert lines[1] == "/code/train.py:3  import tensorflow"
    assert lines[3].split() == ["step", "type", "min", "mean", "max", "std", "zeros", "nan", "inf"]
    assert [line.split()[0] for line in lines[4:7]] == ["0", "1", "2"]
    assert lines[-1] == "3 events"


def test_devices(sample_reader: TraceReader) -> None:
    history = history_of(sample_reader, "Log")
    points = [replace(point, device="/device:CPU:1", asked="/device:GPU:0") for point in history.points]
    lines = rendered(history_text(replace(history, points=tuple(points))))
    assert lines[2] == "computed on CPU:1, asked for GPU:0"


def test_the_variable_of_which_it_is_the_value(sample_reader: TraceReader) -> None:
    history = history_of(sample_reader, "Log")
    lines = rendered(history_text(replace(history, variables=("dense/kernel/Adam_1",))))
    assert lines[2] == "the value of dense/kernel/Adam_1"
    assert rendered(history_text(replace(history, variables=("Log",)))) == rendered(history_text(history))


def test_footer_says_what_is_left_out(sample_reader: TraceReader) -> None:
    lines = rendered(history_text(history_of(sample_reader, "Log", limit=1)))
    assert lines[-1] == "events 3 to 3 of 3; --limit 0 shows all"


def test_each_process_of_a_run(run_readers: dict[str, TraceReader]) -> None:
    lines = rendered(histories_text(histories_of(run_readers, lambda reader: history_of(reader, "Log"))))
    assert [line for line in lines if line.endswith(":")] == ["worker 0:", "worker 1:"]
    (alone,) = {name: history_of(reader, "Log") for name, reader in run_readers.items() if name == "worker 1"}.values()
    assert rendered(histories_text({"": alone})) == rendered(history_text(alone))
