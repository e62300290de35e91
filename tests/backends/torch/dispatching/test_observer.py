from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.analysis.program.description import read_program
from tensordbg.trace.reader import TraceReader, open_trace

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)
nn = torch.nn


def training() -> Any:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    x = torch.randn(5, 4)
    for power in range(3):
        optimizer.zero_grad()
        loss = -torch.log(torch.softmax(model(x * 10**power), 1)[:, 0]).mean()
        loss.backward()
        optimizer.step()
    return loss.item(), model[0].weight.tolist()


def writing() -> Any:
    out = torch.empty(3)
    torch.div(torch.ones(3), torch.zeros(3), out=out)
    out[1:].add_(1)
    base = torch.zeros(2, 3)
    base.t()[0] = float("nan")
    return out.tolist(), str(base * 2)


def recorded(program: Callable[[], Any], folder: Path) -> tuple[str, TraceReader]:
    torch.manual_seed(0)
    with tensordbg.record(folder) as recording:
        result = str(program())
    return result, open_trace(recording.path)


def events(reader: TraceReader) -> Counter[tuple[Any, ...]]:
    rows = list_tensors(reader, Selection(), Order(limit=0)).rows
    return Counter((row.op_type, row.shape, str(row.health)) for row in rows)


@pytest.mark.parametrize("program", [training, writing])
def test_both_observers_see_the_same(
    program: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(0)
    plain = str(program())
    compiled, first = recorded(program, tmp_path / "compiled")
    monkeypatch.setenv("CXX", "no-compiler-here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    capsys.readouterr()
    result, second = recorded(program, tmp_path / "python")
    assert compiled == result == plain
    assert events(first) == events(second)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tdbg: warning: PyTorch is recorded by an observer in Python, several times slower, ")
    assert "CXX=no-compiler-here is no command" in line
    assert line.endswith("`tdbg build torch` tries again")


def test_gradients_know_their_forward_operation_and_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-compiler-here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _, reader = recorded(training, tmp_path / "python")
    program = read_program(reader)
    backward = [site for site in program.sites.values() if site.op_type == "aten::_softmax_backward_data"]
    assert {program.sites[site.gradient_of].op_type for site in backward} == {"aten::_softmax"}
    assert any('"path": "0"' in site.layer for site in program.sites.values() if site.op_type == "aten::addmm")
    trained = [variable for variable in program.variables.values() if variable.trainable]
    assert {each.name for each in trained} == {"0.weight", "0.bias", "2.weight", "2.bias"}
