from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.importers.tensor_files.steps import steps_of


@pytest.mark.parametrize(
    ("names", "steps"),
    [
        (["step_3.npz"], [0]),
        (["step_3.npz", "step_1.npz"], [3, 1]),
        (["0010/model.npz", "0011/model.npz"], [10, 11]),
        (["v2_s0.npz", "v2_s1.npz"], [0, 1]),
        (["a1_b1.npz", "a2_b2.npz"], [0, 0]),
        (["encoder.npz", "decoder.npz"], [0, 0]),
        (["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"], [0, 0]),
        (["s1.npz", "s01.npz"], [0, 0]),
        (["s1.npz", f"s{2**40}.npz"], [0, 0]),
    ],
)
def test_steps(names: list[str], steps: list[int]) -> None:
    assert steps_of([Path(name) for name in names]) == steps
