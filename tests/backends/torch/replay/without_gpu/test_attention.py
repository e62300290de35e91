from __future__ import annotations

from typing import Any

import pytest

from tensordbg.backends.torch.replay.without_gpu.attention import attention, attention_backward

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def given(heads: int = 4, **more: Any) -> dict[str, Any]:
    torch.manual_seed(0)
    query = torch.randn(2, 4, 6, 8)
    return {"query": query, "key": torch.randn(2, heads, 5, 8), "value": torch.randn(2, heads, 5, 8)} | more


@pytest.mark.parametrize(
    ("heads", "told", "more"),
    [
        (4, {}, {}),
        (4, {"is_causal": True}, {"is_causal": True}),
        (4, {"attn_bias": "bias", "scale": 0.3}, {"attn_mask": "bias", "scale": 0.3}),
        (2, {}, {"enable_gqa": True}),
    ],
)
def test_it_is_what_pytorch_computes(heads: int, told: dict[str, Any], more: dict[str, Any]) -> None:
    bias = torch.randn(2, 4, 6, 5)
    bias[1, 2, 3] = -torch.inf  # a row without anything to attend to
    took = given(heads, **{name: bias if value == "bias" else value for name, value in told.items()})
    tensors = [took[name].requires_grad_() for name in ("query", "key", "value")]
    settings = {name: bias if isinstance(value, str) else value for name, value in more.items()}
    wanted = torch.nn.functional.scaled_dot_product_attention(*tensors, **settings)
    result, sums, seed = attention(took)
    torch.testing.assert_close(result, wanted)
    assert sums.shape == (2, 4, 6)
    gradient = torch.randn_like(wanted)
    gradients = list(attention_backward(took | {"grad_out": gradient, "philox_seed": seed}))
    for one, other in zip(gradients, torch.autograd.grad(wanted, tensors, gradient), strict=True):
        torch.testing.assert_close(one, other)


def test_both_passes_draw_the_same_dropout() -> None:
    took = given(dropout_p=0.5)
    torch.manual_seed(3)
    result, _, seed = attention(took)
    assert not torch.equal(result, next(attention(took))), "another seed"
    # The result is linear in the value: so its gradient tells what has been dropped.
    value = took["value"].clone()
    gradients = list(attention_backward(took | {"grad_out": torch.ones_like(result), "rng_state": seed.reshape(1)}))
    torch.testing.assert_close((gradients[2] * value).sum(), result.sum())


def test_the_gradient_of_the_bias_comes_where_it_is_asked_for() -> None:
    took = given(attn_bias=torch.zeros(2, 4, 6, 5), philox_seed=torch.tensor(0), grad_out_=torch.ones(2, 4, 6, 8))
    assert len(list(attention_backward(took | {"grad_input_mask": [True, True, True, False]}))) == 3
    gradients = list(attention_backward(took | {"grad_input_mask": [True] * 4}))
    assert gradients[3].shape == (2, 4, 6, 5)
