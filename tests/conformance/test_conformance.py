"""Every backend records the same small computations: NumPy says what they give, and one list what must be named."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.finding import Origin, WhyResult
from tensordbg.model import Health
from tensordbg.operations.lookup import TABLES
from tests.conformance import computations
from tests.conformance.computation import ALL, Computation
from tests.conformance.program import POISONED, WAYS, poisoned

FILE = Path(computations.__file__)
ROOT = FILE.parents[2]
CLOSE = {"float16": 2e-3, "bfloat16": 2e-2}


def framework(way: str) -> str:
    return way.partition("-")[0]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder with the traces of one way of running."""

    @lru_cache
    def record(way: str) -> Path:
        if find_spec(framework(way)) is None:
            pytest.skip(f"{framework(way)} is not installed here")
        folder = tmp_path_factory.mktemp(way)
        done = subprocess.run(
            [sys.executable, "-m", "tests.conformance.program", way, str(folder)],
            cwd=ROOT, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}, capture_output=True, check=False, text=True,
            timeout=900,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return folder

    return record


def those(**chosen: bool) -> list[Any]:
    """Each computation in each way of running that can express it."""
    return [
        pytest.param(way, each, id=f"{way}-{each.name}")
        for way in WAYS
        for each in ALL
        if way not in each.cannot
        and bool(each.cause) == chosen.get("wrong", bool(each.cause))
        and (not chosen.get("flows") or poisoned(each) is not None)
    ]


def trace_of(folder: Path, name: str) -> tensordbg.Trace:
    (path,) = (folder / name).iterdir()
    return tensordbg.open(path)


def result_of(folder: Path, name: str) -> Any:
    return np.load(folder / f"{name}.npy")


@lru_cache
def why(folder: Path, name: str) -> WhyResult:
    return trace_of(folder, name).why()


def lines(origin: Origin) -> list[int]:
    return [frame.line for frame in origin.stack if Path(frame.file) == FILE]


@pytest.mark.parametrize(("way", "computation"), those())
def test_the_result_is_that_of_numpy(way: str, computation: Computation, recorded: Any) -> None:
    result = result_of(recorded(way), computation.name)
    expected = computation.reference(computation.given)
    close = CLOSE.get(computation.dtype, 1e-3)
    assert result.shape == expected.shape
    kind = complex if expected.dtype.kind == "c" else float
    np.testing.assert_allclose(result.astype(kind), expected.astype(kind), rtol=close, atol=close)


@pytest.mark.parametrize(("way", "computation"), those())
def test_its_health_is_recorded(way: str, computation: Computation, recorded: Any) -> None:
    folder = recorded(way)
    result = result_of(folder, computation.name)
    rows = [
        row
        for row in trace_of(folder, computation.name).tensors().rows
        if row.health is not None and row.shape == result.shape and fits(row.health, result)
    ]
    assert rows, "no tensor was recorded with this health"


def fits(health: Health, result: Any) -> bool:
    """Whether statistics are those of an array."""
    values = np.abs(result) if result.dtype.kind == "c" else result.astype(np.float64)
    finite = values[np.isfinite(values)]
    counts = (health.size, health.nan, health.pos_inf, health.neg_inf)
    if counts != (
        values.size,
        *(int(each.sum()) for each in (np.isnan(values), np.isposinf(values), np.isneginf(values))),
    ):
        return False
    if not finite.size or result.dtype.kind == "b":
        return True
    close = np.allclose((health.min, health.max, health.sum), (finite.min(), finite.max(), finite.sum()), rtol=1e-5)
    signs = result.dtype.kind == "c" or (health.zero, health.negative) == ((values == 0).sum(), (finite < 0).sum())
    return bool(close and signs)


@pytest.mark.parametrize(("way", "computation"), those(flows=True))
def test_what_was_bad_before_is_followed_to_the_result(way: str, computation: Computation, recorded: Any) -> None:
    folder, name = recorded(way), computation.name + POISONED
    assert np.isnan(result_of(folder, name)).any()
    origins = why(folder, name).origins
    assert len(origins) == 1, [each.view.tensor for each in origins]
    assert origins[0].cause in ("bad_input_data", "bad_variable")
    assert origins[0].propagated > 0


@pytest.mark.parametrize(("way", "computation"), those(wrong=True))
def test_the_line_of_the_first_bad_operation_is_named(way: str, computation: Computation, recorded: Any) -> None:
    origins = why(recorded(way), computation.name).origins
    assert len(origins) == 1, [each.view.tensor for each in origins]
    assert lines(origins[0])[-1:] == [computation.line]


@pytest.mark.parametrize(("way", "computation"), those(wrong=True))
def test_its_cause_is_named(way: str, computation: Computation, recorded: Any) -> None:
    if framework(way) not in TABLES:
        pytest.skip(f"operations/ has no table for {framework(way)}")
    assert [each.cause for each in why(recorded(way), computation.name).origins] == [computation.cause]


@pytest.mark.parametrize(("way", "computation"), those(wrong=False))
def test_nothing_is_said_of_what_is_finite(way: str, computation: Computation, recorded: Any) -> None:
    result = why(recorded(way), computation.name)
    assert (result.status, result.origins) == ("finite", ())
