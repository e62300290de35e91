"""Finds the engine that an address asks for."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager

from tensordbg.engines.dask_engine import dask_engine
from tensordbg.engines.engine import Engine
from tensordbg.engines.ray_engine import ray_engine
from tensordbg.errors import UsageError

_ENGINES = {"dask": dask_engine, "ray": ray_engine}

_ADDRESS = re.compile(r"([a-z]+)://([^\s/:]+|\[[0-9a-fA-F:]+\]):(\d{1,5})/?")


def opened_engine(address: str) -> AbstractContextManager[Engine]:
    """The engine at an address, connected for as long as the `with` block runs.

    Raises:
        UsageError: If the address is none, its engine is not known or not installed, or it can't be reached.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or match[1] not in _ENGINES:
        known = " or ".join(f"{name}://HOST:PORT" for name in _ENGINES)
        raise UsageError(f"{address!r} is no engine that is known here; give {known}")
    return _ENGINES[match[1]](f"{match[2]}:{match[3]}")
