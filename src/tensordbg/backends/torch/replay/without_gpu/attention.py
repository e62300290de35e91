"""Computes attention as its definition says, in place of the kernels that only a GPU has.

Dropout is drawn from a seed that takes the place of the kernel's, in the forward pass and again in the backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_SEEDS = ("philox_seed", "rng_state")
"""The names of a kernel's seed in the backward pass, by versions of PyTorch."""


_HIDDEN = -1e30
"""The score of what is hidden: the exponential of its distance from any other is 0."""


@dataclass(frozen=True)
class _Settings:
    """How attention is computed."""

    causal: bool
    scale: float | None
    dropout: float
    seed: int


def attention(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the result, the logarithm of the sums of exponentials, and the seed."""
    import torch

    seed = int(torch.randint(2**31, ()))
    query, key, value = (given[name].float() for name in ("query", "key", "value"))
    result, scores = _attend(query, key, value, given.get("attn_bias"), _settings(given, seed))
    yield result
    yield torch.logsumexp(scores, -1)
    yield torch.tensor(seed)


def attention_backward(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the gradients of query, key and value, and that of the bias where it is asked for."""
    import torch

    seed = next(int(given[name].reshape(-1)[0]) for name in _SEEDS if name in given)
    gradient = given["grad_out_"] if "grad_out_" in given else given["grad_out"]
    wanted = [given[name].detach().float().requires_grad_() for name in ("query", "key", "value")]
    bias = given.get("attn_bias")
    if bias is not None and (given.get("grad_input_mask") or [False])[-1]:
        bias = bias.detach().float().requires_grad_()
        wanted.append(bias)
    with torch.enable_grad():
        result, _ = _attend(wanted[0], wanted[1], wanted[2], bias, _settings(given, seed))
    yield from torch.autograd.grad(result, wanted, gradient.float())


def _settings(given: Mapping[str, Any], seed: int) -> _Settings:
    return _Settings(bool(given.get("is_causal")), given.get("scale"), float(given.get("dropout_p") or 0.0), seed)


def _attend(query: Any, key: Any, value: Any, bias: Any, settings: _Settings) -> tuple[Any, Any]:
    """The result and the scores; a row in which all is hidden gives zeros, as the kernels do."""
    import torch

    groups = query.shape[-3] // key.shape[-3]
    if groups > 1:  # several heads share a key
        key, value = key.repeat_interleave(groups, -3), value.repeat_interleave(groups, -3)
    scale = query.shape[-1] ** -0.5 if settings.scale is None else settings.scale
    scores = query @ key.transpose(-2, -1) * scale
    hidden = torch.zeros(scores.shape[-2:], dtype=torch.bool, device=scores.device)
    if settings.causal:
        hidden = (~hidden).triu(1)
    if bias is not None:
        scores = scores + bias.masked_fill(bias == -torch.inf, 0.0)
        hidden = hidden | (bias == -torch.inf)
    # No infinity stands in a mask here, as none comes out of the kernel, where a trace would have it for a finding.
    scores = scores.masked_fill(hidden, _HIDDEN)
    weights = torch.softmax(scores, -1).masked_fill(hidden, 0.0)
    if settings.dropout:
        drawing = torch.Generator().manual_seed(settings.seed)
        kept = torch.rand(weights.shape, generator=drawing, device="cpu") >= settings.dropout
        weights = weights * kept / (1 - settings.dropout)
    return weights @ value, scores
