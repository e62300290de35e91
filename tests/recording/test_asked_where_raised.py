from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.recording.asked_where_raised import AskedTensor, asked_at, raised_by_itself


class Net:
    def __init__(self) -> None:
        self.weight = np.ones([3, 4])


def by_an_assertion(net: Net, x: np.ndarray) -> None:
    assert net.weight.shape[1] == 5, x.shape


def by_two_sizes(net: Net, x: np.ndarray) -> None:
    assert x.shape[0] == x.shape[1] == len(net.weight)


def by_unpacking(_: Net, x: np.ndarray) -> None:
    _a, _b, _c = x.shape


def by_a_call(_: Net, x: np.ndarray) -> None:
    np.reshape(x, x.shape[0])


def asked(program: Callable[[Net, np.ndarray], None], net: Net, x: np.ndarray) -> tuple[bool, list[AskedTensor]]:
    with pytest.raises(Exception) as caught:  # noqa: PT011  whatever it is
        program(net, x)
    trace = caught.value.__traceback__
    while trace is not None and trace.tb_frame.f_code is not program.__code__:
        trace = trace.tb_next
    assert trace is not None
    found = asked_at(__file__, trace.tb_lineno, [trace.tb_frame], lambda value: isinstance(value, np.ndarray))
    return raised_by_itself(caught.value), found


def test_the_tensors_that_were_asked() -> None:
    net, x = Net(), np.ones([2, 6])
    assert asked(by_an_assertion, net, x) == (True, [AskedTensor("net.weight", net.weight, "1")])
    assert asked(by_two_sizes, net, x) == (
        True,
        [AskedTensor("x", x, "0 1"), AskedTensor("net.weight", net.weight, "0")],
    )
    assert asked(by_unpacking, net, x) == (True, [AskedTensor("x", x, "shape")])


def test_what_a_call_raised_is_not_the_program_s_own() -> None:
    assert not asked(by_a_call, Net(), np.ones([2, 6]))[0]
