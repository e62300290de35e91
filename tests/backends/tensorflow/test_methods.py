from __future__ import annotations

import contextlib
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tensordbg.backends.tensorflow.methods import _REPLACED, Method, ReplacedAttributes, ReplacedMethods

SOURCE = "class Counter:\n    def count(self):\n        return 1\nclass Derived(Counter): pass\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "tdbg_counter.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "tdbg_counter"
    sys.modules.pop("tdbg_counter", None)


def doubled(plain: Any) -> Any:
    return lambda self: 2 * plain(self)


def test_a_method_is_replaced_once_its_module_is_imported_and_put_back(module: str) -> None:
    replaced = ReplacedMethods(lambda _: contextlib.nullcontext())
    replaced.install(Method(module, "Counter.count", doubled))
    import tdbg_counter

    assert tdbg_counter.Counter().count() == 2
    assert tdbg_counter.Counter.count.__name__ == "count"
    replaced.uninstall()
    assert tdbg_counter.Counter().count() == 1


def one_more(plain: Any) -> Any:
    return lambda self: 1 + plain(self)


@pytest.mark.parametrize("method", ["Counter.count", "Derived.count"])
def test_hooks_that_are_taken_out_in_another_order_leave_nothing(module: str, method: str) -> None:
    tdbg_counter = importlib.import_module(module)
    plain, own = tdbg_counter.Counter.count, set(vars(tdbg_counter.Derived))
    first, second, third = (ReplacedMethods(lambda _: contextlib.nullcontext()) for _ in range(3))
    first.install(Method(module, method, doubled))
    second.install(Method(module, method, one_more))
    third.install(Method(module, method, doubled))
    assert tdbg_counter.Derived().count() == 6
    first.uninstall()
    assert tdbg_counter.Derived().count() == 4
    third.uninstall()
    assert tdbg_counter.Derived().count() == 2
    first.install(Method(module, method, doubled))
    assert tdbg_counter.Derived().count() == 4
    second.uninstall()
    assert tdbg_counter.Derived().count() == 2
    first.uninstall()
    assert tdbg_counter.Counter.count is plain
    assert set(vars(tdbg_counter.Derived)) == own
    assert not _REPLACED


def test_a_method_that_is_gone_is_a_fault_of_ours_alone(module: str) -> None:
    faults: list[str] = []

    @contextlib.contextmanager
    def guard(what: str) -> Any:
        try:
            yield
        except AttributeError:
            faults.append(what)

    ReplacedMethods(guard).install(Method(module, "Counter.absent", doubled))
    import tdbg_counter

    assert tdbg_counter.Counter().count() == 1
    assert faults == ["looking on at Counter.absent"]


def test_attributes_of_modules_are_put_back_in_any_order(module: str) -> None:
    tdbg_counter = importlib.import_module(module)
    tdbg_counter.count = plain = lambda number: number
    first, second = ReplacedAttributes(), ReplacedAttributes()
    first.replace(tdbg_counter, "count", doubled)
    second.replace(tdbg_counter, "count", one_more)
    assert tdbg_counter.count(3) == 7
    first.restore()
    assert (tdbg_counter.count(3), bool(first), bool(second)) == (4, False, True)
    second.restore()
    assert tdbg_counter.count is plain
    assert not _REPLACED
