from __future__ import annotations

import pytest

from tensordbg.engines.opened import opened_engine
from tensordbg.errors import UsageError


@pytest.mark.parametrize("address", ["dask", "spark://host:7077", "dask://host", "ray://host:port", "dask://a b:1"])
def test_an_address_that_is_none_is_refused_with_those_that_are(address: str) -> None:
    with pytest.raises(UsageError) as refused:
        opened_engine(address)
    assert str(refused.value) == (
        f"'{address}' is no engine that is known here; give dask://HOST:PORT or ray://HOST:PORT"
    )
