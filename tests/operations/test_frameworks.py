from __future__ import annotations

import pytest

from tensordbg.operations.frameworks import TENSORFLOW, TITLES, TORCH, framework_of_type


@pytest.mark.parametrize(("op_type", "framework"), [("Log", TENSORFLOW), ("aten::log", TORCH), ("mine::op", TORCH)])
def test_a_type_tells_its_framework(op_type: str, framework: str) -> None:
    assert framework_of_type(op_type) == framework


def test_each_framework_has_a_name_for_sentences() -> None:
    assert TITLES == {TENSORFLOW: "TensorFlow", TORCH: "PyTorch"}
