"""Steps of compiled models are replayed operation by operation, and give what the compiled code gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.backends.torch.captured.graph import read_graph
from tensordbg.backends.torch.replay.replayer import Replayer
from tensordbg.backends.torch.trap.compiled_calls import CompiledGraph
from tensordbg.backends.torch.trap.graph_files import number_of_dtype
from tensordbg.backends.torch.trap.step_log import Noted
from tensordbg.backends.torch.trap.taken_apart import COMPILED, taken_apart
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.replaying.plan import ReplayPlan

torch = pytest.importorskip("torch")
checkpoint = pytest.importorskip("torch.utils.checkpoint").checkpoint
nn, functional = torch.nn, torch.nn.functional
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")


class Convolutional(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        images = x[:, :, None, None].expand(-1, 3, 5, 5) * torch.arange(5.0)
        return self.head(functional.relu(self.norm(self.convolution(images))).mean((2, 3)))


class Split(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        hidden = torch.tanh(self.first(x))
        if hidden.sum() > 1e9:  # Dynamo splits the function here
            hidden = hidden * 2
        return self.second(hidden)


class Attending(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.into, self.norm, self.out = nn.Linear(1, 12), nn.LayerNorm(4), nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        query, key, value = self.into(x[..., None]).chunk(3, -1)
        return self.out(self.norm(functional.scaled_dot_product_attention(query, key, value, is_causal=True)))[..., 0]


class Checkpointed(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.block, self.head = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Tanh()), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.head(checkpoint(self.block, x, use_reentrant=False))


def dropping() -> Any:
    return nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 3))


def captured(folder: Path, net: Any, sizes: tuple[int, ...] = (6, 6), **options: Any) -> tuple[Capture, dict[str, Any]]:
    """A capture of the last step of a compiled model, which is called twice in it, and the gradients of that step."""
    torch.manual_seed(2)
    compiled = torch.compile(net, **options)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with tensordbg.trap(folder / "captures", on_bad="record", gradient_norm=1e3, most=1) as trap:
        for number, size in enumerate(sizes):
            optimizer.zero_grad()
            x, wanted = torch.randn(size, 3), torch.randn(size, 3)
            loss = functional.mse_loss(compiled(x) + compiled(x.flip(0)), wanted)
            (loss * (1e9 if number == len(sizes) - 1 else 1e-3)).backward()
            gradients = {name: each.grad.clone() for name, each in net.named_parameters()}
            optimizer.step()
    return open_capture(trap.captures[0]), gradients


def replayer_of(capture: Capture) -> Replayer:
    return Replayer(capture, ReplayPlan(str(capture.path)))


@pytest.mark.parametrize("make", [Convolutional, Split, Attending])
def test_a_compiled_step_gives_what_it_gave(tmp_path: Path, make: Callable[[], Any]) -> None:
    torch.manual_seed(1)
    capture, gradients = captured(tmp_path, make())
    replayer = replayer_of(capture)
    assert any("torch.compile" in each for each in replayer.notes)
    assert replayer.uncompiled
    replayer.run(replayer.arguments)
    assert replayer._gradients.keys() == {f"_orig_mod.{name}" for name in gradients}
    for name, wanted in gradients.items():
        torch.testing.assert_close(replayer._gradients[f"_orig_mod.{name}"], wanted, rtol=2e-4, atol=2e-5 * 1e9)


def test_sizes_that_were_no_constants_of_the_compiled_code_are_those_of_the_step(tmp_path: Path) -> None:
    torch.manual_seed(1)
    capture, gradients = captured(tmp_path, Convolutional(), sizes=(4, 5, 7), dynamic=True)
    replayer = replayer_of(capture)
    replayer.run(replayer.arguments)
    for name, wanted in gradients.items():
        torch.testing.assert_close(replayer._gradients[f"_orig_mod.{name}"], wanted, rtol=2e-4, atol=2e-5 * 1e9)


def test_what_compiled_code_drew_is_drawn_anew_and_the_same_each_time(tmp_path: Path) -> None:
    capture, _ = captured(tmp_path, dropping())
    replayer = replayer_of(capture)
    assert any("drawn anew" in each for each in replayer.notes)
    assert replayer.run(replayer.arguments) == replayer.run(replayer.arguments)


def test_a_backward_pass_that_computes_again_draws_what_its_forward_pass_drew(tmp_path: Path) -> None:
    capture, _ = captured(tmp_path, Checkpointed())
    operations = read_graph(capture).operations
    drawn = [each.results[0].memory for each in operations if each.name == "aten::rand"]
    clones = [each.arguments[0].tensor for each in operations if each.name == "aten::clone"]
    assert len(drawn) == 2  # it is called twice
    assert sorted(each.memory for each in clones if each is not None and each.memory in drawn) == sorted(drawn)
    replayer = replayer_of(capture)
    assert replayer.run(replayer.arguments) == replayer.run(replayer.arguments)


def test_a_compiled_step_that_went_bad_goes_bad_again(tmp_path: Path) -> None:
    torch.manual_seed(1)
    net = Split()
    compiled = torch.compile(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with tensordbg.trap(tmp_path / "captures", on_bad="skip") as trap:
        compiled(torch.randn(5, 3)).sqrt().mean().backward()
        optimizer.step()
    capture = open_capture(trap.captures[0])
    replayer = replayer_of(capture)
    assert compare(capture.header.trouble, replayer.run(replayer.arguments)) in {Outcome.SAME, Outcome.ALIKE}


def own_operation(graph: Any, x: Any) -> Any:
    @torch.library.custom_op("tensordbg_tests::own", mutates_args=())  # type: ignore[untyped-decorator]
    def own(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    own.register_fake(torch.empty_like)
    return graph.call_function(torch.ops.tensordbg_tests.own.default, (x,))


def branches(graph: Any, x: Any) -> Any:
    return graph.call_function(torch.ops.higher_order.cond, (x, None, None, ()))


def sizes_by_numbers(graph: Any, x: Any) -> Any:
    return graph.call_function(torch.ops.aten.nonzero.default, (x,))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (own_operation, "`tensordbg_tests::own` is an operation of the program's own"),
        (branches, "`cond` runs graphs of its own"),
        (sizes_by_numbers, "the size of what `aten.nonzero.default` gives depends on numbers"),
    ],
)
def test_what_cannot_be_taken_apart_says_why_and_what_to_do(made: Callable[[Any, Any], Any], why: str) -> None:
    graph = torch.fx.Graph()
    graph.output((made(graph, graph.placeholder("x")),))
    compiled = CompiledGraph(torch.fx.GraphModule(nn.Module(), graph), "0", False, (), frozenset())
    float32 = number_of_dtype(torch.float32)
    call = (COMPILED, "", [("v", 0), ("t", (0, float32, 0, (3,), (1,)))], [None], 0, -1, -1, "", -1, False)
    noted = Noted(**dict.fromkeys(Noted._fields, ()) | {"operations": [call], "stacks": {}, "trouble": ""})
    assert taken_apart(noted, [compiled]).trouble == (
        f"it calls compiled code that can't be taken apart: {why}; run the program with TORCHDYNAMO_DISABLE=1, which "
        "has it run uncompiled"
    )
