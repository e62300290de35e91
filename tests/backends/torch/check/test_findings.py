from __future__ import annotations

import numpy as np

from tensordbg.backends.torch.check.findings import Bad, Place, finding_of, frames_of, measured_of
from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import Frame
from tensordbg.recording.usercode import UserCode

VALUES = np.array([[1.0, -np.inf], [2.0, 3.0]], np.float32)
RAW = (DTYPE_NUMBERS["float32"], (2, 2), VALUES.tobytes(), -1)
FRAMES = [("/me/train.py", 7, "loss"), ("/me/train.py", 12, "<module>")]


def test_what_the_observer_found() -> None:
    bad = Bad("aten::div", 0, 1, RAW, [RAW], Place(FRAMES, ("aten::sqrt", FRAMES[:1]), backward=True))
    finding = finding_of(bad, UserCode())
    assert finding.tensor.bad_index == (0, 1)
    assert [frame.line for frame in finding.frames] == [12, 7]
    assert finding.forward is not None
    assert finding.forward.place == Frame("/me/train.py", 7, "loss", True)
    assert finding.inputs[0].text == "tensor of float32[2, 2]: [[  1., -inf], [  2.,   3.]]"
    assert finding.module == ""


def test_a_large_tensor_is_told_by_its_shape() -> None:
    many = (DTYPE_NUMBERS["float64"], (5, 2), np.zeros((5, 2)).tobytes(), -1)
    finding = finding_of(Bad("aten::log", 0, 1, RAW, [many], Place(FRAMES, None, backward=False)), UserCode())
    assert finding.inputs[0].text == "tensor of float64[5, 2]"


def test_small_floats() -> None:
    half = measured_of((DTYPE_NUMBERS["bfloat16"], (2,), np.array([0x7F80, 0x3F80], np.uint16).tobytes(), -1))
    assert half.health is not None
    assert (half.health.pos_inf, half.health.finite) == (1, 1)


def test_frames_of_ours_are_left_out() -> None:
    ours = frames_of.__code__.co_filename
    assert frames_of([("/me/a.py", 1, "f"), (ours, 2, "g")], UserCode()) == (Frame("/me/a.py", 1, "f", True),)
