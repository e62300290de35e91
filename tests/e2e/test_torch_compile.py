"""Programs that compile with `torch.compile`: what a kernel computes is named, and nothing of the program changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.analysis.graphs.functions import list_functions
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.trace.reader import TraceReader, open_trace
from tests.e2e.test_torch import line_of, run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

LOSS = """
    @torch.compile
    def loss_of(x, w):
        h = torch.relu(x @ w)
        p = h / h.sum(-1, keepdim=True)
        return (torch.log(p) * 2).mean()

    x, w = torch.randn(4, 8), torch.randn(8, 8, requires_grad=True)
    loss = loss_of(x, w)
    loss.backward()
    print(loss.item(), w.grad.isnan().sum().item())
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loss")
    done = run(folder, LOSS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "-inf"
    (trace,) = (folder / "traces").iterdir()
    return trace


@pytest.fixture(scope="module")
def reader(recorded: Path) -> TraceReader:
    return open_trace(recorded)


def test_the_operation_inside_of_a_fused_kernel_is_named(recorded: Path) -> None:
    found = tensordbg.why(recorded)
    origin, *later = found.origins
    assert (origin.view.op_type, origin.verdict.cause) == ("aten::log", "log_of_zero")
    assert origin.source is not None
    assert origin.source.line == line_of(LOSS, "torch.log")
    assert any("inside a fused kernel of compiled code; its operations were run again" in each for each in found.notes)
    assert all(each.gradient_of is not None for each in later), "what its gradient computes, in kernels of its own"


def test_a_compiled_graph_is_a_function(reader: TraceReader) -> None:
    forward, backward = list_functions(reader)
    assert forward.definition is not None
    assert (forward.name, forward.definition.line) == ("loss_of", line_of(LOSS, "@torch.compile"))
    assert [each.text for each in forward.traces[0].parameters] == ["float32[4, 8]", "float32[8, 8]"]
    assert backward.calls == forward.calls == 1


def test_nothing_of_the_compiler_itself_is_recorded(reader: TraceReader) -> None:
    rows = list_tensors(reader, Selection(), Order(limit=0)).rows
    assert not [row.tensor for row in rows if row.tensor.startswith(("Input", "aten::zeros", "aten::clone"))]


TRAINING = """
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Dropout(0.3), nn.Linear(16, 4))
    compiled = torch.compile(model, fullgraph=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    x, y = torch.randn(32, 8), torch.randint(0, 4, (32,))
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(compiled(x), y)
        loss.backward()
        optimizer.step()
    print(loss.item().hex(), *(value.double().sum().item().hex() for value in model.state_dict().values()))
"""


def test_a_training_is_the_same_to_the_bit(tmp_path: Path) -> None:
    plain = run(tmp_path, TRAINING, recorded=False)
    recorded = run(tmp_path, TRAINING)
    assert (plain.returncode, recorded.returncode) == (0, 0), recorded.stderr
    assert recorded.stdout == plain.stdout
    assert "Warning" not in recorded.stderr
    (folder,) = (tmp_path / "traces").iterdir()
    found = tensordbg.why(folder)
    assert found.non_finite_events == 0
    forward, _ = list_functions(open_trace(folder))
    assert (forward.calls, len(forward.traces)) == (3, 1)


SPLIT = """
    def loss_of(x):
        y = x * 2
        print("here")
        return torch.log(y - 2).sum()

    for backend in ("eager", "aot_eager"):
        torch._dynamo.reset()
        loss = torch.compile(loss_of, backend=backend)(torch.ones(4, requires_grad=True))
        loss.backward()
    print(loss.item())
"""


def test_backends_without_kernels_show_the_lines_of_the_program(tmp_path: Path) -> None:
    done = run(tmp_path, SPLIT)
    assert done.stdout.split() == ["here", "here", "-inf"]
    (folder,) = (tmp_path / "traces").iterdir()
    found = tensordbg.why(folder)
    lines = {origin.source.line for origin in found.origins if origin.source is not None}
    assert found.origins[0].view.op_type == "aten::log"
    assert lines == {line_of(SPLIT, "torch.log")}


REST = """
    def loss_of(x):
        y = x * 2
        print("here")
        return torch.log(y - 2).sum()

    compiled = torch.compile(loss_of, dynamic=False)
    for size in range(2, 9):
        compiled(torch.ones(size))
"""


def test_a_split_function_and_what_is_compiled_again_and_again_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, REST)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "traces").iterdir()
    found = tensordbg.why(folder)
    (origin,) = found.origins
    line = line_of(REST, "print")
    assert (origin.view.function, origin.cause) == (f"loss_of_from_line_{line}", "log_of_zero")
    assert any(f"torch.compile has split loss_of at line {line}: " in note for note in found.notes)
    (alert, *_) = (each for each in found.alerts if each.function == "loss_of")
    assert "was traced 7 times in 7 calls, because its argument x changed its shape" in alert.explanation
    assert "compile with `dynamic=True`" in alert.suggestion
    (split,) = (each for each in found.alerts if each.kind == "splitting")
    assert split.source is not None
    assert (split.source.line, split.function, split.evidence["calls"]) == (line, "loss_of", 7)
    assert "take the call out of what is compiled" in split.suggestion


SPLIT_TWICE = """
    def scale_of(h):
        return 1 + h.abs().max().item()

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Linear(4, 4)

        def forward(self, x):
            h = torch.tanh(self.body(x))
            h = h / scale_of(h)
            y = h * 3
            if y.sum() > 100:
                y = y - 1
            return torch.exp(y).mean()

    net = Net()
    compiled = torch.compile(net)
    for step in range(8):
        loss = compiled(torch.ones(5, 4) * step)
        loss.backward()
    print(loss.item())
"""


def test_each_split_has_its_own_line_in_what_is_called_and_its_own_reason(tmp_path: Path) -> None:
    done = run(tmp_path, SPLIT_TWICE)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "traces").iterdir()
    alerts = [each for each in tensordbg.why(folder).alerts if each.kind == "splitting"]
    told = {each.source.line: (each.function, each.suggestion) for each in alerts if each.source is not None}
    assert told.keys() == {line_of(SPLIT_TWICE, ".item()"), line_of(SPLIT_TWICE, "y.sum() > 100")}
    (item, decision) = (told[line] for line in sorted(told))
    assert item[0] == "scale_of"
    assert "capture_scalar_outputs" in item[1]
    assert decision[0] == "forward"
    assert "torch.cond" in decision[1]


BACKWARD = """
    @torch.compile
    def loss_of(x, w):
        h = x @ w
        return (torch.sqrt(h.abs()) * torch.sigmoid(h)).sum()

    x, w = torch.randn(16, 8), torch.randn(8, 8, requires_grad=True)
    x[3] = 0
    loss_of(x, w).backward()
    print(w.grad.isnan().sum().item(), w.grad.nansum().item().hex())
"""


def test_what_a_kernel_of_a_backward_pass_was_given_is_still_there_to_run_it_again(tmp_path: Path) -> None:
    plain = run(tmp_path, BACKWARD, recorded=False)
    recorded = run(tmp_path, BACKWARD)
    assert (plain.returncode, recorded.returncode) == (0, 0), recorded.stderr
    assert recorded.stdout == plain.stdout
    (folder,) = (tmp_path / "traces").iterdir()
    found = tensordbg.why(folder)
    origin = found.origins[0]
    assert (origin.view.op_type, origin.cause) == ("aten::div", "infinite_gradient")
    assert origin.source is not None
    assert origin.source.line == line_of(BACKWARD, "torch.sqrt")
    assert not [note for note in found.notes if "could not be run again" in note]


EAGERLY = """
    def loss_of(x):
        y = x * 2
        return torch.sqrt(y - 2).sum()

    loss = torch.compile(loss_of, backend="aot_eager")(torch.ones(4, requires_grad=True))
    loss.backward()
"""


def test_a_gradient_of_aot_eager_knows_the_operation_that_it_is_the_gradient_of(tmp_path: Path) -> None:
    done = run(tmp_path, EAGERLY)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "traces").iterdir()
    (origin,) = tensordbg.why(folder).origins
    assert (origin.view.op_type, origin.cause) == ("aten::div", "infinite_gradient")
    assert origin.gradient_of is not None
    assert origin.gradient_of.tensor == "aten::sqrt:0"


KEPT = """
    layer = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

    @torch.compile
    def loss_of(x):
        return torch.relu(layer(x)).pow(2).sum()

    for step in range(3):
        x = torch.randn(3, 4)
        if step == 1:
            x[1] = x[1] / x[1].sum().clamp(0, 0)
        optimizer.zero_grad()
        loss_of(x).backward()
        optimizer.step()
"""


def test_what_is_kept_for_a_gradient_decides_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, KEPT)
    assert done.returncode == 0, done.stderr
    (origin,) = tensordbg.why(tmp_path / "traces").origins
    assert origin.verdict.cause == "division_by_zero"
    assert not origin.decided


PIECES = """
    @torch.compile
    def filled(x, i):
        degree = torch.zeros(5).scatter_add_(0, i, x)
        return degree.pow(-0.5)

    @torch.compile
    def dropped(x):
        return torch.nn.functional.dropout(torch.atanh(torch.tanh(x)), 0.1) + 1

    @torch.compile
    def chosen(x):
        return torch.cond(x.sum() > 0, lambda a: torch.log(a), lambda a: a * 2, (x,))

    print(filled(torch.ones(6), torch.tensor([0, 1, 2, 4, 1, 2])).isinf().sum().item())
    print(dropped(torch.tensor([1.0, 50.0, 60.0, 70.0])).isfinite().all().item())
    print(chosen(torch.tensor([3.0, -1.0])).isnan().sum().item())
"""


def test_what_several_kernels_fill_and_what_stands_before_chance_and_what_a_branch_gives(tmp_path: Path) -> None:
    done = run(tmp_path, PIECES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "False", "1"]
    filled, dropped, chosen = tensordbg.why(tmp_path / "traces").origins
    assert (filled.view.op_type, filled.source and filled.source.line) == ("aten::pow", line_of(PIECES, "pow(-0.5)"))
    assert "1 of its 5 elements is 0" in filled.verdict.explanation
    assert dropped.view.op_type == "aten::atanh"
    assert (chosen.view.op_type, chosen.source and chosen.source.line) == ("cond", line_of(PIECES, "torch.cond"))
    assert "which operation in its branch or loop began is not seen" in chosen.explanation
    assert "TORCHDYNAMO_DISABLE=1" in chosen.suggestion
