from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tensordbg.capture.header import Trouble
from tensordbg.capture.reader import Capture
from tensordbg.report.replays.captures import capture_text, captures_table
from tests.capture.conftest import header_of
from tests.report.rendering import rendered

CAPTURE = Capture(Path("captures/one"), header_of())


def test_one_line_for_each() -> None:
    heading, line = rendered(captures_table([CAPTURE]))
    assert heading.split()[:2] == ["capture", "made"]
    assert line.split()[0] == "captures/one"
    assert line.split()[-4:] == ["train.py", "train_step", "41", "loss"]


def test_all_that_one_holds() -> None:
    text = "\n".join(rendered(capture_text(CAPTURE)))
    for said in (
        "41 of train_step", "python train.py", "tensorflow 2.21.0, Python 3.11", "abc and changes since then",
        "1 NaN; loss", "not kept: texts are not kept", "kernel", "[3, 2]", "epoch",
    ):  # fmt: skip
        assert said in text


def test_a_step_that_was_finite_says_what_was_bad() -> None:
    header = header_of()
    jumped = Trouble("loss_jump", (), (), {"loss": 153.25, "loss_score": 25.0})
    text = "\n".join(rendered(capture_text(Capture(Path("captures/one"), replace(header, trouble=jumped)))))
    assert "the loss jumped (loss 153.2, loss_score 25)" in text
    assert "not finite" not in text
    lost = replace(header, trouble=replace(header.trouble, kind="variable"), later=(header.arguments,) * 9)
    text = "\n".join(rendered(capture_text(Capture(Path("captures/one"), lost))))
    assert "a variable went bad, in one of 10 steps from this one on" in text


def test_where_the_rows_came_from() -> None:
    header = replace(header_of(), origins=("a.png", "", *(f"{i}.png" for i in range(98))))
    lines = [line.split() for line in rendered(capture_text(Capture(Path("captures/one"), header)))]
    assert ["0", "a.png"] in lines
    assert ["1", "–"] in lines
    assert ["and", "36", "more;", "--json", "has", "all"] in lines
