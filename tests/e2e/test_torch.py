"""PyTorch programs as users have them, recorded by `tdbg run`: what is named, and what must not be."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import tensordbg
from tensordbg.analysis.names.listing import ListedTensor, Order, Selection, list_tensors
from tensordbg.analysis.program.description import read_program
from tensordbg.model import Site
from tensordbg.trace.reader import TraceReader, open_trace
from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HEAD = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\ntorch.set_num_threads(1)\n"


def run(folder: Path, text: str, *, recorded: bool = True) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(HEAD + textwrap.dedent(text))
    start = ["-m", "tensordbg", "run", "--out", str(folder / "traces")] if recorded else []
    return programs.run(
        [sys.executable, *start, str(program)], capture_output=True, check=False, text=True, timeout=500
    )


def trace_of(folder: Path, text: str) -> TraceReader:
    done = run(folder, text)
    assert done.returncode == 0, done.stderr
    (trace,) = (folder / "traces").iterdir()
    return open_trace(trace)


def line_of(text: str, words: str) -> int:
    lines = (HEAD + textwrap.dedent(text)).splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def rows_of(reader: TraceReader) -> tuple[ListedTensor, ...]:
    return list_tensors(reader, Selection(), Order(limit=0)).rows


def kinds(reader: TraceReader) -> list[str]:
    """Without the numbers of the program's text."""
    return [row.op_type for row in rows_of(reader) if row.op_type != "Number"]


def sites_of(reader: TraceReader) -> dict[int, Site]:
    return dict(read_program(reader).sites)


TRAINING = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))

        def forward(self, x):
            return torch.softmax(self.body(x) * 400, -1)

    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
    for step in range(3):
        optimizer.zero_grad()
        probs = model(x)
        loss = -torch.log(probs[torch.arange(32), y]).mean()
        loss.backward()
        optimizer.step()
        print(step, loss.item(), [float(p.double().abs().nan_to_num(7).sum()) for p in model.parameters()])
"""


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("training")
    done = run(folder, TRAINING)
    assert done.returncode == 0, done.stderr
    return done, next((folder / "traces").iterdir())


def test_the_first_bad_operation_is_named_with_the_users_line(training: tuple[object, Path]) -> None:
    origin = tensordbg.open(training[1]).why().origins[0]
    assert origin.view.tensor == "aten::log:0"
    assert origin.source is not None
    assert origin.source.line == line_of(TRAINING, "torch.log")
    assert [each.tensor for each in origin.inputs] == ["aten::index:0"]


def test_a_gradient_names_its_forward_line(training: tuple[object, Path]) -> None:
    sites = sites_of(open_trace(training[1]))
    of = {site.op_type: sites[site.gradient_of].op_type for site in sites.values() if site.gradient_of >= 0}
    assert of["aten::_softmax_backward_data"] == "aten::_softmax"
    assert of["aten::threshold_backward"] == "aten::relu"
    assert of["aten::mm"] == "aten::addmm"


def test_steps_end_with_the_optimizer(training: tuple[object, Path]) -> None:
    rows = rows_of(open_trace(training[1]))
    assert [row.step for row in rows if row.op_type == "aten::log"] == [0, 1, 2]
    assert [row.step for row in rows if row.op_type == "aten::_softmax_backward_data"] == [0, 1, 2]


def test_layers_are_the_modules(training: tuple[object, Path]) -> None:
    layers = {layer.path: layer for layer in tensordbg.open(training[1]).layers()}
    assert {"Net", "body", "body.0", "body.1", "body.2"} <= layers.keys()
    assert layers["body.0"].class_name == "Linear"
    assert layers["body.0"].outputs[0].last.tensor == "aten::addmm:0"


def test_the_numbers_are_the_same_to_the_bit(
    training: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    assert run(tmp_path, TRAINING, recorded=False).stdout == training[0].stdout


def test_writing_through_a_view_is_followed(tmp_path: Path) -> None:
    text = """
        a = torch.zeros(6)
        a[1:3].div_(0)
        b = a * 2
        print(b.sum().item())
    """
    reader = trace_of(tmp_path, text)
    origin = tensordbg.open(reader.path).why().origins[0]
    assert (origin.view.tensor, origin.source and origin.source.line) == ("aten::div_:0", line_of(text, "div_"))
    assert kinds(reader) == ["aten::zeros", "aten::div_", "aten::mul", "aten::sum"]


def test_what_nobody_has_written_is_no_trouble(tmp_path: Path) -> None:
    text = """
        with open("/dev/zero", "rb"):
            dirty = [torch.full((1000,), float("nan")) for _ in range(50)]
        del dirty
        kept = [torch.empty(1000) for _ in range(50)]
        views = [each.view(10, 100).T.contiguous() for each in kept]
        copies = [each.clone() for each in kept]
        for each in kept:
            each.fill_(1.0)
        print(torch.stack(kept).sum().item())
    """
    reader = trace_of(tmp_path, text)
    assert set(kinds(reader)) == {"aten::full", "aten::fill_", "aten::stack", "aten::sum"} or set(kinds(reader)) == {
        "aten::full", "aten::fill_", "aten::cat", "aten::sum"
    }  # fmt: skip
    assert [row.op_type for row in rows_of(reader) if row.health and row.health.nan] == ["Number", *["aten::full"] * 50]


def test_wrappers_have_no_elements_and_what_is_in_them_has(tmp_path: Path) -> None:
    text = """
        x = torch.ones(3, 3)
        torch.func.vmap(lambda row: (row * 2).log().sum())(x)
        torch.func.grad(lambda row: (row * 2).sum())(torch.ones(3))
        from torch._subclasses import FakeTensorMode
        with FakeTensorMode():
            torch.ones(3).log()
    """
    found = kinds(trace_of(tmp_path, text))
    assert found[:4] == ["aten::ones", "aten::mul", "aten::log", "aten::sum"]
    assert found.count("aten::log") == 1


def test_threads_and_workers(tmp_path: Path) -> None:
    text = """
        import threading

        def work():
            print(torch.log(torch.zeros(3)).sum().item())

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        for batch in torch.utils.data.DataLoader(torch.randn(8, 4), batch_size=4, num_workers=2):
            print((batch * 2).sum().item())
    """
    reader = trace_of(tmp_path, text)
    assert tensordbg.open(reader.path).why().origins[0].source.line == line_of(text, "torch.log")  # type: ignore[union-attr]
    # A batch comes from another process.
    assert kinds(reader)[-6:] == ["Input", "aten::mul", "aten::sum"] * 2


def test_autograd_functions_and_checkpoints(tmp_path: Path) -> None:
    text = """
        from torch.utils.checkpoint import checkpoint

        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                return gradient * 2 * x / 0

        layer = nn.Linear(4, 4)
        x = torch.randn(2, 4, requires_grad=True)
        checkpoint(lambda given: Square.apply(layer(given)), x, use_reentrant=False).sum().backward()
        print(x.grad.sum().item())
    """
    reader = trace_of(tmp_path, text)
    origin = tensordbg.open(reader.path).why().origins[0]
    assert (origin.view.tensor, origin.stack[-1].line if origin.stack else 0) == ("aten::div:0", line_of(text, "/ 0"))
    assert kinds(reader).count("aten::addmm") == 2


def test_autocast_is_told_and_layouts_without_plain_elements_are_shown(tmp_path: Path) -> None:
    text = """
        with torch.autocast("cpu", dtype=torch.bfloat16):
            nn.Linear(4, 4)(torch.ones(2, 4))
        sparse = torch.eye(4).to_sparse()
        complex_ = (torch.complex(torch.ones(3), torch.zeros(3)) * 2).conj().abs()
        eighth = torch.ones(3).to(torch.float8_e4m3fn)
        with torch.inference_mode():
            torch.ones(3).mul_(2)
    """
    reader = trace_of(tmp_path, text)
    rows = {row.op_type: row for row in rows_of(reader)}
    assert rows["aten::addmm"].dtype == "bfloat16"
    (told,) = (json.loads(site.attributes) for site in sites_of(reader).values() if site.op_type == "aten::addmm")
    assert told == {"beta": 1, "alpha": 1, "autocast": "bfloat16"}
    assert rows["aten::_to_sparse"].health is None
    assert rows["aten::complex"].dtype == "complex64"
    assert rows["aten::mul_"].health is not None
    assert rows["aten::mul_"].health.max == 2


def test_compiled_functions_are_still_compiled(tmp_path: Path) -> None:
    text = """
        from torch._dynamo.utils import counters

        torch.compile(lambda a: (a @ a).relu(), backend="eager")(torch.ones(3, 3))
        print(dict(counters["frames"]))
    """
    done = run(tmp_path, text)
    assert done.stdout == "{'total': 1, 'ok': 1}\n"


def test_what_comes_from_outside_is_where_it_begins(tmp_path: Path) -> None:
    text = """
        import numpy as np

        a = torch.tensor([1.0, float("nan")])
        b = torch.from_numpy(np.array([1.0, np.inf]))
        print((a * 2).sum().item(), (b * 2).sum().item())
    """
    reader = trace_of(tmp_path, text)
    origins = tensordbg.open(reader.path).why().origins
    assert {(each.view.tensor.partition(":")[0], each.cause) for each in origins} == {("Input", "bad_input_data")}


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--values-steps", "3..4"], {3, 4}),
        (["--values-steps", "2..", "--values-op-type", "aten::pow"], {2, 3, 4, 5}),
        (["--values-steps", "1", "--values-function", "train_step", "--every", "2"], set()),
    ],
)
def test_values_of_chosen_steps(tmp_path: Path, options: list[str], kept: set[int]) -> None:
    text = """
        net = nn.Linear(4, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.01)

        def train_step(x):
            loss = net(x).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()

        for _ in range(6):
            train_step(torch.randn(16, 4))
    """
    program = tmp_path / "program.py"
    program.write_text(HEAD + textwrap.dedent(text))
    start = [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "traces"), "--detail", "values"]
    programs.run([*start, *options, str(program)], check=True, timeout=500)
    (trace,) = (tmp_path / "traces").iterdir()
    reader = open_trace(trace)
    steps = dict(zip(*reader.table("executions", ["execution", "step"]).to_pydict().values(), strict=True))
    tensors = reader.table("tensors", ["execution", "value_position"]).to_pylist()
    assert {steps[row["execution"]] for row in tensors if row["value_position"] is not None} == kept


def test_without_a_compiler_the_same_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-compiler-here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "train.py").write_text(WITHOUT_COMPILER)
    plain = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, check=True, text=True)
    done = subprocess.run(
        [sys.executable, "-m", "tensordbg", "run", "--out", "traces", "train.py"],
        cwd=tmp_path, capture_output=True, check=True, text=True, timeout=500,
    )  # fmt: skip
    assert done.stdout == plain.stdout
    said = [line for line in done.stderr.splitlines() if line.startswith("tdbg: warning")]
    assert len(said) == 1
    assert "recorded by an observer in Python, several times slower" in said[0]
    (path,) = (tmp_path / "traces").iterdir()
    origin = tensordbg.open(path).why().origins[0]
    assert (origin.view.op_type, origin.cause) == ("aten::log", "log_of_zero")
    assert [frame.line for frame in origin.stack if frame.file.endswith("train.py")][-1] == 9


WITHOUT_COMPILER = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Softmax(1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 4) * 1000

def loss_of(x):
    return -torch.log(net(x)).mean()

compiled = torch.compile(loss_of, backend="aot_eager", fullgraph=True)
for step in range(2):
    loss = compiled(x)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
"""
