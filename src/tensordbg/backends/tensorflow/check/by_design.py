"""Infinities that are meant, which a check lets pass: a NaN that is made of them ends the program all the same.

The program writes some down (`tf.where(mask, x, -np.inf)`, `best = tf.constant(np.inf)`), and is given masks that hold
them. Others are TensorFlow's own: `clip_by_global_norm` takes the smaller of 1 over the norm and another number, and
`ctc_loss` computes with logarithms of zero. What such a function gives back is looked at where the program takes it.
The logarithm of a mask is one too, and the largest of no numbers is -inf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import PurePath
from typing import Any

import numpy as np

from tensordbg.checking.finding import Finding, Input
from tensordbg.model import Frame

_TENSORFLOW = "/tensorflow/python/"
_OPERATIONS = "/tensorflow/python/ops/"

_OF_ANYBODY = (
    "gen_", "array_ops", "math_ops", "tensor_array_ops", "tensor_math_operator_overrides", "variable_scope",
    "resource_variable_ops", "ref_variable", "variables", "variable_v1", "weak_tensor_ops", "init_ops", "script_ops",
)  # fmt: skip
"""Modules in which a constant is made of what the program gives them."""

_AS_ASKED = (
    *_OF_ANYBODY, "nn_ops", "linalg_ops", "functional_ops", "map_fn", "while_", "cond", "control_flow_", "parallel_for",
    "custom_gradient", "default_gradient", "gradient", "ragged", "numpy_ops", "structured", "losses", "distributions",
)  # fmt: skip
"""Modules that compute what the program asks for: operators, loops and branches, losses; nothing of their own."""

_GRADIENTS = "_grad"

_OF_INFINITIES = frozenset({"reduce_logsumexp"})
"""Functions of operators' modules that make an infinity of nothing but infinities: of a sum of no probability."""


def is_by_design(finding: Finding) -> bool:
    """Whether the infinities of a finding are meant; a NaN never is."""
    health = finding.tensor.health
    if health is None or health.nan:
        return False
    if finding.op_type == "Const" and is_written(finding.tensor.array):
        return True
    if any(frame.function in _OF_INFINITIES for frame in _tensorflows(finding.frames)):
        return True
    if _is_of_nothing(finding) or _is_logarithm_of_mask(finding):
        return True
    return _is_made_of_masks(finding.inputs) or is_of_tensorflow(finding.frames)


def is_written(array: Any) -> bool:
    """Whether elements are as a program writes them down: infinities, and beside them one number at most."""
    if array.dtype.kind not in "fV" or not array.size:
        return False
    numbers = array.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    return bool(finite.size < numbers.size and not np.isnan(numbers).any() and (finite == finite[:1]).all())


def is_of_tensorflow(frames: Sequence[Frame]) -> bool:
    """Whether one of TensorFlow's functions has an operation computed for a purpose of its own.

    Args:
        frames: Of the operation, outermost first.
    """
    return _stands_in((frame.file for frame in reversed(frames)), _AS_ASKED)


def is_written_by_tensorflow(files: Iterable[str]) -> bool:
    """Whether one of TensorFlow's functions makes a constant of a number of its own.

    Args:
        files: Those of the stack, innermost first.
    """
    return _stands_in(files, _OF_ANYBODY)


def _stands_in(files: Iterable[str], others: tuple[str, ...]) -> bool:
    """Whether the innermost part of a stack, which is TensorFlow's, has a file of operations beside some others."""
    for file in files:
        path = PurePath(file).as_posix()
        if _TENSORFLOW not in path:
            return False
        _, found, module = path.partition(_OPERATIONS)
        if found and not module.startswith(others) and _GRADIENTS not in module:
            return True
    return False


def _tensorflows(frames: Sequence[Frame]) -> Iterator[Frame]:
    """The innermost frames of a stack, as far as they are TensorFlow's."""
    return takewhile(lambda frame: _TENSORFLOW in PurePath(frame.file).as_posix(), reversed(frames))


def _is_made_of_masks(inputs: Iterable[Input]) -> bool:
    """Whether each infinite input is written down, or a mask of zeros and -inf from wherever it comes."""
    bad = [
        (given, given.measured)
        for given in inputs
        if given.measured is not None and given.measured.bad_index is not None
    ]
    return bool(bad) and all(
        is_written(measured.array) and (given.constant or _is_mask(measured.array)) for given, measured in bad
    )


def _is_of_nothing(finding: Finding) -> bool:
    """Whether there was no number to make the infinities of, as in the maximum of an empty tensor."""
    measured = finding.inputs[0].measured if finding.inputs else None
    return measured is not None and measured.array.size == 0 and bool(np.isinf(finding.tensor.array).all())


def _is_logarithm_of_mask(finding: Finding) -> bool:
    """Whether 0 and 1 that are made of truth values became -inf and 0."""
    given = [each for each in finding.inputs if each.measured is not None]
    if len(given) != 1 or not given[0].truths or given[0].measured is None:
        return False
    mask, logarithms = given[0].measured.array, finding.tensor.array
    return bool(
        mask.shape == logarithms.shape
        and np.isin(mask.astype(np.float64), (0.0, 1.0)).all()
        and (logarithms.astype(np.float64) == np.where(mask == 0, -np.inf, 0.0)).all()
    )


def _is_mask(array: Any) -> bool:
    return bool((array == 0).any() and (array <= 0).all())
