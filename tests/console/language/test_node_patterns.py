from __future__ import annotations

import pytest

from tensordbg.console.language.node_patterns import parse_pattern


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("Log", "Log", True),
        ("Log", "loss/Log", True),
        ("Log", "Log_1", False),
        ("Log*", "loss/Log_1", True),
        ("loss/*", "loss/Log", True),
        ("gradient/*", "gradient_tape/mul/Mul", True),
        ("gradient/*", "gradients/Log_grad/mul", True),
        ("gradient/*", "train/gradient_tape/Log", True),
        ("gradient/*", "gradient", False),
        ("gradient/Lo?", "gradient_tape/Log", True),
    ],
)
def test_which_nodes_are_meant(pattern: str, name: str, fits: bool) -> None:
    assert parse_pattern(pattern).fits(name) is fits


def test_a_slot_is_told_apart() -> None:
    assert parse_pattern("Log:1").slot == 1
    assert parse_pattern("Log").slot is None
