from __future__ import annotations

from typing import Any

from tensordbg.recording.optimizers import NotedOptimizers, SeenGroup, plain_settings


class Momentum:
    """Stands for an optimizer of any framework."""


def noted() -> tuple[list[Any], NotedOptimizers]:
    rows: list[Any] = []
    return rows, NotedOptimizers(rows.append)


def test_only_what_changes_is_noted_again() -> None:
    rows, optimizers = noted()
    optimizer, rates = Momentum(), [0.1, 0.1, 0.05]
    for step, rate in enumerate(rates):
        optimizers.see(optimizer, step, [SeenGroup({"lr": rate}, lambda: [3, 4]), SeenGroup({"lr": 1.0}, lambda: [5])])
    plain = {"number": 0, "type": "Momentum"}
    assert [row["optimizer"] for row in rows] == [
        {**plain, "group": 0, "step": 0, "settings": {"lr": 0.1}, "variables": [3, 4], "held": {}},
        {**plain, "group": 1, "step": 0, "settings": {"lr": 1.0}, "variables": [5], "held": {}},
        {**plain, "group": 0, "step": 2, "settings": {"lr": 0.05}},
    ]


def test_each_optimizer_has_a_number() -> None:
    rows, optimizers = noted()
    kept = [Momentum(), Momentum()]
    for each in (*kept, kept[0]):
        optimizers.see(each, 0, [SeenGroup({}, list)])
    assert [row["optimizer"]["number"] for row in rows] == [0, 1]


def test_a_step_that_is_left_out_is_not_looked_at() -> None:
    rows, optimizers = noted()
    optimizers.see(Momentum(), -1, [SeenGroup({"lr": 0.1}, list)])
    assert rows == []


def test_a_rate_that_always_changes_is_noted_seldom_in_the_end() -> None:
    rows, optimizers = noted()
    optimizer = Momentum()
    for step in range(10_000):
        optimizers.see(optimizer, step, [SeenGroup({"lr": 1.0 / (step + 1)}, list)])
    steps = [row["optimizer"]["step"] for row in rows]
    assert steps == [*range(2000), 2048, 4096, 8192]


def test_numbers_words_and_nothing_are_settings() -> None:
    told = {"lr": 0.1, "betas": (0.9, 0.99), "name": "sgd", "clip": None, "_own": 1, "params": [1], "rate": object()}
    assert plain_settings(told) == {"lr": 0.1, "betas": (0.9, 0.99), "name": "sgd", "clip": None}
