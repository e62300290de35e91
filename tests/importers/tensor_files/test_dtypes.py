from __future__ import annotations

from safetensors.numpy import _TYPES

from tensordbg.health.spec import MEASURABLE
from tensordbg.importers.tensor_files.dtypes import OF_SAFETENSORS
from tensordbg.trace.raw.values import numpy_dtype


def test_every_type_that_the_format_has_for_numpy_is_known() -> None:
    assert set(OF_SAFETENSORS) >= set(_TYPES)


def test_all_can_be_measured_and_have_a_type_of_numpy() -> None:
    assert set(OF_SAFETENSORS.values()) <= MEASURABLE
    assert all(numpy_dtype(name).name == name for name in OF_SAFETENSORS.values())
