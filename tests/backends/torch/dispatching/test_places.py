from __future__ import annotations

import sys
from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.places import (  # noqa: E402  it imports PyTorch
    About,
    Places,
    autocast_of,
    frame_of,
    stack_of_thread,
)
from tensordbg.backends.torch.dispatching.threads import Thread  # noqa: E402


def test_a_stack_begins_at_who_asks() -> None:
    name, line, function = frame_of(*stack_of_thread()[0])
    assert (name, function) == (__file__, "test_a_stack_begins_at_who_asks")
    assert line == sys._getframe().f_lineno - 2


def test_a_site_is_asked_for_once() -> None:
    asked: list[Any] = []

    def describe(*told: Any) -> int:
        asked.append(told)
        return len(asked)

    places, stack = Places(describe, lambda _: None), stack_of_thread()
    assert [places.site("aten::log", stack, Thread(), About()) for _ in range(2)] == [1, 1]
    assert places.site("aten::log", stack, Thread(), About(owner=3, written=True)) == 2
    assert [told[2] for told in asked] == [(-1, -1, "", -1, -1, 0), (-1, -1, "", -1, 3, 1)]


def test_autocast_is_known_where_it_has_switched_itself_off() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert autocast_of([]) == "BFloat16"
        with torch.autocast("cpu", enabled=False):
            assert autocast_of([torch.ones(2)]) == ""
    assert autocast_of([torch.ones(2, dtype=torch.bfloat16)]) == ""


def test_autocast_of_a_gpu_is_known_too() -> None:
    torch.set_autocast_enabled("cuda", True)
    try:
        assert autocast_of([]) == "Half"
    finally:
        torch.set_autocast_enabled("cuda", False)
    assert autocast_of([]) == ""


def test_sites_differ_by_their_settings_until_these_change_all_the_time() -> None:
    asked: list[Any] = []
    varying: list[int] = []

    def describe(*told: Any) -> int:
        asked.append(told[5])
        return len(asked)

    places, stack = Places(describe, varying.append), stack_of_thread()
    sites = [places.site("aten::sum", stack, Thread(), About(settings={"dim": [axis]})) for axis in (*range(7), 0)]
    assert sites == [1, 2, 3, 4, 5, 5, 5, 1]
    assert asked == [{"dim": [0]}, {"dim": [1]}, {"dim": [2]}, {"dim": [3]}, {}]
    for slope in (0.1, 0.1, 0.2, 0.3):
        assert places.site("aten::leaky_relu", stack, Thread(), About(settings={"slope": slope})) == 6
    assert varying == [6]
