"""The page prints the ragged tensor of which an event holds the elements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf
from playwright.sync_api import expect

import tensordbg


def test_a_ragged_tensor_is_printed(page: Any, serve: Callable[..., str], tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "trace", detail="values") as recording:
        doubled = tf.ragged.constant([[1.0, 2.0], [], [3.0]]) * 2.0
    (point,) = tensordbg.open(recording.path).tensor("doubled").points
    page.goto(f"{serve(recording.path)}#event={point.event}")
    expect(page.locator(".event-text")).to_have_text(repr(doubled))
