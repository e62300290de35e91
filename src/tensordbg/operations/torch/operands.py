"""The parts that operands of PyTorch's types play, and what of their numbers makes a result that is not finite."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.operation import Role
from tensordbg.operations.torch.words import name

OPERANDS: Mapping[Role, Mapping[str, int]] = MappingProxyType(
    {
        role: MappingProxyType({name(word): position for word, position in positions.items()})
        for role, positions in {
            Role.LOGARITHM: {
                "log": 0,
                "log10": 0,
                "log1p": 0,
                "log2": 0,
                "logdet": 0,
                "special_xlog1py": 1,
                "xlogy": 1,
            },
            Role.ROOT: {"rsqrt": 0, "sqrt": 0},
            Role.DIVISOR: {
                "addcdiv": 2,
                "div": 1,
                "floor_divide": 1,
                "fmod": 1,
                "reciprocal": 0,
                "remainder": 1,
                "rsqrt": 0,
                "true_divide": 1,
            },
            Role.DENOMINATOR: {"addcdiv": 2, "div": 1, "reciprocal": 0, "true_divide": 1},
        }.items()
    }
)
INDICES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        name(word): positions
        for word, positions in {
            "_embedding_bag": (1,),
            "embedding": (1,),
            "gather": (1,),
            "index": (1, 2, 3, 4),
            "index_add": (1,),
            "index_copy": (1,),
            "index_fill": (1,),
            "index_select": (1,),
            "masked_select": (1,),
            "one_hot": (0,),
            "scatter": (1,),
            "scatter_add": (1,),
            "scatter_reduce": (1,),
            "take": (1,),
        }.items()
    }
)
"""The inputs that tell which elements are taken or put, or where."""
DEGREES: Mapping[str, int] = MappingProxyType(
    {
        name(word): degree
        for word, degree in {
            "_batch_norm_with_update": 2,
            "_fused_rms_norm": 2,
            "_fused_rms_norm_backward": 3,
            "_native_batch_norm_legit": 2,
            "celu": 1,
            "elu": 1,
            "elu_backward": 2,
            "gelu": 1,
            "gelu_backward": 2,
            "huber_loss": 2,
            "leaky_relu": 2,
            "leaky_relu_backward": 2,
            "lgamma": 2,
            "linalg_vector_norm": 2,
            "mse_loss": 2,
            "mse_loss_backward": 2,
            "native_batch_norm": 2,
            "native_batch_norm_backward": 3,
            "native_group_norm": 2,
            "native_group_norm_backward": 3,
            "native_layer_norm": 2,
            "native_layer_norm_backward": 3,
            "selu": 1,
            "sigmoid_backward": 3,
            "silu": 1,
            "silu_backward": 2,
            "special_xlog1py": 2,
            "square": 2,
            "std": 2,
            "std_mean": 2,
            "tanh_backward": 3,
            "var": 2,
            "var_mean": 2,
            "xlogy": 2,
        }.items()
    }
)
"""Of which degree a result is in the largest of the numbers that go in."""
OF_NOTHING: Mapping[str, str] = MappingProxyType(
    {
        name(word): result
        for word, result in {
            "mean": "NaN",
            "median": "NaN",
            "mse_loss": "NaN",
            "nanmean": "NaN",
            "nll_loss_forward": "NaN",
            "std": "NaN",
            "std_mean": "NaN",
            "var": "NaN",
            "var_mean": "NaN",
            "logsumexp": "-inf",
        }.items()
    }
)
"""What reductions of no elements give."""
OF_MATRIX: Mapping[str, str] = MappingProxyType(
    {
        name(word): why
        for word, why in {
            "_linalg_slogdet": "is singular",
            "_linalg_solve_ex": "is singular",
            "linalg_cholesky_ex": "is not positive definite",
            "linalg_inv_ex": "is singular",
            "linalg_solve_triangular": "has a 0 on its diagonal",
            "linalg_lstsq": "has no full rank",
            "triangular_solve": "has a 0 on its diagonal",
        }.items()
    }
)
"""Operations on a matrix, their first input, and what of it leaves them without a finite result."""
