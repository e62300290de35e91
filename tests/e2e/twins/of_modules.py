"""Trains ports of the Keras models to PyTorch modules, right ones and wrong ones: `python -m ... FOLDER`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  as everyone calls it
from torch import nn

import tensordbg
from tests.e2e.twins import numbers as given

T = torch.tensor


class Convnet(nn.Module):
    def __init__(self, changed: str) -> None:
        super().__init__()
        self.changed = changed
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        momentum = 0.1 if changed == "momentum" else 0.01
        self.norm = nn.BatchNorm2d(8, eps=1e-5 if changed == "epsilon" else 1e-3, momentum=momentum)
        self.act = nn.LeakyReLU(0.01 if changed == "slope" else 0.3)
        self.second = nn.Conv2d(8, 12, 3, stride=2, padding=1 if changed == "padding" else 0)
        self.head = nn.Linear(12, 5)

    def forward(self, x: Any) -> Any:
        x = x.permute(0, 2, 3, 1).permute(0, 3, 2, 1) if self.changed == "swapped" else x
        x = self.act(self.norm(self.first(x)))
        x = F.avg_pool2d(x, 2) if self.changed == "average" else F.max_pool2d(x, 2)
        x = self.second(x if self.changed == "padding" else F.pad(x, (0, 1, 0, 1)))
        return self.head(x.mean((2, 3)))


class Block(nn.Module):
    def __init__(self, width: int, wider: int, stride: int, changed: str) -> None:
        super().__init__()
        self.changed = changed
        self.a = nn.Conv2d(width, wider, 3, stride, padding=1, bias=False)
        self.na = nn.BatchNorm2d(wider, momentum=0.01)
        self.b = nn.Conv2d(wider, wider, 3, padding=1, bias=False)
        self.nb = nn.BatchNorm2d(wider, momentum=0.01)
        self.s = nn.Conv2d(width, wider, 1, stride, bias=False) if stride != 1 else nn.Identity()

    def forward(self, x: Any) -> Any:
        h = self.nb(self.b(F.relu(self.na(self.a(x)))))
        if self.changed == "residual":
            return F.relu(h)
        return F.relu(h) + self.s(x) if self.changed == "early" else F.relu(h + self.s(x))


class Resnet(nn.Module):
    def __init__(self, changed: str) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(Block(8, 8, 1, changed), Block(8, 16, 2, ""))
        self.head = nn.Linear(16, 5)
        self.train(changed != "evaluation")

    def forward(self, x: Any) -> Any:
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class Encoder(nn.Module):
    def __init__(self, changed: str) -> None:
        super().__init__()
        self.changed = changed
        self.embedding = nn.Embedding(30, 16)
        self.norm1 = nn.LayerNorm(16, eps=1e-5 if changed == "epsilon" else 1e-3)
        self.q, self.k, self.v = nn.Linear(16, 32), nn.Linear(16, 16), nn.Linear(16, 16)
        self.o = nn.Linear(32, 16)
        self.norm2 = nn.LayerNorm(16, eps=1e-3)
        self.up, self.down, self.head = nn.Linear(16, 32), nn.Linear(32, 16), nn.Linear(16, 5)

    def attended(self, x: Any) -> Any:
        q, k, v = (each(x).unflatten(-1, (-1, 8)).transpose(1, 2) for each in (self.q, self.k, self.v))
        if self.changed == "repeated":
            k, v = (each.repeat(1, 2, 1, 1) for each in (k, v))
        else:
            k, v = (each.repeat_interleave(2, 1) for each in (k, v))
        scores = q @ k.transpose(-1, -2)
        scores = scores if self.changed == "unscaled" else scores / 8**0.5
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, ids: Any) -> Any:
        x = self.embedding(ids)
        x = x + self.attended(self.norm1(x))
        h = F.gelu(self.up(self.norm2(x)), approximate="tanh" if self.changed == "approximation" else "none")
        h = F.dropout(h, 0.1) if self.changed == "dropout" else h
        x = x + self.down(h)
        return self.head(x[:, -1] if self.changed == "last" else x.mean(1))


class Recurrent(nn.Module):
    def __init__(self, changed: str) -> None:
        super().__init__()
        self.changed = changed
        self.embedding = nn.Embedding(30, 16)
        self.lstm = nn.LSTM(16, 12, batch_first=True)
        self.lstm.bias_hh_l0.requires_grad_(changed == "biases")  # Keras has one bias, and trains one
        self.head = nn.Linear(12, 5)

    def forward(self, ids: Any) -> Any:
        out, _ = self.lstm(self.embedding(ids))
        return self.head(out.mean(1) if self.changed == "mean" else out[:, -1])


class Tower(nn.Module):
    def __init__(self, _: str) -> None:
        super().__init__()
        self.first, self.second, self.head = nn.Linear(20, 32), nn.Linear(32, 16), nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        return self.head(F.elu(self.second(torch.tanh(self.first(x)))))


def loaded(model: nn.Module, kept: Any, changed: str) -> nn.Module:
    """Loads the weights of Keras, each where it belongs."""
    weights = {re.sub("^sequential[_0-9]*/", "", path): kept[path] for path in kept.files}
    if isinstance(model, Recurrent):
        _load_lstm(model, weights, changed)
    elif isinstance(model, Encoder):
        _load_attention(model, weights)
    for name, module in model.named_modules():
        _load(module, weights, _KERAS.get(name, name.replace("blocks.", "").replace(".", "/")))
    return model


_KERAS = {f"blocks.{number}.{part}": f"{part}{number}" for number in range(2) for part in ("a", "na", "b", "nb", "s")}


def _load(module: nn.Module, weights: Any, name: str) -> None:
    names = {"weight": ("kernel", "gamma", "embeddings"), "bias": ("bias", "beta")}
    for own, theirs in names.items():
        for each in theirs:
            value = weights.get(f"{name}/{each}")
            if value is not None and isinstance(getattr(module, own, None), torch.Tensor):
                turned = {"kernel": {4: (3, 2, 0, 1), 2: (1, 0)}}.get(each, {}).get(value.ndim)
                getattr(module, own).data = T(value if turned is None else value.transpose(turned).copy())


def _load_attention(model: Encoder, weights: Any) -> None:
    for own, theirs in (("q", "query"), ("k", "key"), ("v", "value"), ("o", "attention_output")):
        module, path = getattr(model, own), f"attention/{theirs}"
        kernel = weights[f"{path}/kernel"]
        module.weight.data = T(kernel.reshape(module.in_features, module.out_features).T.copy())
        module.bias.data = T(weights[f"{path}/bias"].reshape(-1))


def _load_lstm(model: Recurrent, weights: Any, changed: str) -> None:
    lstm: Any = model.lstm
    kernel, inner, bias = (weights[f"lstm/lstm_cell/{name}"] for name in ("kernel", "recurrent_kernel", "bias"))
    if changed == "order":  # input, forget and output, cell: as other libraries have it
        i, f, c, o = np.split(np.arange(48), 4)
        order = np.concatenate([i, f, o, c])
        kernel, inner, bias = kernel[:, order], inner[:, order], bias[order]
    if changed == "forget":
        bias = bias - np.repeat(np.array([0, 1, 0, 0], "float32"), 12)
    lstm.weight_ih_l0.data, lstm.weight_hh_l0.data = T(kernel.T.copy()), T(inner.T.copy())
    lstm.bias_ih_l0.data, lstm.bias_hh_l0.data = T(bias), torch.zeros(48)


def train(name: str, changed: str, folder: Path) -> None:
    build, x, labels = MODELS[name]
    model = loaded(build(changed), np.load(folder / f"{name}.npz"), changed)
    run: Any = torch.compile(model) if changed == "compiled" else model
    optimizer: Any = torch.optim.SGD(model.parameters(), 0.1 if changed == "rate" else 0.05)
    if name == "tower":
        optimizer = torch.optim.Adam(
            model.parameters(), 0.02 if changed == "rate" else 0.01, eps=1e-3 if changed == "adam" else 1e-12
        )
    for _ in range(3):
        optimizer.zero_grad()
        losses = F.cross_entropy(run(x), labels, reduction="none")
        if name == "tower":
            losses = losses * (T(given.ROWS)[:, None] if changed == "broadcast" else T(given.ROWS))
        (losses.sum() if changed == "sum" else losses.mean()).backward()
        optimizer.step()


IMAGES = T(given.IMAGES).permute(0, 3, 1, 2).contiguous()
MODELS: Any = {
    "convnet": (Convnet, IMAGES, T(given.CLASSES)),
    "resnet": (Resnet, IMAGES, T(given.CLASSES)),
    "encoder": (Encoder, T(given.IDS), T(given.CLASSES)),
    "recurrent": (Recurrent, T(given.IDS), T(given.CLASSES)),
    "tower": (Tower, T(given.X), T(given.LABELS)),
}
if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for name, changes in given.PORTS.items():
        for changed in ("", "compiled", *changes):
            with tensordbg.record(Path(sys.argv[1]) / f"{name}-{changed or 'modules'}"):
                train(name, changed, Path(sys.argv[1]))
