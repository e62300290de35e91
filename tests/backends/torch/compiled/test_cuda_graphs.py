"""Inductor is asked for no CUDA graphs while a program is watched, and for those that it wants again afterwards."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.cuda_graphs import without_cuda_graphs

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@contextlib.contextmanager
def asked_for() -> Iterator[list[bool]]:
    """Whether each graph that is compiled inside, forward and backward, was to be a CUDA graph."""
    from torch._inductor.graph import GraphLowering

    lowering: Any = GraphLowering
    plain = lowering.compile_to_module
    asked = []

    def compile_to_module(graph: Any) -> Any:
        frame: Any = sys._getframe(1)
        while "graph_kwargs" not in frame.f_locals:
            frame = frame.f_back
        asked.append(bool(frame.f_locals["graph_kwargs"]["cudagraphs"]))
        return plain(graph)

    lowering.compile_to_module = compile_to_module
    try:
        yield asked
    finally:
        lowering.compile_to_module = plain


def run(**compiled: Any) -> list[bool]:
    """Compiles a step anew, and runs it."""
    import torch._inductor.compile_fx

    torch._dynamo.reset()
    x = torch.ones(3, requires_grad=True)
    with (
        torch._inductor.config.patch(fx_graph_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=False),
        asked_for() as asked,
    ):
        torch.compile(lambda x: torch.sin(x).exp().sum(), **compiled)(x).backward()
    return asked


def test_no_kernel_is_replayed_from_a_graph_forward_or_backward() -> None:
    # On a processor PyTorch itself gives them up behind the forward pass.
    assert run(mode="reduce-overhead") == [True, False]
    with without_cuda_graphs():
        assert run(mode="reduce-overhead") == [False, False]
        assert run(options={"triton.cudagraphs": True}) == [False, False]
        with torch._inductor.config.patch({"triton.cudagraphs": True}):
            assert run() == [False, False]
            assert torch._inductor.config.triton.cudagraphs, "the program's setting stays"
    assert run(mode="reduce-overhead") == [True, False]
