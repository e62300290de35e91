from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.tensors.divergence import Divergence, Pair
from tensordbg.capture.outcome import Outcome, Reading
from tensordbg.capture.replayed import Replayed, ReplayedStep
from tensordbg.model import Health
from tensordbg.report.replays.side_by_side import divergence_text, side_by_side_table

LOSS = Reading("loss:0", "loss", "", 1, 0, 0, 0.0, None, "abc")
GRADIENTS = [Reading(f"g:{i}", "gradient", "kernel", 2 * i, 0, 0, 3.0 + i, None, "abc") for i in range(2)]
BEFORE = Replayed("captures/a", (ReplayedStep(Outcome.SAME, (LOSS, *GRADIENTS)),), ruined=("kernel",))
CLEAN = (replace(LOSS, nan=0, value=0.25), GRADIENTS[0], replace(GRADIENTS[1], nan=0))
AFTER = Replayed("captures/a", (ReplayedStep(Outcome.CLEAN, CLEAN),), moved=0.5)
TENSOR = ListedTensor(
    3, "Exp:0", "Exp", "Exp", 1, 0, "step", 1, 0, None, "", "float32", (2,), Health(2, pos_inf=2), "", "", None
)


def printed(part: object) -> list[str]:
    console = Console(width=120)
    with console.capture() as captured:
        console.print(part)
    return [" ".join(line.split()) for line in captured.get().splitlines()]


def test_shows_both_outcomes() -> None:
    assert printed(side_by_side_table(BEFORE, AFTER, "x=0")) == [
        "as captured x=0",
        "step wrong clean",
        "loss 1 NaN 0.25",
        "gradients 1 of 2 not finite norm 5",
        "weights after it not finite: kernel moved by 0.5",
    ]


def test_shows_where_they_part() -> None:
    after = replace(TENSOR, dtype="float64", health=Health(2, min=1.0, max=1e40))
    lines = printed(divergence_text(Divergence(9, 4, (Pair(TENSOR, after),))))
    assert lines[1:] == [
        "Exp:0 as captured float32[2] – – 2 –",
        "changed float64[2] 1 1e+40 –",
        "4 of 9 tensors differ by more than rounding",
    ]


def test_says_that_nothing_parts() -> None:
    (line,) = printed(divergence_text(Divergence(9, 0, ())))
    assert line == "none of the 9 tensors that both computed differs by more than rounding"
