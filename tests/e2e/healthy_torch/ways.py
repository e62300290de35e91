"""Ways to train that look like mistakes, and are none."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.e2e.healthy_torch.registry import batch, classify, dense, healthy, improve


@healthy
def frozen_layers() -> None:
    model = dense(64, 32, 32, 10)
    for parameter in model[:3].parameters():
        parameter.requires_grad_(False)
    classify(model, torch.optim.Adam([each for each in model.parameters() if each.requires_grad], lr=1e-2))


@healthy
def a_new_head_on_a_body_that_is_not_differentiated() -> None:
    body, head = dense(64, 32, 32), nn.Linear(32, 10)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        with torch.no_grad():
            features = body(x)
        improve(functional.cross_entropy(head(features), y), optimizer)


@healthy
def biases_that_a_batch_normalization_takes_away_and_their_average() -> None:
    body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
    model = nn.Sequential(nn.Unflatten(1, (1, 8, 8)), *body, nn.Linear(16, 10))
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for step in range(16):
        x, y = batch(step)
        improve(functional.cross_entropy(model(x), y), optimizer)
        with torch.no_grad():
            for kept, parameter in zip(average.parameters(), model.parameters(), strict=True):
                kept.lerp_(parameter, 0.1)
            average.eval()(x)


@healthy
def gradients_of_four_batches_added_up() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(32):
        x, y = batch(step, 16)
        (functional.cross_entropy(model(x), y) / 4).backward()
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


@healthy
def gradients_set_to_zero_by_hand() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(16):
        x, y = batch(step)
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.zero_()
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()


@healthy
def gradients_set_to_zero_in_place_after_several_batches() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=True)
    for step in range(30):
        x, y = batch(step, 16)
        (functional.cross_entropy(model(x), y) / 3).backward()
        if step % 3 == 2:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


@healthy
def two_optimizers_for_two_parts() -> None:
    body, head = dense(64, 32, 32), nn.Linear(32, 10)
    optimizers = [torch.optim.SGD(body.parameters(), lr=0.05), torch.optim.Adam(head.parameters(), lr=1e-2)]
    for step in range(20):
        x, y = batch(step)
        for each in optimizers:
            each.zero_grad()
        functional.cross_entropy(head(torch.relu(body(x))), y).backward()
        for each in optimizers:
            each.step()


@healthy
def an_adversarial_pair() -> None:
    maker, judge = dense(4, 16, 64), dense(64, 16, 1)
    ours, theirs = torch.optim.Adam(maker.parameters(), 2e-3), torch.optim.Adam(judge.parameters(), 2e-3)
    yes, no = torch.ones(64, 1), torch.zeros(64, 1)
    for step in range(20):
        x, _ = batch(step)
        made = maker(torch.randn(64, 4))
        loss = functional.binary_cross_entropy_with_logits
        improve(loss(judge(x), yes) + loss(judge(made.detach()), no), theirs)
        improve(loss(judge(made), yes), ours)


@healthy
def training_and_evaluation_in_turn() -> None:
    model = nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        model.train()
        classify(model, optimizer, steps=8)
        model.eval()
        with torch.no_grad():
            x, y = batch(epoch)
            (model(x).argmax(1) == y).float().mean().item()


@healthy
def a_moving_average_of_the_weights() -> None:
    model = dense(64, 32, 10)
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        classify(model, optimizer, steps=1)
        with torch.no_grad():
            for mean, now in zip(average.parameters(), model.parameters(), strict=True):
                mean.lerp_(now, 0.1)
            average(batch(step)[0])


@healthy
def weights_that_two_layers_share() -> None:
    encoder = nn.Linear(64, 16)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-2)
    for step in range(20):
        x, _ = batch(step)
        improve(functional.mse_loss(functional.linear(torch.relu(encoder(x)), encoder.weight.t()), x), optimizer)


@healthy
def a_policy_that_learns_from_rewards() -> None:
    policy = dense(64, 16, 4)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        chances = torch.distributions.Categorical(logits=policy(x))
        action = chances.sample()
        reward = (action == y % 4).float()
        improve(-(chances.log_prob(action) * (reward - reward.mean())).mean(), optimizer)


@healthy
def a_variational_autoencoder() -> None:
    encoder, decoder = dense(64, 32, 8), dense(4, 32, 64)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=3e-3)
    for step in range(20):
        x, _ = batch(step)
        mean, spread = encoder(x).chunk(2, 1)
        made = decoder(mean + torch.randn_like(mean) * (0.5 * spread).exp())
        divergence = -0.5 * (1 + spread - mean**2 - spread.exp()).sum(1).mean()
        improve(functional.binary_cross_entropy_with_logits(made, x) * 64 + divergence, optimizer)


@healthy
def weights_without_a_module() -> None:
    x, _ = batch(0)
    target = x.mean(1)
    w = torch.zeros(64, requires_grad=True)
    for _ in range(20):
        loss = ((x @ w - target) ** 2).mean()
        (slope,) = torch.autograd.grad(loss, [w])
        with torch.no_grad():
            w -= 0.05 * slope


@healthy
def a_temperature_that_stays() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.temperature = dense(64, 32, 10), nn.Parameter(torch.tensor(2.0))

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x) / self.temperature

    model = Scaled()
    classify(model, torch.optim.Adam(model.inner.parameters(), lr=1e-2))


@healthy
def a_loss_with_a_teacher() -> None:
    teacher, pupil = dense(64, 32, 10), dense(64, 16, 10)
    classify(teacher, torch.optim.Adam(teacher.parameters(), lr=1e-2), steps=10)
    optimizer = torch.optim.Adam(pupil.parameters(), lr=1e-2)
    for step in range(20):
        x, _ = batch(step)
        with torch.no_grad():
            wanted = torch.softmax(teacher(x) / 2, 1)
        improve(functional.kl_div(functional.log_softmax(pupil(x) / 2, 1), wanted, reduction="batchmean"), optimizer)


@healthy
def a_picture_that_is_optimized() -> None:
    model = dense(64, 32, 10)
    classify(model, torch.optim.Adam(model.parameters(), lr=1e-2), steps=10)
    model.requires_grad_(False)
    picture = torch.rand(1, 64, requires_grad=True)
    optimizer = torch.optim.Adam([picture], lr=0.05)
    for _ in range(20):
        improve(-model(picture)[0, 3], optimizer)


@healthy
def a_training_that_asks_whether_its_numbers_are_finite() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, foreach=True)
    best = torch.tensor(1e9)
    for step in range(24):
        x, y = batch(step)
        loss = functional.cross_entropy(model(x).clamp(max=float("inf")), y)
        assert bool(loss.isfinite())
        assert not bool(torch.isinf(loss) | (loss == float("inf")))
        assert bool((loss < float("inf")).all())
        assert bool(torch.ne(loss, -float("inf")))
        improve(loss, optimizer)
        assert all(bool(torch.isfinite(each.grad).all()) for each in model.parameters() if each.grad is not None)
        best = torch.minimum(best, loss.detach())


@healthy
def actions_that_are_not_allowed() -> None:
    policy = dense(64, 32, 10)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for step in range(24):
        x, y = batch(step)
        allowed = torch.rand(len(x), 10) > 0.3
        allowed[range(len(y)), y] = True
        logits = policy(x).masked_fill(~allowed, -float("inf"))
        improve(-torch.distributions.Categorical(logits=logits).log_prob(y).mean(), optimizer)


@healthy
def rows_of_the_logits_and_of_the_labels_chosen_on_one_line() -> None:
    model = dense(64, 32, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(16):
        x, y = batch(step)
        chosen = torch.arange(len(y)) % 3 > 0
        improve(functional.cross_entropy(model(x)[chosen], y[chosen]), optimizer)


@healthy
def a_critic_whose_last_bias_cancels_in_the_difference_of_its_losses() -> None:
    maker, critic = dense(8, 32, 64), dense(64, 32, 1)
    of_maker = torch.optim.RMSprop(maker.parameters(), lr=1e-4)
    of_critic = torch.optim.RMSprop(critic.parameters(), lr=1e-4)
    for step in range(24):
        x, _ = batch(step)
        made = maker(torch.randn(len(x), 8))
        improve(critic(made.detach()).mean() - critic(x).mean(), of_critic)
        for parameter in critic.parameters():
            parameter.data.clamp_(-0.1, 0.1)
        improve(-critic(made).mean(), of_maker)


@healthy
def an_example_that_is_made_to_go_wrong() -> None:
    model = dense(64, 32, 10).requires_grad_(False)
    x, y = batch(0)
    change = nn.Parameter(torch.zeros_like(x))
    optimizer = torch.optim.Adam([change], lr=1e-3)
    for _ in range(20):
        improve(-functional.cross_entropy(model(x + change), y), optimizer)


@healthy
def rewards_that_grow() -> None:
    policy = dense(64, 32, 10)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(-(functional.softmax(policy(x), 1) * functional.one_hot(y, 10)).sum(1).mean(), optimizer)


@healthy
def a_change_that_fools_a_model_on_every_batch() -> None:
    model = dense(64, 32, 10)
    everywhere = nn.Parameter(torch.zeros(64))
    optimizer = torch.optim.Adam([everywhere], lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        improve(-functional.cross_entropy(model(x + everywhere), y), optimizer)


@healthy
def a_target_network_that_is_not_copied_yet() -> None:
    online, target = dense(64, 16, 4), dense(64, 16, 4)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-2)
    for step in range(20):
        x, y = batch(step)
        wanted = (y % 2).float() + 0.9 * target(batch(step + 1)[0]).max(1).values.detach()
        improve(functional.mse_loss(online(x).gather(1, (y % 4).unsqueeze(1))[:, 0], wanted), optimizer)
