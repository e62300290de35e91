"""PyTorch's types that compute with numbers: what adds, multiplies, divides or grows as an exponential does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.torch.words import names
from tensordbg.operations.traits import Trait

ARITHMETIC: Mapping[Trait, frozenset[str]] = MappingProxyType(
    {
        Trait.ADDS: names(
            """
            _adaptive_avg_pool2d _adaptive_avg_pool2d_backward _adaptive_avg_pool3d _adaptive_avg_pool3d_backward
            _cdist_backward _cdist_forward _embedding_bag _embedding_bag_forward_only _euclidean_dist _fft_c2c _fft_c2r
            _fft_r2c add avg_pool1d avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward bincount col2im cumsum
            diff embedding_dense_backward histc index_add index_reduce l1_loss lerp linalg_vector_norm logcumsumexp
            logaddexp logaddexp2 logsumexp max_pool2d_with_indices_backward max_pool3d_with_indices_backward mean
            nanmean nansum norm rsub scatter_add scatter_reduce smooth_l1_loss sub sum trace upsample_bicubic2d
            upsample_bilinear2d upsample_linear1d upsample_trilinear3d
            """
        ),
        Trait.SUMS_UP: names(
            """
            _batch_norm_with_update _fused_rms_norm _fused_rms_norm_backward _native_batch_norm_legit mse_loss
            native_batch_norm native_batch_norm_backward native_group_norm native_group_norm_backward native_layer_norm
            native_layer_norm_backward std std_mean var var_mean
            """
        ),
        Trait.MULTIPLIES: names("addcmul mul"),
        Trait.SCALES_ADDEND: names("add addcdiv addcmul sub"),
        Trait.MULTIPLIES_MANY: names("_linalg_det cumprod float_power linalg_matrix_power pow prod"),
        Trait.CONTRACTS: names(
            """
            _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
            _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward _trilinear
            addbmm addmm addmv addr baddbmm bmm dot linalg_cross linear matmul mkldnn_rnn_layer mm mv vdot
            """
        ),
        Trait.NEEDS_DISTINCT: names("_linalg_eigh _linalg_svd linalg_eig"),
        Trait.DIVIDES: names("div floor_divide fmod remainder true_divide"),
        Trait.EXPONENTIAL: names("exp exp2 expm1"),
        Trait.EVEN: names("cosh i0 sinh special_i1"),
        Trait.ONE_PLUS: names("log1p special_xlog1py"),
        Trait.NORMALISES: names(
            """
            _batch_norm_with_update _fused_rms_norm _native_batch_norm_legit cudnn_batch_norm miopen_batch_norm
            native_batch_norm native_group_norm native_layer_norm
            """
        ),
        Trait.DIVIDES_BY_NORM: names("_weight_norm _weight_norm_interface"),
        Trait.TAKES_MAXIMUM_AWAY: names(
            """
            _log_softmax _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
            _safe_softmax _scaled_dot_product_flash_attention_for_cpu _softmax logsumexp
            """
        ),
        Trait.ELEMENT_BY_ELEMENT: names("add div maximum minimum mse_loss mul pow rsub sub"),
        Trait.STRICT: names("add div mul neg rsub sub"),
    }
)

_CONVOLUTIONS = (
    "aten::_convolution",
    "aten::conv_",
    "aten::convolution",
    "aten::mkldnn_convolution",
    "aten::slow_conv",
    "aten::thnn_conv",
)

BEGINNINGS: Mapping[Trait, tuple[str, ...]] = MappingProxyType(
    {
        Trait.CONTRACTS: _CONVOLUTIONS,
        Trait.CHANNELS_FIRST: _CONVOLUTIONS,
    }
)
"""Each stands for several forms."""
