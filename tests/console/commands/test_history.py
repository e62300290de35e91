from __future__ import annotations

from tensordbg.console.console import Console
from tests.console.recorded import answer


def test_a_tensor_is_drawn_over_the_steps(standing: Console) -> None:
    said = answer(standing, "history Log")
    assert said[0] == "Log:0: 4 events"
    drawn = {line.split()[0]: line.split()[1] for line in said[1 : said.index("")]}
    assert drawn["min"].endswith("×××")
    assert len(drawn["min"]) == 4
    assert drawn["non_finite"][0] == "▁"
    assert [line.split()[0] for line in said[-4:]] == ["0", "1", "2", "3"]
