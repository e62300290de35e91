from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.backends.torch.replay.replayer import Replayer
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.errors import CaptureError, UsageError
from tensordbg.replaying.plan import ReplayPlan

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


class Squared(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return gradient * 2 * x


class Custom(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 3)

    def forward(self, x: Any) -> Any:
        return Squared.apply(self.inner(x))


class Recurrent(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(6, 8, 2, batch_first=True, dropout=0.3)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.head(self.memory(x[:, None, :].expand(-1, 4, -1))[0][:, -1])


class Attention(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(6, 16)
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.2, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.head(self.layer(self.enter(x)[:, None, :].expand(-1, 3, -1)).mean(1)).float()


def convolutional() -> Any:
    return nn.Sequential(
        nn.Unflatten(1, (1, 6)),
        nn.Conv1d(1, 4, 3),
        nn.BatchNorm1d(4),
        nn.ReLU(inplace=True),
        nn.Flatten(),
        nn.Linear(16, 3),
    )


def dense() -> Any:
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.4), nn.Linear(8, 3))


def captured(folder: Path, make: Callable[[], Any] = dense, bad: float = float("nan")) -> Capture:
    """A capture of the third step, of two calls; a label of it is bad."""
    torch.manual_seed(5)
    net = make()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    with tensordbg.trap(folder / "captures", on_bad="skip") as trap:
        for step in range(4):
            optimizer.zero_grad(set_to_none=step != 2)
            batch, labels = torch.randn(16, 6), torch.randn(16, 3)
            if step == 2:
                labels[11, 1] = bad
            for x, wanted in zip(batch.chunk(2), labels.chunk(2), strict=True):
                functional.mse_loss(net(x), wanted).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
    return open_capture(trap.captures[0])


def outcome(capture: Capture, **options: Any) -> tuple[Outcome, Replayer]:
    replayer = Replayer(capture, ReplayPlan(str(capture.path), **options))
    return compare(capture.header.trouble, replayer.run(replayer.arguments)), replayer


@pytest.mark.parametrize("make", [dense, convolutional, Recurrent, Attention, Custom])
def test_a_step_comes_out_the_same_to_the_bit_each_time(tmp_path: Path, make: Callable[[], Any]) -> None:
    capture = captured(tmp_path, make)
    said, replayer = outcome(capture)
    assert said is Outcome.SAME
    assert compare(capture.header.trouble, replayer.run(replayer.arguments)) is Outcome.SAME
    assert any(reading.role == "gradient" and reading.bad for reading in replayer.run(replayer.arguments))
    assert {name.partition(".")[0] for name in replayer.arguments} == {"call0", "call1", "labels"}


def test_where_tensors_are_made_on_another_device_by_default(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with tensordbg.trap(tmp_path, on_bad="skip") as trap:
        x = torch.randn(4, 6)
        x[2] = torch.nan
        net(x).square().mean().backward()
        with torch.device("meta"):  # as `torch.set_default_device` has it
            optimizer.step()
    with torch.device("meta"):
        said, replayer = outcome(open_capture(trap.captures[0]))
        assert said is Outcome.SAME
        assert set(replayer.ruined()) == {"weight", "bias"}


def test_an_input_that_is_changed_may_make_it_clean(tmp_path: Path) -> None:
    capture = captured(tmp_path)
    named = {name: array for name, array in outcome(capture)[1].arguments.items() if not np.isfinite(array).all()}
    said, replayer = outcome(capture, changes=tuple(f"set {name}=0.5" for name in named))
    assert said is Outcome.CLEAN
    assert replayer.ruined() == ()
    assert replayer.moved() is not None
    assert outcome(capture)[1].moved() is None
    assert "0.weight" in outcome(capture)[1].ruined()


def test_what_came_from_outside_of_the_step_bears_its_name(tmp_path: Path) -> None:
    _, replayer = outcome(captured(tmp_path))
    with tensordbg.record(tmp_path / "traces"):
        replayer.run(replayer.arguments)
    (trace,) = (tmp_path / "traces").iterdir()
    assert [origin.view.tensor for origin in tensordbg.open(trace).why().origins] == ["labels:0"]


def test_what_an_operation_gives_can_be_changed_and_gradients_clipped(tmp_path: Path) -> None:
    capture = captured(tmp_path, Custom, bad=1e30)
    said, replayer = outcome(capture, changes=("clip 0.5", "set aten::mse_loss_backward=0"))
    assert said is not Outcome.SAME
    norms = [each.norm for each in replayer.run(replayer.arguments) if each.role == "gradient"]
    assert norms == [0.0, 0.0]
    with pytest.raises(UsageError, match=r"operation 'inner\.wieght'; did you mean 'inner\.weight'"):
        outcome(capture, changes=("set inner.wieght=0",))
    with pytest.raises(UsageError, match=r"is computed, so its rows can't be set"):
        outcome(capture, changes=("set aten::mse_loss_backward[1]=0",))


def test_more_precision_takes_an_overflow_away(tmp_path: Path) -> None:
    capture = captured(tmp_path, dense, bad=1e25)
    assert outcome(capture)[0] is Outcome.SAME
    said, replayer = outcome(capture, precision="float64")
    assert said is Outcome.CLEAN
    assert replayer.notes == ("not computed in float64, as there is no such form of it: aten::bernoulli_",)


def test_a_batch_of_another_size_is_refused(tmp_path: Path) -> None:
    _, replayer = outcome(captured(tmp_path))
    given = {name: array[:3] for name, array in replayer.arguments.items()}
    with pytest.raises(CaptureError, match=r"the step takes .* in the shape \[\d+, [36]\] only"):
        replayer.run(given)


def damaged(capture: Capture, change: Callable[[Any], None]) -> None:
    file = capture.path / "graph.json"
    graph = json.loads(file.read_text())
    change(graph)
    file.write_text(json.dumps(graph))


def test_what_may_do_more_than_compute_is_refused_before_anything_runs(tmp_path: Path) -> None:
    capture = captured(tmp_path)

    def reads(graph: Any) -> None:
        graph["operations"][3] |= {"name": "aten::from_file", "arguments": [{"value": "/etc/passwd"}]}

    damaged(capture, reads)
    with pytest.raises(CaptureError, match="would run aten::from_file, of which it is not known"):
        outcome(capture)


def test_a_tensor_that_lies_outside_of_its_memory_is_refused(tmp_path: Path) -> None:
    capture = captured(tmp_path)

    def reaches_far(graph: Any) -> None:
        for each in graph["outside"]:
            for piece in each.get("pieces", ()):
                piece["at"][2] = 10**9

    damaged(capture, reaches_far)
    with pytest.raises(CaptureError, match="does not lie in its memory"):
        outcome(capture)


def test_a_step_that_could_not_be_noted_says_why(tmp_path: Path) -> None:
    capture = captured(tmp_path)
    (capture.path / "graph.json").write_text('{"trouble": "it has too many operations"}')
    with pytest.raises(CaptureError, match="can't be run again: it has too many operations; show it with"):
        outcome(capture)


def test_gradients_by_sample_clipped_and_with_noise(tmp_path: Path) -> None:
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def loss_of(params: Any, x: Any, y: Any) -> Any:
        out = torch.func.functional_call(net, params, (x[None],))
        return functional.cross_entropy(out, y[None]) * (x.abs().sum() > 0)

    by_sample = torch.func.vmap(torch.func.grad(loss_of), in_dims=(None, 0, 0))
    with tensordbg.trap(tmp_path / "captures", on_bad="skip") as trap:
        for step in range(3):
            x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))
            x[3] *= step != 1
            grads = by_sample({name: each.detach() for name, each in net.named_parameters()}, x, y)
            norms = torch.stack([each.flatten(1).norm(dim=1) for each in grads.values()]).norm(dim=0)
            for name, parameter in net.named_parameters():
                clipped = torch.einsum("b,b...->...", 1.0 / norms, grads[name])
                parameter.grad = (clipped + 0.1 * torch.randn_like(clipped)) / 6
            optimizer.step()
    (path,) = trap.captures
    capture = open_capture(path)
    said, replayer = outcome(capture)
    assert said is Outcome.SAME
    given = {name: array for name, array in replayer.arguments.items() if array.shape[:1] == (6,)}
    assert any(not array[3].any() for array in given.values())


def test_parameters_that_were_bad_before_the_step_are_one_trouble(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    for each in net.parameters():
        each.data.fill_(float("nan"))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with tensordbg.trap(tmp_path / "captures", on_bad="skip") as trap:
        net(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    _, replayer = outcome(open_capture(trap.captures[0]))
    with tensordbg.record(tmp_path / "traces"):
        replayer.run(replayer.arguments)
    (trace,) = (tmp_path / "traces").iterdir()
    assert [(each.cause, each.occurrences) for each in tensordbg.open(trace).why().origins] == [("bad_variable", 4)]


def test_a_gradient_by_torch_func_leads_to_what_it_differentiates(tmp_path: Path) -> None:
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def size(x: Any) -> Any:
        return torch.sqrt((x * 0).sum())  # HERE

    with tensordbg.trap(tmp_path / "captures", on_bad="skip") as trap:
        (net(torch.ones(1, 2)).sum() * torch.func.grad(size)(torch.ones(2)).sum()).backward()
        optimizer.step()
    _, replayer = outcome(open_capture(trap.captures[0]))
    with tensordbg.record(tmp_path / "traces"):
        replayer.run(replayer.arguments)
    (trace,) = (tmp_path / "traces").iterdir()
    origin = tensordbg.open(trace).why().origins[0]
    assert origin.place is not None
    assert (origin.place.text.endswith("# HERE"), origin.cause) == (True, "infinite_gradient")
