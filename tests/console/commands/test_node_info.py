from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import answer, text


def test_a_node_is_told_of_with_what_is_around_it(standing: Console) -> None:
    said = answer(standing, "ni Log")
    assert said[0] == "Node Log"
    assert any(line.split() == ["Op:", "Log"] for line in said)
    assert any("train_step" in line for line in said)
    inputs = said.index(next(line for line in said if "1 input(s)" in line))
    assert "[Softmax] Softmax:0" in said[inputs + 1]
    assert "zero of 128" in said[inputs + 1]
    assert any("recipient(s)" in line for line in said)


def test_attributes_dumps_and_traceback_are_shown_when_asked_for(standing: Console) -> None:
    plain, full = text(standing, "ni Log"), answer(standing, "ni -a -d -t Log")
    for heading in ("Node attributes:", "1 recorded tensor of run 2:", "Traceback of node construction:"):
        assert heading in full
        assert heading not in plain
    assert "  T:" in full
    assert any(line.strip() == "return -tf.reduce_sum(y * tf.math.log(probs))" for line in full)


def test_a_wrong_name_is_answered_with_the_nearest(standing: Console) -> None:
    with pytest.raises(UsageError, match="no node 'Softmix' is in the trace; did you mean 'Softmax'"):
        standing.answer("ni Softmix")
