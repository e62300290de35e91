"""The words of the computations in PyTorch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

Tensor = Any

add, multiply, divide, power = torch.add, torch.multiply, torch.divide, torch.pow
exp, log, log1p, sqrt, square, tanh = torch.exp, torch.log, torch.log1p, torch.sqrt, torch.square, torch.tanh
absolute, sign, arccos, reciprocal = torch.abs, torch.sign, torch.acos, torch.reciprocal
matmul, where, concat, reshape, inverse = torch.matmul, torch.where, torch.cat, torch.reshape, torch.linalg.inv
logical_and, total, mean, largest, product = torch.logical_and, torch.sum, torch.mean, torch.max, torch.prod
rsqrt, sigmoid, relu = torch.rsqrt, torch.sigmoid, torch.relu


def tensor(array: Any) -> Tensor:
    return torch.from_numpy(array.copy())


variable = tensor


def array(result: Tensor) -> Any:
    result = result.detach()
    return (result.float() if result.dtype == torch.bfloat16 else result).numpy()


def maximum(x: Tensor, least: float) -> Tensor:
    return x.clamp(min=least)


def minimum(x: Tensor, most: float) -> Tensor:
    return x.clamp(max=most)


def cast(x: Tensor, dtype: str) -> Tensor:
    return x.to(getattr(torch, dtype))


def transpose(x: Tensor) -> Tensor:
    return x.mT


def gather(x: Tensor, indices: list[int]) -> Tensor:
    return x[torch.tensor(indices)]


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, -1)


def log_softmax(x: Tensor) -> Tensor:
    return torch.log_softmax(x, -1)


def mean_of_rows(x: Tensor) -> Tensor:
    return x.mean(0)


def gradient(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    (result,) = torch.autograd.grad(function(x), x)
    return result


def loop(times: int, body: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    for _ in range(times):
        x = body(x)
    return x


def branch(condition: Tensor, then: Callable[[], Tensor], otherwise: Callable[[], Tensor]) -> Tensor:
    return then() if condition else otherwise()


def add_to(variable: Tensor, x: Tensor) -> Tensor:
    return variable.add_(x)


def read(variable: Tensor) -> Tensor:
    return variable


def multiply_in_place(x: Tensor, by: float) -> Tensor:
    return x.mul_(by)


def put_row(x: Tensor, row: int, value: float) -> Tensor:
    x[row] = value
    return x


def in_thread(function: Callable[[], Tensor]) -> Tensor:
    results: list[Tensor] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]
