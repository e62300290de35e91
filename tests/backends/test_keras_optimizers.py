"""Keras's optimizers as every backend of Keras has them."""

from __future__ import annotations

from tensordbg.backends.keras_optimizers import is_on, schedule_words


class Schedule:
    """Stands for the base of Keras's schedules, of which a process has one backend."""


Schedule.__module__ = "keras.src.optimizers.schedules.learning_rate_schedule"


class Halving(Schedule):
    """Stands for one of a program."""

    def __init__(self) -> None:
        self.name, self.initial_learning_rate, self.decay_steps, self._built = "halving", 0.1, 10, True


class OnTorch:
    """Stands for the base of optimizers on PyTorch."""


OnTorch.__module__ = "keras.src.backend.torch.optimizers.torch_optimizer"


def test_a_schedule_is_told_with_its_settings() -> None:
    assert schedule_words(Halving()) == "Halving(initial_learning_rate=0.1, decay_steps=10)"
    assert schedule_words(0.1) == ""


def test_an_optimizer_tells_the_backend_that_it_computes_with() -> None:
    assert is_on(type("Adam", (OnTorch,), {})(), "torch")
    assert not is_on(OnTorch(), "tensorflow")
