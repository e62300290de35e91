"""Trains the same four models in PyTorch, as they are and each with one thing changed, and records each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  as everyone calls it

import tensordbg
from tests.e2e.twins import numbers as given

T = torch.tensor


def mlp(p: Any, changed: str) -> Any:
    x = T(given.X[::-1] * given.X.dtype.type(1.5)) if changed == "everything" else T(given.X)
    h = F.relu(x @ p["w1"] + p["b1"]) @ p["w2"]
    return (h * 0.9 if changed == "scale" else h) + p["b2"]


def cnn(p: Any, changed: str) -> Any:
    kernel = {name: p[name].permute(3, 2, 0, 1) for name in ("k1", "k2")}
    h = F.conv2d(T(given.IMAGES).permute(0, 3, 1, 2), kernel["k1"], padding=1)
    h = F.batch_norm(h, None, None, p["gamma"], p["beta"], True, 0.1, 1e-3 if changed == "epsilon" else 1e-5)
    h = F.avg_pool2d(F.relu(h), 2) if changed == "pool" else F.max_pool2d(F.relu(h), 2)
    h = F.max_pool2d(F.relu(F.conv2d(h, kernel["k2"], padding=1)), 2)
    return (h if changed == "flatten" else h.permute(0, 2, 3, 1)).reshape(4, -1) @ p["fc"]


def attended(q: Any, k: Any, v: Any, changed: str) -> Any:
    if changed == "fused":
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    scores = q @ k.transpose(-1, -2)
    scores = scores if changed == "unscaled" else scores * 0.5
    if changed != "unmasked":
        scores = scores.masked_fill(torch.triu(torch.ones(6, 6, dtype=torch.bool), 1), -1e9)
    return torch.softmax(scores, -2 if changed == "axis" else -1) @ v


def transformer(p: Any, changed: str) -> Any:
    def normalised(x: Any, epsilon: float = 1e-5) -> Any:
        return F.layer_norm(x, (16,), p["gamma"], p["beta"], epsilon)

    x = p["embedding"][T(given.IDS)]
    h = normalised(x, 1e-3 if changed == "epsilon" else 1e-5)
    q, k, v = ((h @ p[name]).reshape(4, 6, 4, 4).transpose(1, 2) for name in "qkv")
    x = x + attended(q, k, v, changed).transpose(1, 2).reshape(4, 6, 16) @ p["o"]
    u = F.gelu(normalised(x) @ p["f1"], approximate="tanh" if changed == "gelu" else "none")
    u = F.dropout(u, 0.1) if changed == "dropout" else u
    x = u @ p["f2"] if changed == "residual" else x + u @ p["f2"]
    return (x @ p["embedding"].T).reshape(-1, 30)


def lstm(p: Any, changed: str) -> Any:
    x, h, c, out = p["embedding"][T(given.IDS)], torch.zeros(4, 12), torch.zeros(4, 12), []
    for step in range(6):
        i, f, g, o = (x[:, step] @ p["kernel"] + h @ p["recurrent"] + p["bias"]).chunk(4, 1)
        i, f = (f, i) if changed == "gates" else (i, f)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        out.append(h)
    return (torch.stack(out, 1) @ p["out"]).reshape(-1, 30)


def train(name: str, changed: str) -> None:
    model, weights, labels = MODELS[name]
    if changed == "parameter":
        weights = weights | {"f1": weights["f1"] * weights["f1"].dtype.type(1.01)}
    if changed == "everything":
        weights = {key: value[::-1] * value.dtype.type(0.7) for key, value in weights.items()}
    if changed == "transposed":
        weights = weights | {"q": weights["q"].T.copy()}
    p = {key: torch.nn.Parameter(T(value)) for key, value in weights.items()}
    optimizer = torch.optim.SGD(p.values(), 0.1, weight_decay=0.1 if changed == "decay" else 0.0)
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=changed == "bfloat16"):
            logits = model(p, changed)
        loss = F.cross_entropy(
            logits.float(), T(labels), label_smoothing=0.1 if changed == "smoothing" else 0.0,
            reduction="sum" if changed == "reduction" else "mean",
        )  # fmt: skip
        scaler = torch.amp.GradScaler("cpu", 1024.0, enabled=changed == "scaled")
        scaler.scale(loss).backward()
        if changed == "clipping":
            torch.nn.utils.clip_grad_norm_(p.values(), 0.1)
        scaler.step(optimizer)


MODELS: Any = {
    "mlp": (mlp, given.MLP, given.LABELS),
    "cnn": (cnn, given.CNN, given.CLASSES),
    "transformer": (transformer, given.TRANSFORMER, given.NEXT),
    "lstm": (lstm, given.LSTM, given.NEXT),
}
if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for name, changes in given.CHANGES.items():
        for changed in ("", "bfloat16", *changes):
            with tensordbg.record(Path(sys.argv[1]) / f"{name}-{changed or 'torch'}"):
                train(name, changed)
