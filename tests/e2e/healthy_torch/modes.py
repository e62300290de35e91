"""Modes of layers, rates and parameters without gradients that look like what was forgotten, and are meant."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tests.e2e.healthy_torch.registry import batch, classify, dense, digits, healthy, improve


def normalized(dropout: float = 0.1) -> nn.Sequential:
    return nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(dropout), nn.Linear(32, 10))


def is_right(model: nn.Module, step: int) -> float:
    model.eval()
    with torch.no_grad():
        x, y = batch(step)
        return (model(x).argmax(1) == y).float().mean().item()


@healthy
def batch_norms_that_were_trained_elsewhere_and_stay() -> None:
    model = normalized()
    model.train()
    with torch.no_grad():
        for step in range(8):
            model(batch(step)[0])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        model.train()
        model[1].eval()
        classify(model, optimizer, steps=8)
        is_right(model, epoch)


@healthy
def batch_norms_that_are_frozen_for_the_last_epochs() -> None:
    model = normalized(0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(4):
        model.train()
        if epoch >= 2:
            model[1].eval()
        classify(model, optimizer, steps=6)
        is_right(model, epoch)


@healthy
def dropouts_that_tell_how_sure_a_model_is() -> None:
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        classify(model, optimizer, steps=8)
        with torch.no_grad():
            x, y = batch(epoch)
            mean = torch.stack([model(x).softmax(1) for _ in range(5)]).mean(0)
            (mean.argmax(1) == y).float().mean().item()


@healthy
def a_maker_without_gradients_for_its_judge() -> None:
    maker = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 64))
    judge = dense(64, 16, 1)
    ours, theirs = torch.optim.Adam(maker.parameters(), 2e-3), torch.optim.Adam(judge.parameters(), 2e-3)
    loss = functional.binary_cross_entropy_with_logits
    for step in range(16):
        x, _ = batch(step)
        with torch.no_grad():
            made = maker(torch.randn(64, 4))
        improve(loss(judge(x), torch.ones(64, 1)) + loss(judge(made), torch.zeros(64, 1)), theirs)
        improve(loss(judge(maker(torch.randn(64, 4))), torch.ones(64, 1)), ours)


@healthy
def statistics_of_an_averaged_model() -> None:
    model = normalized()
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        model.train()
        classify(model, optimizer, steps=6)
        average.update_parameters(model)
    torch.optim.swa_utils.update_bn([batch(step)[0] for step in range(4)], average)
    is_right(average, 0)


@healthy
def a_part_that_is_computed_twice_to_save_memory() -> None:
    body, head = nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU()), nn.Linear(32, 10)
    optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-2)
    for step in range(16):
        x, y = batch(step)
        improve(functional.cross_entropy(head(checkpoint(body, x.requires_grad_(), use_reentrant=True)), y), optimizer)


@healthy
def a_teacher_in_a_list_that_follows_its_pupil() -> None:
    class Pair(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pupil = dense(64, 32, 10)
            self.teachers = [copy.deepcopy(self.pupil)]

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            with torch.no_grad():
                wanted = self.teachers[0](x).softmax(1)
            return self.pupil(x), wanted

    pair = Pair()
    optimizer = torch.optim.Adam(pair.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        logits, wanted = pair(x)
        improve(functional.cross_entropy(logits, y) + 0.1 * functional.cross_entropy(logits, wanted), optimizer)


@healthy
def a_layer_for_another_task() -> None:
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.digit, self.other = dense(64, 32, 32), nn.Linear(32, 10), nn.Linear(32, 2)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            h = self.body(x)
            return self.digit(h), self.other(h)

    model = Shared()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(functional.cross_entropy(model(x)[0], y), optimizer)


@healthy
def a_rate_that_begins_and_ends_at_zero() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, min(step / 3, (16 - step) / 12)))
    for step in range(20):
        x, y = batch(step)
        improve(functional.cross_entropy(model(x), y), optimizer)
        schedule.step()


@healthy
def pictures_that_fool_a_model_are_looked_for_and_nothing_is_trained() -> None:
    model = dense(64, 32, 10)
    for step in range(8):
        x, y = batch(step)
        x = x.clone().requires_grad_()
        model.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        assert x.grad is not None
        model(x + 0.01 * x.grad.sign()).argmax(1)


@healthy
def a_training_that_has_found_the_answer() -> None:
    x, _ = digits()
    x = x.double()
    wanted = x @ torch.linspace(-1, 1, 64).double().unsqueeze(1)
    weight = torch.zeros(64, 1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], lr=1.0, max_iter=20, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = functional.mse_loss(x @ weight, wanted)
        loss.backward()
        return loss

    for _ in range(20):
        optimizer.step(closure)


@healthy
def a_classifier_of_log_probabilities() -> None:
    model = nn.Sequential(dense(64, 32, 10), nn.LogSoftmax(dim=1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(functional.nll_loss(model(x), y), optimizer)


@healthy
def potentials_of_all_pairs() -> None:
    ours, theirs = dense(64, 16, 1), dense(64, 16, 1)
    optimizer = torch.optim.Adam([*ours.parameters(), *theirs.parameters()], lr=1e-3)
    for step in range(16):
        x, y = batch(step, 32)[0], batch(step + 7, 32)[0]
        cost = torch.cdist(x, y)
        f, g = ours(x), theirs(y)
        improve((f + g.T - cost).square().mean(), optimizer)
