"""Names of the program's text for the tensors of a PyTorch program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensordbg.analysis.names.listing import Order, Selection
from tensordbg.analysis.tensors.named_listing import list_named
from tensordbg.trace.reader import TraceReader
from tests.e2e.test_torch import trace_of

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

NAMED = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x):
            hidden = torch.relu(self.inner(x))
            return self.outer(hidden)

    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(2):
        loss = nn.functional.cross_entropy(net(torch.ones(3, 4)), torch.tensor([0, 1, 1]))
        loss.backward()
        optimizer.step()

    def doubled(x):
        return x * 2

    def negative(x):
        return torch.exp(-x)

    shifted = torch.rand(4) - 0.5
    one, two = doubled(shifted), negative(shifted)
    either, other = torch.tanh(torch.exp(shifted)), torch.sin(shifted)
    values, places = torch.sort(shifted)
"""


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    return named_tensors(trace_of(tmp_path_factory.mktemp("named"), NAMED))


def test_a_name_is_of_what_its_line_gives_and_not_of_what_modules_compute_for_it(named: dict[str, set[str]]) -> None:
    assert named["loss"] == {"aten::nll_loss_forward:0"}
    assert named["hidden"] == {"aten::relu:0"}


def test_a_number_of_the_text_bears_no_name_of_what_is_computed_with_it(named: dict[str, set[str]]) -> None:
    assert named["shifted"] == {"aten::sub:0"}


def test_each_of_several_values_bears_its_own_name_or_none(named: dict[str, set[str]]) -> None:
    assert named["one"] == {"aten::mul:0"}
    assert named["two"] == {"aten::exp:0"}
    assert not {"either", "other"} & named.keys()  # which of the three are values, the lines alone do not tell
    assert (named["values"], named["places"]) == ({"aten::sort:0"}, {"aten::sort:1"})


def named_tensors(reader: TraceReader) -> dict[str, set[str]]:
    """By name of the program's text the tensors that bear it."""
    found: dict[str, set[str]] = {}
    for row in list_named({"": reader}, Selection(), "", Order(limit=0)).listing.rows:
        for name in row.python_names:
            found.setdefault(name, set()).add(row.tensor)
    return found


def test_a_module_does_not_name_what_its_making_computes(tmp_path: Path) -> None:
    text = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
                self.scale = nn.Parameter(torch.ones(4) * 2)

            def forward(self, x):
                return self.body(x) * self.scale

        model = Net()
        start = torch.full((2, 3), 5.0)
        out = model(start)
    """
    named = named_tensors(trace_of(tmp_path, text))
    assert not {"model", "self.body"} & named.keys()
    assert {"start", "out"} <= named.keys()


REPEATED = """
    def newton(x, target):
        states = []
        for _ in range(2):
            slope = 2 * x
            x = x - (x * x - target) / slope
            states.append(x)
        return x

    def once(a, b):
        total = a + b * a + b
        return total

    newton(torch.tensor(3.0), 2.0)
    once(torch.tensor(3.0), torch.tensor(4.0))
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not tell columns")
def test_a_name_is_of_the_last_operation_though_the_line_has_another_of_its_kind(tmp_path: Path) -> None:
    values: dict[str, list[float]] = {}
    for row in list_named({"": trace_of(tmp_path, REPEATED)}, Selection(), "", Order(limit=0)).listing.rows:
        for name in row.python_names if row.health else ():
            values.setdefault(name, []).append(round(row.health.min, 3))
    assert values["x"] == values["states"] == [1.833, 1.462]
    assert values["total"] == [19]
