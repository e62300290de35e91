"""Dask: the workers that a scheduler of `distributed` knows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tensordbg.engines.engine import DIED, Answer, Engine, Item, Lost, lacking, one_line
from tensordbg.engines.waiting import REACHED, wait_for_answers
from tensordbg.errors import UsageError

_ROUNDS = 3
"""So often an item is given to Dask, which by itself gives it to several workers."""


@contextmanager
def dask_engine(place: str) -> Iterator[Engine]:
    """The workers of the scheduler at a place, `HOST:PORT`.

    Raises:
        UsageError: If `distributed` is not installed, or nobody answers there.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            f"dask://{place}: Dask is not installed ({error}); `pip install 'tensordbg[dask]'` brings it"
        ) from None
    # It tells of lost connections on standard error, with tracebacks.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(f"tcp://{place}", timeout=REACHED, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"dask://{place}: no scheduler of Dask answers there ({one_line(error)}); give the address that `dask "
            "scheduler` prints"
        ) from None
    try:
        yield _Dask(client, f"dask://{place}")
    finally:
        client.close()


class _Dask:
    """See `Engine`."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer | Lost]:
        answers: dict[int, Answer | Lost] = {}
        for _ in range(_ROUNDS):
            left = [number for number in range(len(items)) if number not in answers]
            if left:
                answers |= self._ask(function, {number: items[number] for number in left})
        return [answers.get(number, Lost(DIED)) for number in range(len(items))]

    def _ask(self, function: Callable[[Item], Answer], items: Mapping[int, Item]) -> dict[int, Answer | Lost]:
        """The answers on items, by number; one that was lost with the worker that held it is not among them."""
        if self._client.status != "running":
            raise UsageError(f"{self._address}: the scheduler was lost; start it again, and ask again")
        # Not pure: a trace may have grown since the same was asked before.
        futures = self._client.map(function, list(items.values()), pure=False)
        try:
            with self._client.as_current():
                self._wait(futures)
            done = zip(items, futures, strict=True)
            return {number: self._answer(each) for number, each in done if each.status in {"finished", "error"}}
        finally:
            self._client.cancel(futures)

    def _wait(self, futures: Sequence[Any]) -> None:
        from distributed import wait

        def answered(seconds: float) -> bool:
            try:
                wait(futures, timeout=seconds)
            except TimeoutError:
                return False
            return True

        def has_workers() -> bool:
            return bool(self._client.scheduler_info(n_workers=-1)["workers"])

        wait_for_answers(answered, has_workers, f"{self._address}: has no workers; start some with `dask worker`")

    def _answer(self, future: Any) -> Any:
        from distributed import KilledWorker

        if future.status == "finished":
            return future.result()
        error = future.exception()
        if isinstance(error, KilledWorker):
            return Lost(DIED)
        raise lacking(self._address, error) or error
