"""Readings of what a replay computed, to be held against what the trap had tested."""

from __future__ import annotations

import numpy as np

from tensordbg.capture.header import TensorDigest
from tensordbg.capture.outcome import Reading, finite_or_none
from tensordbg.capture.tensors import Array, digest_of
from tensordbg.health.measured import Measured


def reading_of(tested: TensorDigest, array: Array | bytes) -> Reading:
    """The reading of a tensor that the trap had tested."""
    array = np.asarray(array, dtype=object if isinstance(array, bytes) else None)
    health = Measured(array).health
    scalar = array.ndim == 0 and health is not None and not health.non_finite
    return Reading(
        name=tested.name,
        role=tested.role,
        variable=tested.variable,
        nan=0 if health is None else health.nan,
        pos_inf=0 if health is None else health.pos_inf,
        neg_inf=0 if health is None else health.neg_inf,
        norm=None if health is None else finite_or_none(float(np.sqrt(health.sum_squares))),
        value=float(array) if scalar else None,
        sha256=digest_of(array),
    )


def is_bad(array: Array) -> bool:
    """Whether any element is not finite."""
    health = Measured(np.asarray(array)).health
    return health is not None and bool(health.non_finite)
