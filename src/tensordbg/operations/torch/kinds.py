"""Kinds of PyTorch's types, as far as rules ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.kinds import Kind
from tensordbg.operations.torch.words import name

_WORDS: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.IDENTITY: "alias clone contiguous detach lift lift_fresh",
        Kind.RESHAPE: "_reshape_alias _unsafe_view flatten reshape unflatten view",
        Kind.SQUEEZE: "squeeze",
        Kind.EXPAND_DIMS: "unsqueeze",
        Kind.TRANSPOSE: "movedim permute swapaxes t transpose",
        Kind.PAD: "constant_pad_nd",
        Kind.PAD_WITH_OWN: (
            "reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d"
        ),
        Kind.BROADCAST: "expand repeat",
        Kind.SLICE: "narrow select slice split split_with_sizes",
        Kind.GATHER: "embedding gather index index_select take take_along_dim",
        Kind.CONCATENATE: "cat",
        Kind.PACK: "stack",
        Kind.UNPACK: "unbind",
        Kind.FILL: "fill full full_like new_full new_ones ones ones_like scalar_tensor",
        Kind.ZEROS_LIKE: "new_zeros zero zeros zeros_like",
        Kind.ONE_HOT: "one_hot",
        Kind.TOP_K: "kthvalue sort topk",
        Kind.SELECT: "where",
        Kind.MASKED_FILL: "masked_fill",
        Kind.CAST: "_to_copy to",
        Kind.CLIP: "clamp clip",
        Kind.ALIGNMENT_LOSS: "_ctc_loss _cudnn_ctc_loss ctc_loss",
        Kind.ADD: "add",
        Kind.SUBTRACT: "rsub sub",
        Kind.MULTIPLY: "mul",
        Kind.MULTIPLY_BY_LOG: "special_xlogy xlogy",
        Kind.DIVIDE: "div true_divide",
        Kind.DIVIDE_WHOLE: "floor_divide",
        Kind.REMAINDER: "fmod remainder",
        Kind.RECIPROCAL: "reciprocal",
        Kind.NEGATE: "neg",
        Kind.ABSOLUTE: "abs",
        Kind.SIGN: "sgn sign",
        Kind.ROUND: "ceil floor frac round trunc",
        Kind.SQUARE: "square",
        Kind.SQUARED_DIFFERENCE: "mse_loss",
        Kind.HUBER_LOSS: "huber_loss smooth_l1_loss",
        Kind.POWER: "float_power pow",
        Kind.SQRT: "sqrt",
        Kind.RSQRT: "rsqrt",
        Kind.EXP: "exp",
        Kind.LOG: "log log10 log2",
        Kind.LOG1P: "log1p",
        Kind.MAXIMUM: "clamp_min fmax maximum",
        Kind.MINIMUM: "clamp_max fmin minimum",
        Kind.SUM: "nansum sum",
        Kind.MEAN: "mean nanmean",
        Kind.PRODUCT: "prod",
        Kind.MAX: "amax max",
        Kind.MIN: "amin min",
        Kind.STANDARD_DEVIATION: "std std_mean var var_mean",
        Kind.LOG_DETERMINANT: "_linalg_slogdet logdet",
        Kind.MATMUL: "addbmm addmm addmv addr baddbmm bmm dot linear matmul mm mv vdot",
        Kind.NORMALISE: (
            "_batch_norm_with_update _fused_rms_norm _native_batch_norm_legit cudnn_batch_norm miopen_batch_norm "
            "native_batch_norm native_group_norm native_layer_norm"
        ),
        Kind.DROPOUT: "bernoulli native_dropout",
        Kind.RELU: "relu",
        Kind.LEAKY_RELU: "leaky_relu rrelu rrelu_with_noise",
        Kind.ELU: "celu elu",
        Kind.SELU: "selu",
        Kind.SILU: "silu",
        Kind.SOFTPLUS: "softplus",
        Kind.SIGMOID: "sigmoid",
        Kind.TANH: "tanh",
        Kind.ERF: "erf special_erf",
        Kind.ERFC: "erfc special_erfc",
        Kind.GELU: "gelu",
        Kind.SOFTMAX: "_softmax _safe_softmax",
        Kind.LOG_SOFTMAX: "_log_softmax",
        Kind.SIGMOID_LOSS: "binary_cross_entropy_with_logits",
        Kind.LABEL_LOSS: "nll_loss2d_forward nll_loss_forward",
        Kind.EQUAL: "eq",
        Kind.EQUAL_NEARLY: "isclose",
        Kind.NOT_EQUAL: "ne",
        Kind.LESS: "lt",
        Kind.LESS_EQUAL: "le",
        Kind.GREATER: "gt",
        Kind.GREATER_EQUAL: "ge",
        Kind.AND: "bitwise_and logical_and",
        Kind.OR: "bitwise_or logical_or",
        Kind.NOT: "bitwise_not logical_not",
        Kind.ALL: "all",
        Kind.ANY: "any",
    }
)

KINDS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {kind: tuple(map(name, words.split())) for kind, words in _WORDS.items()}
)
"""By whole names."""

BEGINNINGS: Mapping[str, Kind] = MappingProxyType(
    {
        "aten::_adaptive_avg_pool": Kind.AVERAGE_POOL,
        "aten::_convolution": Kind.CONVOLUTION,
        "aten::adaptive_max_pool": Kind.MAX_POOL,
        "aten::avg_pool": Kind.AVERAGE_POOL,
        "aten::conv_": Kind.CONVOLUTION,
        "aten::convolution": Kind.CONVOLUTION,
        "aten::max_pool": Kind.MAX_POOL,
        "aten::mkldnn_convolution": Kind.CONVOLUTION,
        "aten::slow_conv": Kind.CONVOLUTION,
        "aten::thnn_conv": Kind.CONVOLUTION,
    }
)
"""Several forms each."""
