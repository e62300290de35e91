"""The tables are TensorFlow's."""

from __future__ import annotations

from tensorflow.python.debug.lib import check_numerics_callback, op_callbacks_common

from tensordbg.backends.tensorflow.check.tables import IGNORED_OUTPUTS, SAFE, SKIPPED, is_checked


def test_the_same_operations_as_tensorflows() -> None:
    assert {name.encode() for name in SKIPPED} == set(op_callbacks_common.OP_CALLBACK_SKIP_OPS)
    assert {name.encode() for name in SAFE} == set(check_numerics_callback.SAFE_OPS)
    assert {(name.encode(), slot) for name, slot in IGNORED_OUTPUTS} == set(check_numerics_callback.IGNORE_OP_OUTPUTS)


def test_what_is_checked() -> None:
    assert is_checked("Log", 0)
    assert is_checked("FusedBatchNormV3", 0)
    assert not is_checked("FusedBatchNormV3", 1)
    assert not is_checked("Reshape", 0)
    assert not is_checked("While", 0)
