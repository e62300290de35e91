"""The mistake of `digits_nan.py` in PyTorch: cross-entropy as `-sum(labels * log(probs))`, which turns to NaN.

A two-layer network learns scikit-learn's handwritten digits, real scans of 8 by 8 pixels. Within a few steps the
softmax is so sure of itself that a probability becomes exactly 0; its logarithm is -inf, and 0 * -inf is NaN. From then
on all weights are NaN and the accuracy is that of guessing.

    tdbg run examples/digits_nan_torch.py            # see it happen, and why
    tdbg run examples/digits_nan_torch.py --fixed    # the loss computed from the logits instead
    tdbg run --check examples/digits_nan_torch.py    # end it at the operation that makes the first infinity
    tdbg trap examples/digits_nan_torch.py           # end it before the bad step writes anything
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

CLASSES = 10
BATCH = 100


class Network(nn.Module):
    """Pixels to the logits of the ten digits."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(64, 128)
        self.output = nn.Linear(128, CLASSES)
        for layer, seed in ((self.hidden, 1), (self.output, 2)):
            deviation = np.sqrt(2.0 / layer.in_features)
            weight = np.random.default_rng(seed).normal(0.0, deviation, (layer.in_features, layer.out_features))
            layer.weight.data.copy_(torch.from_numpy(weight.T))
            nn.init.zeros_(layer.bias)

    def forward(self, images: Tensor) -> Tensor:
        return self.output(torch.relu(self.hidden(images)))


def unstable_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """The textbook formula, taken literally."""
    probs = torch.softmax(logits, dim=1)
    one_hot = nn.functional.one_hot(labels, CLASSES)
    return -(one_hot * torch.log(probs)).sum(dim=1).mean()


def stable_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """The same quantity, computed so that nothing underflows."""
    return nn.functional.cross_entropy(logits, labels)


Loss = Callable[[Tensor, Tensor], Tensor]


def train_step(network: Network, loss: Loss, optimizer: torch.optim.Optimizer, images: Tensor, labels: Tensor) -> float:
    """One step of training."""
    optimizer.zero_grad()
    value = loss(network(images), labels)
    value.backward()
    optimizer.step()
    return value.item()


@torch.no_grad()
def accuracy(network: Network, images: Tensor, labels: Tensor) -> float:
    return (network(images).argmax(dim=1) == labels).float().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on the handwritten digits; watch it fail.")
    parser.add_argument("--fixed", action="store_true", help="compute the loss from the logits")
    parser.add_argument("--compiled", action="store_true", help="compile the network and the loss")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--learning-rate", type=float, default=0.022)
    arguments = parser.parse_args()

    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = torch.from_numpy(digits.data.astype(np.float32)[order])
    labels = torch.from_numpy(digits.target[order])
    test = slice(1500, None)  # the first 1500 are for training

    network = Network()
    optimizer = torch.optim.SGD(network.parameters(), arguments.learning_rate, momentum=0.9)
    loss: Loss = stable_loss if arguments.fixed else unstable_loss
    if arguments.compiled:
        network.compile()
        loss = torch.compile(loss)
    batches = np.random.default_rng(3)
    for step in range(arguments.steps):
        chosen = batches.choice(1500, BATCH, replace=False)
        value = train_step(network, loss, optimizer, images[chosen], labels[chosen])
        if step < 10 or step % 10 == 9:
            found = accuracy(network, images[test], labels[test])
            print(f"step {step:3d}  loss {value:8.4f}  accuracy {found:.2f}")


if __name__ == "__main__":
    main()
