from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table import histograms
from tensordbg.analysis.view.table.histograms import Histograms, edges_of, read_histograms
from tensordbg.errors import AbsentError
from tensordbg.trace.reader import open_trace
from tests.trace.builder import Tensor, TraceBuilder, kept, small_program

NORMAL = np.random.default_rng(3).normal(size=(20, 10)).astype(np.float32)


def recorded(folder: Path, *tensors: Tensor) -> OpenedTrace:
    """A trace in which one eager operation computed these, one in each step."""
    build = TraceBuilder(folder / "trace")
    build.describe(small_program())
    for step, tensor in enumerate(tensors):
        build.eager_tensor(build.begin(site=6, step=step), 6, tensor)
    build.finish()
    return OpenedTrace(open_trace(build.folder))


def read(opened: OpenedTrace, most: int = 100, logarithmic: bool = False) -> Histograms:
    name = opened.program.sites[6].name
    return read_histograms(opened, name, "", most, logarithmic)


def test_every_finite_element_of_the_kept_ones_is_counted(tmp_path: Path) -> None:
    with_bad = np.array([np.nan, -7.0, np.inf, 5.0], np.float32)
    found = read(recorded(tmp_path, kept(NORMAL), Tensor((2,), None, "float32"), kept(with_bad)))
    assert (found.kept, [each.step for each in found.histograms]) == (2, [0, 2])
    assert [sum(each.counts) for each in found.histograms] == [200, 2]
    assert (found.edges[0], found.edges[-1]) == (-7.0, 5.0)
    assert found.histograms[0].counts == tuple(np.histogram(NORMAL.astype(np.float64), found.edges)[0].tolist())


@pytest.mark.parametrize(
    "array",
    [np.array([True, False, True]), np.arange(6, dtype=np.int32), np.array([3 + 4j, 1j], np.complex64), np.array(2.5)],
)
def test_of_all_kinds_of_numbers(tmp_path: Path, array: npt.NDArray[np.generic]) -> None:
    (only,) = read(recorded(tmp_path, kept(array))).histograms
    assert sum(only.counts) == array.size


def test_no_bins_without_a_finite_element(tmp_path: Path) -> None:
    found = read(recorded(tmp_path, kept(np.array([np.nan]))))
    assert (found.kept, found.edges, found.histograms[0].counts) == (1, (), ())


def test_many_are_thinned_out_evenly_and_large_ones_to_what_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = recorded(tmp_path, *[kept(NORMAL)] * 12)
    found = read(opened, most=4)
    assert (found.kept, [each.step for each in found.histograms]) == (12, [0, 3, 7, 11])
    monkeypatch.setattr(histograms, "MOST_ELEMENTS", 3 * NORMAL.size)
    assert [each.step for each in read(opened).histograms] == [0, 5, 11]


@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize(
    "elements",
    [[1e-30, 1.0, 5.0], [-1e308, 1e308], [-3.0, 0.0, 1e-5, 1e6], [0.0], [5e-324, 1e-320], [0.0, 1e-300], [1.0, 1.0]],
)
def test_edges_ascend_and_hold_all(elements: list[float], logarithmic: bool) -> None:
    edges = edges_of([np.array(elements)], logarithmic)
    assert np.isfinite(edges).all()
    assert (np.diff(edges) > 0).all()
    assert np.histogram(elements, edges)[0].sum() == len(elements)


def test_logarithmic_bins_tell_small_ones_apart() -> None:
    elements = np.array([1e-4, 1e-3, 1e-2, 1.0, -1e-4, -1e-2])
    assert np.count_nonzero(np.histogram(elements, edges_of([elements], logarithmic=True))[0]) == 6
    assert np.count_nonzero(np.histogram(elements, edges_of([elements], logarithmic=False))[0]) < 4


def test_unknown_tensor(tmp_path: Path) -> None:
    with pytest.raises(AbsentError, match="no tensor 'nothing:0' was recorded"):
        read_histograms(recorded(tmp_path, kept(NORMAL)), "nothing", "", 10, False)
