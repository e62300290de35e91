"""Computes recurrent layers and cells as their definitions say, in place of the kernels that only a GPU has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_LSTM = 2
"""cuDNN's number of this kind of layers; those with ReLU and tanh come before it, and behind it GRU's."""


def recurrent(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the outputs and the last states, and for what cuDNN keeps the seed of the dropout between layers."""
    import torch

    seed = int(torch.randint(2**31, ()))
    outputs, state, cell = _run(given, list(given["weight"]), seed)
    yield outputs
    yield state
    yield cell
    yield torch.tensor([seed], device="cpu").view(torch.uint8) if given["train"] else None


def recurrent_backward(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the gradients of the inputs, of the states and of the weights."""
    import torch

    seed = int(given["reserve"][:8].clone().view(torch.int64))
    weights = [each.detach().requires_grad_() for each in given["weight"]]
    states = [given[name].detach().requires_grad_() for name in ("hx", "cx") if given[name] is not None]
    inputs = given["input"].detach().requires_grad_()
    again = dict(given) | {"input": inputs} | dict(zip(("hx", "cx"), states, strict=False))
    with torch.enable_grad():
        results = _run(again, weights, seed)
        told = zip(results, ("grad_output", "grad_hy", "grad_cy"), strict=True)
        pairs = [(result, given[name]) for result, name in told if result is not None and given[name] is not None]
    wanted = [inputs, *states, *(weights if given["output_mask"][3] else ())]
    results_of, gradients = zip(*pairs, strict=True)
    yield from torch.autograd.grad(results_of, wanted, gradients, allow_unused=True, materialize_grads=True)


def _run(given: Mapping[str, Any], weights: list[Any], seed: int) -> tuple[Any, Any, Any]:
    """The outputs and the last states; what dropout there is between layers is drawn from the seed."""
    import torch

    mode, train = int(given["mode"]), bool(given["train"])
    layers: Any = (torch.rnn_relu, torch.rnn_tanh, torch.lstm, torch.gru)[mode]
    state = (given["hx"], given["cx"]) if mode == _LSTM else given["hx"]
    has_biases = int(given["weight_stride0"]) >= 4
    rest = (has_biases, int(given["num_layers"]), float(given["dropout"]), train, bool(given["bidirectional"]))
    sizes = list(given.get("batch_sizes") or ())
    before = torch.get_rng_state()
    torch.manual_seed(seed)
    try:
        if sizes:
            results = layers(given["input"], torch.tensor(sizes, device="cpu"), state, weights, *rest)
        else:
            results = layers(given["input"], state, weights, *rest, bool(given["batch_first"]))
    finally:
        torch.set_rng_state(before)
    return results if mode == _LSTM else (*results, None)


def lstm_cell(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the states, and the gates for the backward pass."""
    import torch

    enter, forget, new, leave = _gates(given, "input").add(_gates(given, "hidden")).chunk(4, 1)
    gates = [enter.sigmoid(), forget.sigmoid(), new.tanh(), leave.sigmoid()]
    cell = gates[1] * given["cx"] + gates[0] * gates[2]
    yield gates[3] * cell.tanh()
    yield cell
    yield torch.cat(gates, 1)


def lstm_cell_backward(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the gradients of the gates, of the cell's state, and of the biases."""
    import torch

    enter, forget, new, leave = given["workspace"].chunk(4, 1)
    bent = given["cy"].tanh()
    of_state = torch.zeros_like(bent) if given["grad_hy"] is None else given["grad_hy"]
    of_cell = of_state * leave * (1 - bent * bent) + (0.0 if given["grad_cy"] is None else given["grad_cy"])
    parts = [
        of_cell * new * enter * (1 - enter),
        of_cell * given["cx"] * forget * (1 - forget),
        of_cell * enter * (1 - new * new),
        of_state * bent * leave * (1 - leave),
    ]
    gates = torch.cat(parts, 1)
    yield gates
    yield of_cell * forget
    if given["has_bias"]:
        yield gates.sum(0)


def gru_cell(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the state, and what the backward pass takes."""
    import torch

    reset, update, new = _gates(given, "input").chunk(3, 1)
    reset_hidden, update_hidden, hidden = _gates(given, "hidden").chunk(3, 1)
    reset, update = (reset + reset_hidden).sigmoid(), (update + update_hidden).sigmoid()
    new = (new + reset * hidden).tanh()
    yield new + update * (given["hx"] - new)
    yield torch.cat([reset, update, new, given["hx"], hidden], 1)


def gru_cell_backward(given: Mapping[str, Any]) -> Iterator[Any]:
    """Gives the gradients of both kinds of gates, of the state, and of both biases."""
    import torch

    reset, update, new, state, hidden = given["workspace"].chunk(5, 1)
    gradient = given["grad_hy"]
    of_update = gradient * (state - new) * (1 - update) * update
    of_new = gradient * (1 - update) * (1 - new * new)
    of_reset = of_new * hidden * (1 - reset) * reset
    inputs = torch.cat([of_reset, of_update, of_new], 1)
    hiddens = torch.cat([of_reset, of_update, of_new * reset], 1)
    yield inputs
    yield hiddens
    yield gradient * update
    if given["has_bias"]:
        yield inputs.sum(0)
        yield hiddens.sum(0)


def _gates(given: Mapping[str, Any], kind: str) -> Any:
    gates, bias = given[f"{kind}_gates"], given.get(f"{kind}_bias")
    return gates if bias is None else gates + bias
