"""Ray: the workers of a cluster, over the server for its clients, which each head of a cluster runs.

A driver of Ray's own would have to run on a machine of the cluster; a client runs anywhere. What goes through the
server are bytes, so that only the workers need tensordbg.
"""

from __future__ import annotations

import logging
import pickle
import socket
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensordbg.engines.engine import DIED, Answer, Engine, Item, Lost, lacking, one_line
from tensordbg.engines.waiting import REACHED, wait_for_answers
from tensordbg.errors import UsageError

_PAUSES = (1.0, 4.0)
"""Seconds before one connects again where the server answers and can't do its work yet: it has just been started."""

_RETRIES = 3
"""So often Ray gives an item to another worker where one dies."""


@contextmanager
def ray_engine(place: str) -> Iterator[Engine]:
    """The workers of the cluster whose server for clients is at a place, `HOST:PORT`.

    Raises:
        UsageError: If Ray is not installed, nobody answers there, or its version is another one.
    """
    address = f"ray://{place}"
    try:
        import grpc  # noqa: F401  Ray says otherwise only that its client can't be had
        import ray
    except ImportError as error:
        raise UsageError(
            f"{address}: Ray is not installed ({error}); `pip install 'tensordbg[ray]'` brings it"
        ) from None
    try:
        # Ray itself would try for half a minute.
        socket.create_connection(_host_and_port(place), timeout=REACHED).close()
        context = _connected(ray, address)
    except ConnectionAbortedError as error:
        raise UsageError(
            f"{address}: Ray's server for clients can't start ({one_line(error)}); see "
            "`ray_client_server.err` in the logs of the head, and ask again"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{address}: no server for Ray's clients answers there ({one_line(error)}); give the head's host and "
            "the port of `ray start --ray-client-server-port`, 10001 by default"
        ) from None
    except RuntimeError as error:
        raise UsageError(
            f"{address}: Ray takes no client ({one_line(error)}); install the cluster's versions of Python and Ray here"
        ) from None
    try:
        with context:
            yield _Ray(ray, address)
    finally:
        context.disconnect()


def _connected(ray: Any, address: str) -> Any:
    """A connection of ours alone: a program may have one of its own."""
    for pause in _PAUSES:
        try:
            return _once_connected(ray, address)
        except ConnectionAbortedError:
            time.sleep(pause)
    return _once_connected(ray, address)


def _once_connected(ray: Any, address: str) -> Any:
    with warnings.catch_warnings():
        # What it warns of is in the error that follows, or of no use here.
        warnings.simplefilter("ignore")
        return ray.init(address, allow_multiple=True, log_to_driver=False, logging_level=logging.CRITICAL)


def _host_and_port(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    return host.strip("[]"), int(port)


class _Ray:
    """See `Engine`."""

    def __init__(self, ray: Any, address: str) -> None:
        self._ray = ray
        self._address = address

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer | Lost]:
        if not items:
            return []
        task = self._ray.remote(_task()).options(max_retries=_RETRIES)
        try:
            pickled = self._ray.put(pickle.dumps(function))
            answers = [task.remote(pickled, pickle.dumps(item)) for item in items]
            self._wait(answers)
            return [self._answer(each) for each in answers]
        except ConnectionError as error:
            raise UsageError(
                f"{self._address}: the cluster was lost ({one_line(error)}); start it again, and ask again"
            ) from None

    def _wait(self, answers: Sequence[Any]) -> None:
        def answered(seconds: float) -> bool:
            _, left = self._ray.wait(list(answers), num_returns=len(answers), timeout=seconds)
            return not left

        def has_workers() -> bool:
            return any(node["Alive"] and node["Resources"].get("CPU") for node in self._ray.nodes())

        none = f"{self._address}: has no machine that takes work; start one with `ray start --address`"
        wait_for_answers(answered, has_workers, none)

    def _answer(self, answer: Any) -> Any:
        from ray.exceptions import RayError, RayTaskError, WorkerCrashedError

        try:
            return pickle.loads(self._ray.get(answer))
        except RayTaskError as error:
            raise lacking(self._address, error.cause) or error.cause from None
        except WorkerCrashedError:
            return Lost(DIED)
        except RayError as error:
            return Lost(one_line(error))


def _task() -> Callable[[bytes, bytes], bytes]:
    """The function that workers run; made here so that it travels as it is, and they say what they lack."""

    def answered(function: bytes, item: bytes) -> bytes:
        import pickle

        return pickle.dumps(pickle.loads(function)(pickle.loads(item)))

    return answered
