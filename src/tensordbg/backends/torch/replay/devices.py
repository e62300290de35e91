"""Says where a replay has what a captured step had on a device: there, or on the processor where there is no GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from tensordbg.backends.torch.captured.generators import CPU, put_state
from tensordbg.backends.torch.captured.graph import Operation, StepGraph
from tensordbg.backends.torch.replay.operators import Operator

_ELSEWHERE = (
    "the step ran on a GPU and runs on the processor here, where PyTorch sees no GPU: last bits of its numbers may be "
    "others"
)
_DREW = ", and what it has drawn at random, such as a dropout, is drawn anew"


class Devices:
    """The devices of a replay, by those of the capture."""

    def __init__(self, graph: StepGraph, operators: Mapping[tuple[str, str], Operator]) -> None:
        """`operators` are those of the captured step."""
        import torch

        self._here = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self._on_gpu = any(each.device != CPU for each in graph.outside) or any(
            each != CPU for each in graph.generators
        )
        self._drew = any(
            graph.generators[each.state] != CPU and _draws(each, operators[each.name, each.overload])
            for each in graph.operations
            if 0 <= each.state < len(graph.generators)
        )

    @property
    def elsewhere(self) -> bool:
        """Whether what ran on a GPU runs on the processor."""
        return self._on_gpu and not self._here

    @property
    def note(self) -> str:
        """A note on a step that runs elsewhere than it did; empty where it runs as it did."""
        if not self.elsewhere:
            return ""
        return _ELSEWHERE + (_DREW if self._drew else "")

    def of(self, captured: str) -> str:
        """The device for what was on a captured one: of GPUs that are not here the first one is taken."""
        kind, _, number = captured.partition(":")
        if kind != "cuda":
            return captured
        if not self._here:
            return CPU
        return captured if int(number or 0) < self._here else "cuda:0"

    @contextlib.contextmanager
    def without_autocast(self) -> Iterator[None]:
        """Has autocast leave operations alone: what it has done in the step is in the capture."""
        import torch

        with contextlib.ExitStack() as stack:
            for kind in (CPU, *(("cuda",) if self._here else ())):
                stack.enter_context(torch.amp.autocast(kind, enabled=False))
            yield

    def begin_at(self, captured: str, state: Any) -> None:
        """Has what is drawn next on a device begin at a state.

        On another kind of device it begins at one that is the same in each replay.
        """
        import torch

        device = self.of(captured)
        if device == CPU and captured != CPU:
            torch.manual_seed(int(state.sum()))
        else:
            put_state(device, state)


def _draws(operation: Operation, operator: Operator) -> bool:
    """Whether an operation draws anything: attention and recurrent layers do where they drop something out."""
    given = {known.name: each.value for known, each in zip(operator.arguments, operation.arguments, strict=False)}
    return bool(given.get("dropout_p", given.get("dropout", 1.0)))
