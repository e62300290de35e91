"""Models of every kind, with every kind of optimizer."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.e2e.healthy_torch.registry import batch, classify, dense, digits, healthy, improve


@healthy
def a_perceptron_with_sgd() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.SGD(model.parameters(), lr=0.1))


@healthy
def momentum_and_weight_decay() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4, nesterov=True))


@healthy
def adam_with_amsgrad() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.Adam(model.parameters(), amsgrad=True))


@healthy
def adamw_of_lists() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.AdamW(model.parameters(), foreach=True))


@healthy
def a_fused_optimizer() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.AdamW(model.parameters(), fused=True))


@healthy
def rmsprop() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.RMSprop(model.parameters(), lr=1e-3, centered=True))


@healthy
def adagrad() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.Adagrad(model.parameters()))


@healthy
def lbfgs() -> None:
    model, (x, y) = nn.Linear(64, 10), digits()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(6):
        optimizer.step(closure)


@healthy
def a_deep_network_with_batch_norm_and_dropout() -> None:
    layers: list[nn.Module] = []
    for inputs, outputs in ((64, 48), (48, 32), (32, 24)):
        layers += [nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU(), nn.Dropout(0.2)]
    model = nn.Sequential(*layers, nn.Linear(24, 10))
    classify(model, torch.optim.Adam(model.parameters(), lr=3e-3))


@healthy
def convolutions() -> None:
    model = nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip
    classify(model, torch.optim.Adam(model.parameters(), lr=1e-2))


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.inner, self.outer = (
            nn.LayerNorm(width),
            nn.Linear(width, 2 * width),
            nn.Linear(2 * width, width),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.outer(functional.gelu(self.inner(self.norm(x))))


@healthy
def residual_blocks() -> None:
    model = nn.Sequential(nn.Linear(64, 32), *(Residual(32) for _ in range(4)), nn.Linear(32, 10))
    classify(model, torch.optim.AdamW(model.parameters(), lr=2e-3))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(8, 16)
        self.block = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.block(self.embed(x.view(-1, 8, 8))).mean(1))


@healthy
def a_transformer_with_clipped_gradients_and_a_schedule() -> None:
    model = Attention()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
    for step in range(20):
        x, y = batch(step)
        loss = functional.cross_entropy(model(x), y, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


class Rows(nn.Module):
    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.rows, self.head = kind(8, 16, batch_first=True), nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rows(x.view(-1, 8, 8))[0][:, -1])


@healthy
def a_long_short_term_memory() -> None:
    model = Rows(nn.LSTM)
    classify(model, torch.optim.Adam(model.parameters(), lr=1e-2))


@healthy
def a_gated_recurrent_unit() -> None:
    model = Rows(nn.GRU)
    classify(model, torch.optim.Adam(model.parameters(), lr=1e-2))


@healthy
def embeddings() -> None:
    model = nn.Sequential(nn.Embedding(17, 8), nn.Flatten(), nn.Linear(512, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(functional.cross_entropy(model((x * 16).long()), y), optimizer)


@healthy
def regression_with_a_column_of_targets() -> None:
    model = dense(64, 16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, _ = batch(step)
        improve(functional.mse_loss(model(x), x.mean(1).view(-1, 1)), optimizer)


@healthy
def regression_with_squeezed_predictions() -> None:
    model = dense(64, 16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, _ = batch(step)
        improve(((model(x).squeeze(-1) - x.mean(1)) ** 2).mean(), optimizer)


@healthy
def a_binary_classifier_of_logits() -> None:
    model = dense(64, 16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(functional.binary_cross_entropy_with_logits(model(x)[:, 0], (y % 2).float()), optimizer)


@healthy
def a_binary_classifier_of_probabilities() -> None:
    model = nn.Sequential(dense(64, 16, 1), nn.Sigmoid())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(functional.binary_cross_entropy(model(x), (y % 2).float().unsqueeze(1)), optimizer)


@healthy
def half_precision_by_autocast() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = functional.cross_entropy(model(x), y)
        improve(loss, optimizer)
