"""What a check says, and what of a stack is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tensordbg.checking.finding import Culprit, Finding, Input, Measured
from tensordbg.checking.message import BEGINNING, Limits, found_of, message_of
from tensordbg.model import Frame

USER = Frame(__file__, 1, "step", True)
LIBRARY = Frame("/usr/lib/python3/site-packages/keras/src/layers/layer.py", 1000, "__call__", False)

FINDING = Finding(
    op_type="Log",
    name="dense/Log",
    slot=0,
    outputs=1,
    tensor=Measured(np.array([[0.0, 1.0], [-np.inf, np.nan]], np.float32)),
    inputs=(
        Input(
            'Tensor("x:0", shape=(2, 2), dtype=float32)', Measured(np.array([[1.0, 2.0], [0.0, -1.0]])), 'argument "x"'
        ),
    ),
    frames=(LIBRARY, USER, LIBRARY, LIBRARY),
    function="train_step",
    path="while/body/_3",
    iteration=7,
)

EXPECTED = """

!!! Detected Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1) !!!
  dtype: <dtype: 'float32'>
  shape: (2, 2)
  # of -Inf elements: 1
  # of +NaN elements: 1
  First bad element: [1, 0], in row 1 of 2
  Source: test_message.py (L1) step: \"\"\"What a check says, and what of a stack is left out.\"\"\"

  Input tensor: Tensor("x:0", shape=(2, 2), dtype=float32), argument "x"
            all 4 finite; min -1, max 2; 1 zero; 0.0 at [1, 0]
  Graph name: "train_step"
  Operation name: "dense/Log"
  Called through: while/body/_3
  Loop iteration: 7 (the first is 0)

  Stack trace of op's creation ("->": inferred user code):
    + ... (Omitted 1 frames)
    + test_message.py (L1) step
 -> |   \"\"\"What a check says, and what of a stack is left out.\"\"\"
    + ... (Omitted 1 frames)
    + ...ib/python3/site-packages/keras/src/layers/layer.py (L1000) __call__
    |   \n
 : Tensor had -Inf and NaN values
"""


def test_the_whole() -> None:
    said = message_of(FINDING, Limits(stack_height=2)).replace("..." + __file__[-50:], "test_message.py")
    assert said.replace(__file__, "test_message.py") == EXPECTED.replace("\\n", "\n")


def test_own_frames_are_never_left_out() -> None:
    said = message_of(FINDING, Limits(stack_height=0))
    assert ") step\n -> |" in said
    assert "layer.py" not in said


def test_an_infinity_that_is_by_design_may_be_let_pass_but_no_nan() -> None:
    infinite = replace(FINDING, tensor=Measured(np.array([-np.inf, 1.0], np.float32)))
    setting = 'allow = [{line = "test_message.py:1"}] under [tool.tensordbg] in pyproject.toml'
    assert f"\n  If it is meant, let it pass with {setting}\n" in message_of(infinite, Limits())
    assert found_of(infinite, Limits()).allowing == setting
    assert found_of(FINDING, Limits()).allowing == ""
    gradient = replace(infinite, forward=Culprit("Log", "Log", (replace(USER, line=3),)))
    assert found_of(gradient, Limits()).allowing == ""


def test_no_limits() -> None:
    said = message_of(FINDING, Limits(None, None))
    assert said.count(f"    + {LIBRARY.file} (L1000) __call__") == 3
    assert "Omitted" not in said


def test_an_eager_operation() -> None:
    said = message_of(replace(FINDING, function="", path="", iteration=None), Limits())
    assert 'of eagerly-executing op "Log"' in said
    assert "Stack trace" not in said


def test_a_gradient_names_the_forward_operation_first() -> None:
    forward = Culprit("Log", "loss/Log", (USER, replace(USER, line=3), LIBRARY))
    said = message_of(replace(FINDING, op_type="Reciprocal", forward=forward), Limits(path_length=None)).splitlines()
    assert said[2].endswith('op "Reciprocal" (# of outputs: 1), gradient of Log, test_message.py:3 !!!')
    assert [line for line in said if line.startswith(("  Source", "  Differentiated"))] == [
        f"  Source: {__file__} (L3) step: from __future__ import annotations",
        f'  Differentiated: {__file__} (L1) step: """What a check says, and what of a stack is left out."""',
    ]


def test_a_forward_operation_without_a_line_of_the_program_is_not_named() -> None:
    said = message_of(replace(FINDING, forward=Culprit("Log", "Log", (LIBRARY,))), Limits())
    assert said == message_of(FINDING, Limits())


def test_many_inputs_are_numbered_and_told_apart() -> None:
    bad = Input("y", Measured(np.array([np.nan, np.inf, 2.0])))
    said = message_of(replace(FINDING, inputs=(bad, Input("a resource", None))), Limits())
    assert (
        "  Input tensors (2):\n         0: y\n            1 +Inf, 1 NaN of 3; the first at [0], in row 0; min 2, max 2"
        in said
    )
    assert "         1: a resource\n" in said


def test_what_was_found_is_what_the_message_says() -> None:
    found = found_of(FINDING, Limits())
    assert found.output == 'output 0 of graph op "Log" (# of outputs: 1)'
    assert f"{BEGINNING}{found.output} !!!" in message_of(FINDING, Limits())
    assert found.counts == (("-Inf", 1), ("NaN", 1))
    assert f"  Source: {found.source}\n" in message_of(FINDING, Limits())
    assert found_of(replace(FINDING, frames=(LIBRARY,)), Limits()).source == ""


def test_the_line_to_look_at_is_that_of_the_operation_to_mend() -> None:
    forward = Culprit("Sqrt", "Sqrt", (replace(USER, line=77),))
    found = found_of(replace(FINDING, forward=forward), Limits())
    assert "(L77) step" in found.source
    assert found.output.endswith(f", gradient of Sqrt, {Path(__file__).name}:77")
