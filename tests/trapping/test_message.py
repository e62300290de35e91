from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tensordbg.capture.header import Suspect, Trouble
from tensordbg.trapping.message import batch_words, message_of
from tensordbg.trapping.targets import TrapTarget


def said(*suspects: Suspect) -> str:
    tested = [TrapTarget("loss", 0, "loss", ""), *(TrapTarget(f"g{i}", 0, "gradient", f"v{i}") for i in range(3))]
    trapped: Any = SimpleNamespace(function=SimpleNamespace(name="train_step"), tested=tested)
    bad: Any = SimpleNamespace(step=41, trouble=Trouble("non_finite", suspects), reached={})
    return message_of(trapped, bad, "captured in captures/train_step-41")


LOSS = Suspect("loss:0", "loss", "", "float32", (), 1, 0, 0)
GRADIENT = Suspect("g1:0", "gradient", "v1", "float32", (9,), 3, 2, 0)


def test_a_bad_step_is_told_in_one_line() -> None:
    assert said(LOSS) == (
        "tensordbg trap: step 41 of train_step: the loss is not finite (1 NaN); captured in captures/train_step-41"
    )
    assert "1 of 3 gradients are not finite, such as that of v1 (3 NaN, 2 +inf); captured" in said(GRADIENT)
    assert "(1 NaN) and 1 of 3 gradients" in said(LOSS, GRADIENT)


def test_the_row_that_came_in_bad_is_named_by_its_origin() -> None:
    x = np.ones((3, 2), np.float32)
    origins = ("a.png", "b.png", "c.png")
    assert batch_words([None, x], origins) == "; its batch came from a.png, b.png and 1 more"
    x[1, 0] = np.nan
    assert batch_words([x], origins) == "; row 1 of its batch, which is not finite, came from b.png"
    assert batch_words([x], ()) == ""
