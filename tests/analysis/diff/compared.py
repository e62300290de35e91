"""A tensor of a comparison, for tests of what shows one."""

from __future__ import annotations

from tensordbg.analysis.diff.result import ComparedTensor
from tensordbg.analysis.finding import SourceLine, TensorView
from tensordbg.model import NONE, Health


def tensor(name: str, low: float = -1.0) -> ComparedTensor:
    """A value of four elements, in line 7."""
    op_type = name.partition(":0")[0]
    health = Health(size=4, min=low, max=1.0, sum=0.5, sum_squares=2.0)
    view = TensorView(3, name, op_type, op_type, 1, 0, "step", 1, 0, None, "CPU:0", "float32", (2, 2), health)
    assert view.site != NONE
    return ComparedTensor(view, "encoder.norm", SourceLine("/me/train.py", 7, "step", True, "y = norm(x)"))
