"""Keeps values that are computed when they are first asked for, once even if several threads ask at the same time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

Owner = TypeVar("Owner")
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class kept(Generic[Owner, Value]):  # noqa: N801 - used like `property`
    """A property like `functools.cached_property`, each with a lock of its own.

    So a slow one keeps nobody waiting who asks for another.
    """

    def __init__(self, compute: Callable[[Owner], Value]) -> None:
        """Of a method."""
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Owner]) -> kept[Owner, Value]: ...
    @overload
    def __get__(self, instance: Owner, owner: type[Owner] | None = None) -> Value: ...
    def __get__(self, instance: Owner | None, owner: type[Owner] | None = None) -> kept[Owner, Value] | Value:
        """The value; from the second time on Python finds it in the instance itself."""
        if instance is None:
            return self
        known: dict[str, Any] = instance.__dict__
        with known.setdefault(f"lock of {self._name}", RLock()):
            if self._name not in known:
                known[self._name] = self._compute(instance)
            value: Value = known[self._name]
            return value


class Recent(Generic[Key, Value]):
    """The values that were asked for last, up to a number of them or, if each has a weight, up to their sum."""

    def __init__(self, most: int, weight: Callable[[Value], int] = lambda _: 1) -> None:
        """Nothing is in it yet."""
        self._most = most
        self._weight = weight
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._making: dict[Key, RLock] = {}
        self._lock = RLock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there; several threads that ask for one have it made once."""
        with self._lock:
            making = self._making.setdefault(key, RLock())
        with making:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
            value = make()
            with self._lock:
                self._values[key] = value
                self._making.pop(key, None)
                self._drop()
            return value

    def _drop(self) -> None:
        total = sum(self._weight(value) for value in self._values.values())
        while total > self._most and len(self._values) > 1:
            _, value = self._values.popitem(last=False)
            total -= self._weight(value)
