"""Compares what takes the place of a GPU's kernels with PyTorch's own layers on a processor, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tensordbg.backends.torch.replay.without_gpu.recurrent import (
    gru_cell,
    gru_cell_backward,
    lstm_cell,
    lstm_cell_backward,
    recurrent,
    recurrent_backward,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
nn = torch.nn

KINDS = {"relu": 0, "tanh": 1, "lstm": 2, "gru": 3}


def alike(one: Sequence[Any], other: Sequence[Any]) -> None:
    assert len(one) == len(other)
    for each, wanted in zip(one, other, strict=True):
        torch.testing.assert_close(each, wanted)


def gates_of(cell: Any, inputs: Any, state: Any) -> dict[str, Any]:
    return {
        "input_gates": inputs @ cell.weight_ih.T,
        "hidden_gates": state @ cell.weight_hh.T,
        "input_bias": cell.bias_ih,
        "hidden_bias": cell.bias_hh,
    }


def test_a_cell_of_lstm() -> None:
    torch.manual_seed(0)
    cell = nn.LSTMCell(3, 4)
    inputs, state, inner = torch.randn(5, 3), torch.randn(5, 4), torch.randn(5, 4, requires_grad=True)
    given = {name: value.detach().requires_grad_() for name, value in gates_of(cell, inputs, state).items()}
    wanted = cell(inputs, (state, inner))
    results = list(lstm_cell(given | {"cx": inner}))
    alike(results[:2], wanted)
    gradients = [torch.randn(5, 4), torch.randn(5, 4)]
    told = {"grad_hy": gradients[0], "grad_cy": gradients[1], "cx": inner, "cy": results[1], "workspace": results[2]}
    gates, of_inner, bias = lstm_cell_backward(told | {"has_bias": True})
    others = torch.autograd.grad(results[:2], [given["input_gates"], inner, given["input_bias"]], gradients)
    alike([gates, of_inner, bias], others)
    alike([*lstm_cell_backward(told | {"grad_hy": None, "has_bias": False})][1:], [gradients[1] * results[2][:, 4:8]])


def test_a_cell_of_gru() -> None:
    torch.manual_seed(0)
    cell = nn.GRUCell(3, 4)
    inputs, state = torch.randn(5, 3), torch.randn(5, 4, requires_grad=True)
    given = {name: value.detach().requires_grad_() for name, value in gates_of(cell, inputs, state).items()}
    result, workspace = gru_cell(given | {"hx": state})
    alike([result], [cell(inputs, state)])
    gradient = torch.randn(5, 4)
    found = list(gru_cell_backward({"grad_hy": gradient, "workspace": workspace, "has_bias": True}))
    places = [given["input_gates"], given["hidden_gates"], state, given["input_bias"], given["hidden_bias"]]
    alike(found, torch.autograd.grad(result, places, gradient))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("packed", [False, True])
def test_layers_and_their_gradients(kind: str, packed: bool) -> None:
    torch.manual_seed(0)
    layers = {"lstm": nn.LSTM, "gru": nn.GRU}.get(kind, nn.RNN)
    settings = {} if kind in ("lstm", "gru") else {"nonlinearity": kind}
    layer = layers(3, 4, 2, batch_first=not packed, bidirectional=True, **settings)
    inputs, states = torch.randn(5, 6, 3), torch.randn(4, 5, 4)
    packing = nn.utils.rnn.pack_padded_sequence(inputs, [6, 5, 5, 2, 1], batch_first=True) if packed else None
    took = inputs if packing is None else packing.data
    took.requires_grad_()
    inner = torch.randn(4, 5, 4) if kind == "lstm" else None
    given: dict[str, Any] = {"input": took, "weight": list(layer.parameters()), "weight_stride0": 4, "hx": states}
    given |= {"cx": inner, "mode": KINDS[kind], "num_layers": 2, "batch_first": not packed, "dropout": 0.0}
    given |= {"batch_sizes": [] if packing is None else packing.batch_sizes.tolist(), "bidirectional": True}
    given |= {"train": True, "output_mask": [True] * 4}
    outputs, last, cell, kept = recurrent(given)
    state = states if inner is None else (states, inner)
    wanted, wanted_state = layer(inputs if packing is None else packing, state)
    wanted = wanted if packing is None else wanted.data
    alike([outputs, last], [wanted, wanted_state if inner is None else wanted_state[0]])
    assert (cell is None) == (inner is None)
    gradient = torch.randn_like(wanted)
    told = given | {"grad_output": gradient, "grad_hy": None, "grad_cy": None, "reserve": torch.cat([kept, kept])}
    found = list(recurrent_backward(told))
    places = [took, *given["weight"]]
    apart = 2 if inner is None else 3
    alike([found[0], *found[apart:]], torch.autograd.grad(wanted, places, gradient))
    assert len(list(recurrent_backward(told | {"output_mask": [True, True, True, False]}))) == apart


def test_dropout_between_layers_is_drawn_the_same_in_both_passes() -> None:
    torch.manual_seed(0)
    layer = nn.LSTM(3, 4, 2, dropout=0.5)
    states = torch.zeros(2, 5, 4)
    given = {"input": torch.randn(6, 5, 3), "weight": list(layer.parameters()), "weight_stride0": 4, "hx": states}
    given |= {"cx": states, "mode": 2, "num_layers": 2, "batch_first": False, "dropout": 0.5, "train": True}
    given |= {"bidirectional": False, "batch_sizes": [], "output_mask": [True] * 4}
    before = torch.get_rng_state()
    outputs, _, _, kept = recurrent(given)
    torch.set_rng_state(before)
    seed = int(torch.randint(2**31, ()))
    torch.manual_seed(seed)
    wanted, _ = layer(given["input"], (states, states))
    alike([outputs], [wanted])
    gradient = torch.randn_like(wanted)
    told = given | {"grad_output": gradient, "grad_hy": None, "grad_cy": None, "reserve": kept}
    alike(list(recurrent_backward(told))[3:], torch.autograd.grad(wanted, given["weight"], gradient))
