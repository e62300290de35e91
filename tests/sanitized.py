"""A plugin for pytest that puts in the compiled part built with sanitizers, see `make sanitize`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

BUILT = Path(__file__).parents[1] / "build" / "sanitize"


def _put_in() -> None:
    (library,) = BUILT.glob("_native.*.so")
    spec = importlib.util.spec_from_file_location("tensordbg._native", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tensordbg._native"] = module
    spec.loader.exec_module(module)


_put_in()
