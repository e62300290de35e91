"""`assert_finite` of a trace; blocks, with a framework, are in tests/e2e/test_pytest.py."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.model import Health
from tensordbg.recording.session import Session
from tests.trace.builder import Tensor, TraceBuilder, small_program


def trace_of(folder: Path, health: Health) -> Path:
    build = TraceBuilder(folder)
    build.describe(small_program())
    call = build.begin(site=5, function=0)
    build.graph_tensor(70, 4, Tensor(health=health, shape=()))
    build.end(call)
    return build.finish()


def test_a_trace(tmp_path: Path) -> None:
    tensordbg.assert_finite(trace_of(tmp_path / "good", Health(size=1, min=1.0, max=1.0)))
    bad = trace_of(tmp_path / "bad", Health(size=1, nan=1, first_bad=0))
    with pytest.raises(AssertionError, match=r"bad: numbers stopped being finite\nmul:0 "):
        tensordbg.assert_finite(bad)


def test_no_trace(tmp_path: Path) -> None:
    with pytest.raises(tensordbg.TraceError, match="does not exist"):
        tensordbg.assert_finite(tmp_path / "nowhere")


def test_a_block_without_numbers_leaves_nothing() -> None:
    block = tensordbg.assert_finite()
    assert block is not None
    with block:
        assert block.path is not None
        assert block.path.exists()
    assert not block.path.parent.exists()
    assert Session.current() is None


def test_an_error_of_the_block_is_its_own() -> None:
    block = tensordbg.assert_finite()
    assert block is not None
    with pytest.raises(KeyError, match="mine"), block:
        raise KeyError("mine")
    assert Session.current() is None


def test_a_block_only_runs_where_the_process_is_recorded(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path):
        block = tensordbg.assert_finite()
        assert block is not None
        with block:
            assert block.path is None
