"""Keras's optimizers, as Keras 3 has them on each of its backends: which backend that is, and the learning rate."""

from __future__ import annotations

from tensordbg.recording.optimizers import plain_settings

RATE = "learning_rate"
HELD = "_learning_rate"
"""Where Keras 3 keeps the rate: a variable, a schedule, or a function of the program's."""

_SCHEDULES = "keras.src.optimizers.schedules."
"""Where Keras 3 has the base of all schedules."""


def is_on(optimizer: object, backend: str) -> bool:
    """Tells whether Keras computes with a backend: its optimizers have a base of that backend's then."""
    return any(each.__module__.startswith(f"keras.src.backend.{backend}.") for each in type(optimizer).__mro__)


def schedule_words(rate: object) -> str:
    """Tells a schedule of Keras's with its settings; empty for all else.

    As in `ExponentialDecay(initial_learning_rate=0.1, decay_steps=10)`.
    """
    if not any(each.__module__.startswith(_SCHEDULES) for each in type(rate).__mro__):
        return ""
    told = plain_settings(vars(rate))
    return f"{type(rate).__name__}({', '.join(f'{name}={value}' for name, value in told.items() if name != 'name')})"
