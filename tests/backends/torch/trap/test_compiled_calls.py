"""Calls of compiled graphs are noted while a trap is set, and change nothing of what they compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.backends.torch.trap.compiled_calls import CompiledCalls

torch = pytest.importorskip("torch")
nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")


class Counting(nn.Module):  # type: ignore[misc]
    """Writes one buffer, and the first row of another."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.register_buffer("count", torch.zeros(2))
        self.register_buffer("rows", torch.zeros(2, 2))

    def forward(self, x: Any) -> Any:
        result = self.linear(x)
        self.count += result.detach().sum(0)
        self.rows[0] += 1
        return result


def test_a_graph_tells_what_it_writes_and_gives_the_same(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net, plain, x = Counting(), Counting(), torch.randn(4, 3)
    plain.load_state_dict(net.state_dict())
    before = len(CompiledCalls.graphs)
    with tensordbg.trap(tmp_path / "captures"):
        compiled = torch.compile(net)
        compiled(x).sum().backward()
        torch.testing.assert_close(compiled(x), plain(x))
    forward, backward = CompiledCalls.graphs[before:]
    assert (forward.backward, backward.backward) == (False, True)
    assert len(forward.written) == 2
    assert not backward.written
    torch.testing.assert_close(compiled(x), plain(x))  # without a trap it goes on
    plain(x)
    assert torch.equal(net.rows, torch.tensor([[3.0, 3.0], [0.0, 0.0]]))
    torch.testing.assert_close(net.count, plain.count)


def test_what_was_compiled_before_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(nn.Linear(3, 2))
    compiled(torch.randn(5, 3))
    with tensordbg.trap(tmp_path / "captures"):
        pass
    assert "compiled before the trap was set" in capfd.readouterr().err
    torch._dynamo.reset()
