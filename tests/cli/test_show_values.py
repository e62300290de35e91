"""`tdbg show --values` over a trace whose values were kept."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.cli.conftest import Invoke
from tests.trace.builder import Tensor, TraceBuilder, kept, small_program


def value(step: int) -> np.ndarray:
    return np.array([[-np.inf, -1.0, step], [0.0, 1 / 3, np.nan]], np.float32)


@pytest.fixture
def trace(sample: Path) -> str:
    """Three steps of `Log`, and an eager `Add` of another shape in each; beside the sample."""
    build = TraceBuilder(sample.parent.parent / "kept")
    build.describe(small_program())
    for step in range(3):
        call = build.begin(5, 0, step)
        build.graph_tensor(50 + step, 1, kept(value(step)))
        build.graph_tensor(50 + step, 4, kept(np.arange(2000).astype(ml_dtypes.bfloat16)))
        build.end(call)
        build.eager_tensor(build.begin(6, step=step), 6, kept(np.zeros((step, 2))))
    build.finish()
    return "kept"


def test_all_that_was_kept(invoke: Invoke, trace: str) -> None:
    said = invoke("show", trace, "Log:0", "--values")
    assert said.out.splitlines() == [
        line
        for step in range(3)
        for line in (f"step {step}  Log:0  float32[2, 3]", *np.array2string(value(step)).splitlines())
    ]


def test_one_step_and_a_slice_with_a_precision(invoke: Invoke, trace: str) -> None:
    said = invoke("show", trace, "Log", "--values", "--step", "2", "--slice", "[-1, ::-1]", "--precision", "2")
    assert said.out.splitlines() == ["step 2  Log:0  float32[2, 3]", "[ nan 0.33 0.  ]"]


def test_ranges_are_counted_without_colours_in_a_pipe(invoke: Invoke, trace: str) -> None:
    said = invoke("show", trace, "Log", "--values", "--step", "0", "--range", "[-inf, 0]", "--range", "nan")
    assert said.out.splitlines()[1] == "5 of 6 elements in [-inf, 0] or nan"
    assert "\x1b" not in said.out


def test_all_elements(invoke: Invoke, trace: str) -> None:
    words = ("show", trace, "mul", "--values", "--step", "0")
    assert "..." in invoke(*words).out
    assert "..." not in invoke(*words, "--all").out


def test_limit(invoke: Invoke, trace: str) -> None:
    lines = invoke("show", trace, "Add", "--values", "--limit", "1").out.splitlines()
    assert lines[0] == "step 2  Add:0  float64[2, 2]"
    assert lines[-1] == "events 3 to 3 of 3; --limit 0 shows all"
    invoke("show", trace, "Log", "--values", "--limit", "1", "--write", "all.npy")
    assert np.load("all.npy").shape == (3, 2, 3)


def test_the_limit_is_for_what_was_kept(invoke: Invoke, sample: Path) -> None:
    build = TraceBuilder(sample.parent.parent / "partly")
    build.describe(small_program())
    for step in range(5):
        call = build.begin(5, 0, step)
        build.graph_tensor(50 + step, 1, kept(value(step)) if step in {0, 1} else Tensor())
        build.end(call)
    build.finish()
    lines = invoke("show", "partly", "Log", "--values", "--limit", "1", "--precision", "1").out.splitlines()
    assert lines[0] == "step 0  Log:0  float32[2, 3]"
    assert lines[-1] == "events 1 to 1 of 2; --limit 0 shows all; of 5 events 2 were kept"


def test_files(invoke: Invoke, trace: str) -> None:
    said = invoke("show", trace, "Log", "--values", "--write", "all.npy")
    assert said.out == "all.npy  float32[3, 2, 3]\n"
    assert np.load("all.npy").tobytes() == np.stack([value(step) for step in range(3)]).tobytes()
    invoke("show", trace, "Log", "--values", "--step", "1", "--slice", "0", "--write", "one.npy")
    assert np.load("one.npy").tobytes() == value(1)[0].tobytes()
    said = invoke("show", trace, "mul", "--values", "--step", "1", "--write", "half.npy")
    assert said.out == "half.npy  float32[2000]\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["Log", "--values", "--write", "taken"],
            "taken: is there already, and nothing is overwritten; choose another",
        ),
        (
            ["Log", "--values", "--write", "no/x.npy"],
            "no/x.npy: can't be written (No such file or directory); choose an",
        ),
        (
            ["Add", "--values", "--write", "x.npy"],
            "the 3 events differ in shape or dtype and make no one array; choose",
        ),
        (["Log", "--values", "--slice", "[5]"], "no such slice of a tensor of shape [2, 3]: index 5 is out of bounds"),
        (["Log", "--values", "--slice", "x"], "'x' in the slice 'x' is no part of one; write numbers"),
        (["Log", "--values", "--range", "[1, 0]"], "'[1, 0]' is no range; write the smaller end first"),
        (["Log", "--values", "--step", "7"], "no event of 'Log:0' there; it has steps 0 to 2"),
        (["Log", "--values", "--json"], "elements are not printed as JSON; leave --json out"),
        (["Log", "--slice", "0"], "--slice is for --values; give that too"),
        (["Log", "--precision", "0"], "--precision is for --values; give that too"),
        (["Log", "--all"], "--all is for --values; give that too"),
        (["Log", "--values", "--step", "x"], "invalid value for '--step': 'x' is neither a step such as 3 nor a range"),
    ],
)
def test_mistakes(invoke: Invoke, trace: str, words: list[str], line: str) -> None:
    Path("taken").touch()
    before = sorted(path.name for path in Path().iterdir())
    said = invoke("show", trace, *words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"tdbg: error: {line}")
    assert said.err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == before


def test_a_trace_without_values(invoke: Invoke) -> None:
    said = invoke("show", "Log:0", "--values")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: the elements of 'Log:0' were not kept: the trace has detail 'health', which keeps "
        "those of the first bad tensors alone; record with --detail values\n"
    )


def test_damaged_files(invoke: Invoke, trace: str) -> None:
    file = Path(trace) / "values" / "000000.bin"
    file.write_bytes(file.read_bytes()[:20])
    said = invoke("show", trace, "Log", "--values")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: kept/values/000000.bin: can't be read (it ends before 24); restore the file from a copy, or "
        "record again\n"
    )
