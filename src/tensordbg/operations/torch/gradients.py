"""Forward operations of PyTorch's own types for backward passes; most gradients are made of ordinary operations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.kinds import Kind
from tensordbg.operations.torch.words import name

_WORDS: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.AVERAGE_POOL: (
            "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward avg_pool2d_backward avg_pool3d_backward"
        ),
        Kind.CONVOLUTION: "convolution_backward",
        Kind.ELU: "elu_backward",
        Kind.GATHER: "embedding_backward embedding_dense_backward index_select_backward",
        Kind.HUBER_LOSS: "huber_loss_backward smooth_l1_loss_backward",
        Kind.LABEL_LOSS: "nll_loss2d_backward nll_loss_backward",
        Kind.LEAKY_RELU: "leaky_relu_backward rrelu_with_noise_backward",
        Kind.LOG_SOFTMAX: "_log_softmax_backward_data",
        Kind.MAX_POOL: (
            "adaptive_max_pool2d_backward adaptive_max_pool3d_backward max_pool2d_with_indices_backward "
            "max_pool3d_with_indices_backward"
        ),
        Kind.NORMALISE: (
            "_fused_rms_norm_backward cudnn_batch_norm_backward native_batch_norm_backward native_group_norm_backward "
            "native_layer_norm_backward"
        ),
        Kind.RELU: "threshold_backward",
        Kind.SIGMOID: "sigmoid_backward",
        Kind.SLICE: "select_backward slice_backward",
        Kind.SOFTMAX: "_softmax_backward_data",
        Kind.SOFTPLUS: "softplus_backward",
        Kind.SQUARED_DIFFERENCE: "mse_loss_backward",
        Kind.TANH: "tanh_backward",
    }
)

GRADIENT_OF: Mapping[str, Kind] = MappingProxyType(
    {name(word): kind for kind, words in _WORDS.items() for word in words.split()}
)
"""By whole names."""
