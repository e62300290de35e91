"""Measures tensors by the kernel for GPUs, which runs on the processor here, beside a CUDA driver that is none.

The kernel's source, the ring of results and their order are those of a GPU; `fake_cuda/driver.cpp` says what is not.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensordbg.trace.reader import TraceReader, open_trace

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HERE = Path(__file__).parent
FAKE = HERE / "fake_cuda" / "driver.cpp"
OBSERVER = HERE.parents[1] / "src" / "tensordbg" / "backends" / "torch" / "observer"

PROGRAM = """
import ctypes, sys
ctypes.CDLL(sys.argv[1])
import torch, tensordbg
from tensordbg.backends.torch import recording as torch_recording

torch.set_num_threads(1)
NAN, INF = float("nan"), float("inf")

def every_kind():
    torch.manual_seed(0)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128):
        for size in (1, 3, 17, 1000, 70_001, *([400_000] if dtype is torch.bfloat16 else [])):
            made = torch.randn(size, dtype=dtype) * 3
            spoilt = made.clone()
            if size > 3:
                spoilt[size // 2] = NAN
                spoilt[size - 1] = INF
                spoilt[3] = 0
                spoilt[2] = -INF
                if not dtype.is_complex:
                    spoilt[1] = torch.finfo(dtype).tiny / 4
                    spoilt[0] = -0.0
            spoilt + 0
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool):
        for size in (1, 5, 70_001):
            torch.randint(0, 2, (size,), dtype=dtype) * (torch.arange(size) % 3).to(dtype)
    torch.full((3,), -7, dtype=torch.int64) + torch.iinfo(torch.int64).max // 2
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        torch.tensor([0.0, -2.0, 0.002, 300.0, NAN, -0.0] * 30).to(dtype)
    (torch.full((4,), 1e308, dtype=torch.float64) * torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64))
    torch.full((4,), NAN) * 2
    torch.zeros(0, 3) + 1
    torch.tensor(2.5) * 2

def layouts():
    plain = torch.arange(2 * 3 * 40 * 50, dtype=torch.float32).reshape(2, 3, 40, 50) + 1
    plain[1, 2, 0, 3] = 0
    torch.log(plain)
    torch.log(plain.to(memory_format=torch.channels_last))
    torch.log(plain.transpose(1, 3).contiguous().transpose(1, 3))
    small = torch.tensor([[1.0, 2.0], [0.0, 4.0]]).t()
    torch.log(small)
    torch.log(torch.empty_strided((3, 4), (8, 1)).copy_(torch.arange(12.0).reshape(3, 4)))

def reading():
    loss = torch.log(torch.tensor([0.0, 1.0])).sum()
    kept = loss * 2
    print(float(loss))
    return kept

def lists():
    torch.manual_seed(0)
    sizes = [1, 17, 300, 70_001, 40, *[1, 17, 300, 4_099, 40] * 9]
    parameters = [torch.randn(size, requires_grad=True) for size in sizes]
    halves = [torch.randn(8, 4, dtype=torch.float16).t().requires_grad_() for _ in range(3)]
    optimizer = torch.optim.Adam(parameters + halves, 0.1, foreach=True)
    for step in range(2):
        optimizer.zero_grad()
        sum((each.float() ** 2).sum() for each in parameters + halves).backward()
        parameters[3].grad[5] = NAN
        optimizer.step()

def many():
    x = torch.ones(3)
    for _ in range(3000):
        x = x * 1.0001
    return x

def forward_and_backward():
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    for step in range(3):
        optimizer.zero_grad()
        loss = torch.sqrt(layer(torch.ones(2, 3)) * 0).sum()
        loss.backward()
        optimizer.step()

program = globals()[sys.argv[2]]
with tensordbg.record(sys.argv[3] + "/plain") as plain:
    first = program()
with tensordbg.record(sys.argv[3] + "/there") as there:
    assert torch_recording._installed._observer.measure_on_gpu((b"",), "cpu")
    second = program()
"""


FAILING = """
import ctypes, sys
ctypes.CDLL(sys.argv[1])
import torch
from tensordbg.backends.torch import recording as torch_recording

assert torch_recording._installed._observer.measure_on_gpu((b"",), "cpu")
table = torch.nn.Embedding(10, 4)
places = torch.tensor([1, 2, 3])
found = table(places)
doubled = found * 2
raise RuntimeError("CUDA error: device-side assert triggered\\nCUDA may tell of it late")
"""


@pytest.fixture(scope="module")
def cuda_driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, which a process loads before anybody asks for CUDA's."""
    built = tmp_path_factory.mktemp("driver") / "libcuda.so.1"
    command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-Wl,-soname,libcuda.so.1", "-I", str(OBSERVER)]
    subprocess.run([*command, str(FAKE), "-o", str(built)], check=True)
    return built


def recorded(cuda_driver: Path, folder: Path, program: str, **settings: str) -> tuple[Path, Path]:
    script = folder / "program.py"
    script.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(script), str(cuda_driver), program, str(folder)],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "plain", folder / "there"


def measured(reader: TraceReader) -> list[dict[str, Any]]:
    """Each tensor, in the order of the program."""
    rows: list[dict[str, Any]] = reader.tensors(0, reader.tensor_count).to_pylist()
    return sorted(rows, key=lambda row: (row["execution"], row["slot"]))


def equal(one: Any, other: Any) -> bool:
    if not isinstance(one, float) or not isinstance(other, float):
        return bool(one == other)
    # The order in which numbers are added is another.
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-9) or (math.isnan(one) and math.isnan(other))


def differences(plain: TraceReader, there: TraceReader) -> list[str]:
    left_out = {"event", "time_ns", "thread", "site", "execution", "sequence", "value_position"}
    one, other = measured(plain), measured(there)
    assert len(one) == len(other) > 0
    return [
        f"{plain.sites()[a['site']].op_type} {a['dtype']} {a['shape']} {name}: {a[name]} {b[name]}"
        for a, b in zip(one, other, strict=True)
        for name in a
        if name not in left_out and not equal(a[name], b[name]) and not is_rounded(name, a, b)
    ]


def is_rounded(name: str, one: Any, other: Any) -> bool:
    """Whether sums differ as they may: a processor adds up large tensors in single precision first."""
    if one["dtype"] not in {"float32", "bfloat16", "float16"} or one["size"] <= 4096:
        return False
    largest = {"sum": math.sqrt(one["size"] * one["sum_squares"]), "sum_squares": one["sum_squares"]}
    return name in largest and abs(one[name] - other[name]) <= 2.0**-21 * largest[name]


def read_and_held(reader: TraceReader) -> tuple[Any, Any]:
    """What the program read of bad numbers, and what is still there of them."""
    assert reader.facts.reads is not None
    return [each[:2] for each in reader.facts.reads.values], reader.facts.reads.held


@pytest.mark.parametrize(
    ("program", "behind"),
    [
        ("every_kind", "7"),
        ("layouts", "0"),
        ("lists", "5000"),
        ("many", "5000"),
        ("reading", "0"),
        ("forward_and_backward", "3"),
    ],
)
def test_what_is_measured_there_is_what_is_measured_here(
    cuda_driver: Path, tmp_path: Path, program: str, behind: str
) -> None:
    plain, there = recorded(cuda_driver, tmp_path, program, FAKE_CUDA_BEHIND=behind)
    one, other = open_trace(plain), open_trace(there)
    assert differences(one, other) == []
    assert read_and_held(one) == read_and_held(other)


def test_a_line_says_that_what_is_captured_into_a_cuda_graph_is_not_seen(cuda_driver: Path, tmp_path: Path) -> None:
    plain, there = recorded(cuda_driver, tmp_path, "reading", FAKE_CUDA_CAPTURES="1")
    told = [[each for each in open_trace(trace).facts.warnings if "CUDA graph" in each] for trace in (plain, there)]
    assert [len(each) for each in told] == [0, 1]


def test_a_gpu_that_fails_leaves_shapes_and_the_operation_it_failed_at(cuda_driver: Path, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(FAILING)
    for fails_at, named in (("4", "aten::embedding, program.py:10"), ("5", "aten::mul, program.py:11")):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tensordbg",
                "run",
                "--out",
                str(tmp_path / fails_at),
                str(script),
                str(cuda_driver),
            ],
            env=os.environ | {"FAKE_CUDA_FAILS_AT": fails_at},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert f"raised RuntimeError in {named}: CUDA error: device-side assert triggered" in done.stderr
    reader = open_trace(next((tmp_path / "4").iterdir()))
    assert [row["nan"] for row in measured(reader) if row["shape"] == "[3, 4]"] == [None, None], "not measured"


CHECKED = """
import ctypes, sys
ctypes.CDLL(sys.argv[1])
import torch
from tensordbg.backends.torch.check import checking

assert checking._checking._checker.measure_on_gpu((b"",), "cpu")
x = torch.tensor([[1.0, 0.0, 2.0]])
masked = torch.softmax(x.masked_fill(x == 0, -float("inf")), -1)
print(masked.sum().item())
y = torch.log(x.t())
print("not reached")
"""


def test_a_check_waits_for_each_result_and_raises_at_the_operation(cuda_driver: Path, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(CHECKED)
    command = [sys.executable, "-m", "tensordbg", "run", "--check", str(script), str(cuda_driver)]
    done = subprocess.run(
        command, env=os.environ | {"FAKE_CUDA_BEHIND": "9"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == "1.0\n"
    assert "program.py (L11) <module>: y = torch.log(x.t())" in done.stderr
    assert "# of -Inf elements: 1" in done.stderr
