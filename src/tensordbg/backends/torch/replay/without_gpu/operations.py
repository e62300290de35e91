"""Computes on a processor what only a GPU has an operation for: fused kernels of cuDNN's and of PyTorch's own.

A replay of a step that ran on a GPU needs them where there is none. Each gives the numbers that its definition says, so
that last bits may be others than the kernel's; what it keeps for the backward pass is known to these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tensordbg.backends.torch.replay.without_gpu.attention import attention, attention_backward
from tensordbg.backends.torch.replay.without_gpu.recurrent import (
    gru_cell,
    gru_cell_backward,
    lstm_cell,
    lstm_cell_backward,
    recurrent,
    recurrent_backward,
)

Given = Mapping[str, Any]
"""What an operation is given, by the names in its schema."""


def _batch_norm(given: Given) -> Iterator[Any]:
    import torch

    names = ("input", "weight", "bias", "running_mean", "running_var", "training", "exponential_average_factor")
    yield from torch.ops.aten.native_batch_norm(*(given[name] for name in names), given["epsilon"])


def _batch_norm_backward(given: Given) -> Iterator[Any]:
    import torch

    names = ("grad_output", "input", "weight", "running_mean", "running_var", "save_mean", "save_var")
    known = (given[name] for name in names)
    yield from torch.ops.aten.native_batch_norm_backward(*known, True, given["epsilon"], [True] * 3)


EQUIVALENTS: Mapping[str, Callable[[Given], Iterator[Any]]] = {
    "aten::cudnn_batch_norm": _batch_norm,
    "aten::cudnn_batch_norm_backward": _batch_norm_backward,
    "aten::_cudnn_rnn": recurrent,
    "aten::_cudnn_rnn_backward": recurrent_backward,
    "aten::_thnn_fused_lstm_cell": lstm_cell,
    "aten::_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
    "aten::_thnn_fused_gru_cell": gru_cell,
    "aten::_thnn_fused_gru_cell_backward": gru_cell_backward,
    **{
        f"aten::_scaled_dot_product_{kind}_attention{backward}": function
        for kind in ("cudnn", "efficient", "flash")
        for backward, function in (("", attention), ("_backward", attention_backward))
    },
}
"""The operations of which a processor has none, and what computes the same, in the order of their results.

A result of None is zeros: nobody but the backward pass looks at it.
"""


def laid_out(values: Sequence[Any], wanted: Sequence[Any]) -> Iterator[Any]:
    """Gives results as they are wanted: `values` first, zeros for what comes behind.

    Args:
        values: What was computed; None for what nobody looks at.
        wanted: Tensors of the sizes, strides and dtypes of the captured results.
    """
    for place, made in enumerate(wanted):
        value = values[place] if place < len(values) else None
        made.zero_()
        if value is None:
            pass
        elif value.numel() == made.numel():
            made.copy_(value.reshape(made.shape))
        elif value.dim() == 0:
            made.fill_(value.item())
        else:  # padded at the end, as a kernel's blocks need it
            made[..., : value.shape[-1]] = value
        yield made
