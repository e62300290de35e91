"""The functions of NumPy that an expression may call: they compute from what they are given, and do nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

_NAMES = """
    abs absolute add all allclose amax amin angle any arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    argmax argmin argpartition argsort argwhere around array array_equal asarray atleast_1d atleast_2d average
    bincount broadcast_to cbrt ceil clip concatenate conj corrcoef cos cosh count_nonzero cov cross cumprod cumsum
    deg2rad degrees diag diagonal diff digitize divide dot einsum equal exp exp2 expand_dims expm1 eye fabs
    flatnonzero flip floor floor_divide fmax fmin fmod full full_like greater greater_equal histogram hypot
    identity imag inner interp isclose isfinite isin isinf isnan isneginf isposinf kron less less_equal linspace
    log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace matmul max
    maximum mean median min minimum mod moveaxis multiply nan_to_num nanargmax nanargmin nanmax nanmean nanmedian
    nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndim negative nonzero not_equal ones ones_like
    outer pad percentile positive power prod ptp quantile rad2deg radians ravel real reciprocal remainder repeat
    reshape rint roll round searchsorted shape sign signbit sin sinc sinh size sort spacing split sqrt square
    squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose tril triu
    trunc unique unravel_index var vdot vstack hstack where zeros zeros_like
"""
_LINEAR_ALGEBRA = "cond det eigvals eigvalsh inv matrix_rank norm slogdet solve svd"


def _found(names: str, module: Any, prefix: str = "") -> dict[str, Callable[..., Any]]:
    """Those that this release of NumPy has."""
    return {f"{prefix}{name}": getattr(module, name) for name in names.split() if hasattr(module, name)}


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **_found(_NAMES, np),
    **_found(_LINEAR_ALGEBRA, np.linalg, "linalg."),
    **_found("fft ifft rfft irfft", np.fft, "fft."),
    "len": len,
}
"""By name, without `np.`."""

KEYWORDS = (
    *("axis", "axes", "keepdims", "dtype", "decimals", "ddof", "ord", "bins", "range", "weights", "density", "q", "k"),
    *("n", "side", "method", "initial", "return_counts", "return_index", "return_inverse", "equal_nan", "rtol", "atol"),
    *("minlength", "offset", "nan", "posinf", "neginf", "num", "constant_values", "mode", "full_matrices"),
)
"""Arguments that may be named; none of them is written to."""

CONSTANTS: Mapping[str, Any] = {
    "pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan, "newaxis": None,
}  # fmt: skip

TYPES = frozenset(
    {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
    | {"float16", "float32", "float64", "complex64", "complex128"}
)
"""Names of dtypes, as `np.float32`."""
