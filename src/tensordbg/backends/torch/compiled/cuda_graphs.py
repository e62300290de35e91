"""Has Inductor launch its kernels one by one where it would replay them from a CUDA graph, which nothing can look into.

Private in PyTorch is where the setting is read: `torch._inductor.compile_fx.compile_fx(model, inputs, ...)` is called
by its name in the module for each graph that is compiled, takes what `mode` and `options` set as `config_patches`, and
asks once for `torch._inductor.config.triton.cudagraphs`, for the backward pass too. So it has been since 2.4;
`tests/backends/torch/compiled/test_cuda_graphs.py` fails where that changes. Where it has changed, graphs are replayed
unseen, as those are that a program captures itself.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_SETTING = "triton.cudagraphs"


@contextlib.contextmanager
def without_cuda_graphs() -> Iterator[None]:
    """Has what is compiled inside run without CUDA graphs, in the same kernels; Inductor is imported."""
    compiler: Any = sys.modules["torch._inductor.compile_fx"]
    config: Any = sys.modules["torch._inductor.config"]
    plain: Callable[..., Any] | None = getattr(compiler, "compile_fx", None)
    if plain is None or not hasattr(config.triton, "cudagraphs"):
        yield
        return

    def compile_fx(model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        patches: Mapping[str, Any] | None = kwargs.get("config_patches")
        if patches and _SETTING in patches:
            kwargs["config_patches"] = {name: value for name, value in patches.items() if name != _SETTING}
        if not config.triton.cudagraphs:
            return plain(model, inputs, *args, **kwargs)
        with config.patch({_SETTING: False}):
            return plain(model, inputs, *args, **kwargs)

    compiler.compile_fx = compile_fx
    try:
        yield
    finally:
        if compiler.compile_fx is compile_fx:
            compiler.compile_fx = plain
