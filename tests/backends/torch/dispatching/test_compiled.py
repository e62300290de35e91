from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.compiled import CompiledCalls  # noqa: E402  it imports PyTorch
from tensordbg.backends.torch.dispatching.looking import Looking  # noqa: E402
from tensordbg.backends.torch.dispatching.places import Places  # noqa: E402


class Log:
    def __init__(self) -> None:
        self.events: list[tuple[int, int, int]] = []

    def append(self, event: Any) -> bool:
        self.events.append((event.execution, event.site, event.slot))
        return int(event.site) == 4

    def begin(self, *_: object) -> int:
        return 8

    def device(self, _: str) -> int:
        return 0


@pytest.fixture
def parts() -> tuple[Any, Looking, Log]:
    log: Any = Log()
    places = Places(lambda *_: 3, lambda _: None)
    looking = Looking(log, places, lambda *_: None)
    return CompiledCalls(log, looking, places), looking, log


def test_what_kernels_store_and_what_comes_out_is_known(parts: tuple[Any, Looking, Log]) -> None:
    calls, looking, log = parts
    told: list[Any] = []
    calls.on_bad = lambda *bad: told.append(bad)
    x, y = torch.ones(2), torch.ones(2)
    assert calls.enter([x, 5], recorded=True) == (3, 0, [8 << 16, -1])
    assert looking.thread.compiled == 1
    calls.run(9)
    calls.probe(4, 1, y)
    assert told == [(9, 4, 1)]
    assert log.events[-1] == (9, 4, 1)
    calls.leave([y, 5], (4 << 16 | 1, -1))
    maker = looking.makers.find(y).maker
    assert (maker.reference, maker.site, maker.bad) == (9 << 16, 4, True)
    assert looking.thread.compiled == 0


def test_a_call_that_is_left_out_is_over_too(parts: tuple[Any, Looking, Log]) -> None:
    calls, looking, log = parts
    assert calls.enter([torch.ones(2)], recorded=False) is None
    calls.probe(4, 0, torch.ones(2))
    calls.leave(None, ())
    assert not log.events
    assert not looking.thread.calls
