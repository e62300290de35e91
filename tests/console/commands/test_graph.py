from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import answer, text


def test_the_graph_of_a_function(console: Console) -> None:
    said = answer(console, "graph train_step")
    assert said[0] == "Graph of train_step:"
    assert any(line.split()[:3] == ["Log", "Log", "Softmax"] for line in said)


def test_the_graph_around_a_node(console: Console) -> None:
    near, far = (len(answer(console, f"graph Log --hops {hops}")) for hops in (1, 2))
    assert near < far
    assert "Around Log:" in text(console, "graph Log")


def test_what_has_no_graph_is_said_so(console: Console) -> None:
    with pytest.raises(UsageError, match="'OneHot' is an eager operation, which has no graph"):
        console.answer("graph OneHot")
    with pytest.raises(UsageError, match="no function and no tensor 'train_stop'; did you mean 'train_step'"):
        console.answer("graph train_stop")
