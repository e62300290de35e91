"""The inputs of an operation that failed: how each is called, and which event tells of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.failures.failed_iteration import Key, events_of_inputs
from tensordbg.analysis.finding import InputView
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.python_names import noted_names
from tensordbg.model import NONE, CallKind, Site, TensorRef
from tensordbg.operations.kinds import Kind

_FARTHEST = 100
_PASSED_ON = frozenset({Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL, Kind.STOP_GRADIENT})
"""What puts out what it takes and is not recorded itself."""
_CALLS = (CallKind.CALL, CallKind.IF, CallKind.WHILE)


@dataclass(frozen=True)
class NamedInput:
    """A tensor that an operation took."""

    tensor: str
    op_type: str
    keys: tuple[Key, ...]
    """Where the events are that tell of it: in the turns of the loops that it lies in, the innermost first, else behind
    them."""


def inputs_of_eager(program: Program, executions: Executions, row: int) -> list[NamedInput]:
    """The inputs of an eager operation: what other executions made."""
    first, last = executions.input_starts[row], executions.input_starts[row + 1]
    found = []
    for number, position in enumerate(range(first, last)):
        maker, slot = int(executions.input_row[position]), int(executions.input_slot[position])
        if maker == NONE:
            found.append(NamedInput(f"input {number}", "", ()))
            continue
        ref = TensorRef(int(executions.site[maker]), slot)
        function = program.functions.get(int(executions.function[maker]))
        if function is not None and slot < len(function.outputs):
            *_, ref = _makers(program, function.outputs[slot])
        found.append(input_of(program, ref, int(executions.number[maker])))
    return found


def inputs_of_graph(program: Program, site: Site, execution: int) -> list[NamedInput]:
    """The inputs of an operation of a graph."""
    return [input_of(program, ref, execution) for ref in program.inputs_of(site.site)]


def input_of(program: Program, ref: TensorRef, execution: int) -> NamedInput:
    """A tensor that an operation of one execution took."""
    site = program.sites.get(ref.site)
    name, op_type = ("an input", "") if site is None else (_called(site, ref.slot), site.op_type)
    return NamedInput(name, op_type, tuple((execution, made.site, made.slot) for made in _makers(program, ref)))


def _called(site: Site, slot: int) -> str:
    """The name of a tensor; of an argument that of the program's text, where a dataset calls it `args_0`."""
    told = noted_names(site)[slot : slot + 1] if site.argument >= 0 else []
    return told[0][0] if told and told[0] and told[0][0] != site.name else f"{site.name}:{slot}"


def views_of(trace: TraceSource, inputs: list[NamedInput], message: str, details: Details) -> tuple[InputView, ...]:
    """The inputs as they were recorded when the operation failed."""
    latest = events_of_inputs(trace, {key for given in inputs for key in given.keys}, message)
    views = details.views(latest.values()) if latest else {}
    events = [next((latest[key] for key in given.keys if key in latest), None) for given in inputs]
    return tuple(
        InputView(given.tensor, given.op_type, None if event is None else views[event])
        for given, event in zip(inputs, events, strict=True)
    )


def _makers(program: Program, ref: TensorRef) -> Iterator[TensorRef]:
    """Where a tensor is recorded: through what only passes it on, and out of the functions that are called.

    What a loop is given for an argument is that of the first turn alone; so the argument itself comes before it.
    """
    for _ in range(_FARTHEST):
        site = program.sites.get(ref.site)
        before, turns = None, False
        if site is not None and operation_of(site).kind in _PASSED_ON:
            inputs = program.inputs_of(site.site)
            before = inputs[ref.slot] if ref.slot < len(inputs) else None
        elif site is not None and site.argument >= 0:
            before, turns = _value_in_call(program, site)
        if before is None or before.site == NONE:
            break
        if turns:
            yield ref
        ref = before
    yield ref


def _value_in_call(program: Program, argument: Site) -> tuple[TensorRef | None, bool]:
    """What the operation that calls a function gives it for an argument, and whether that is a loop."""
    for site in program.sites.values():
        # A dataset's function is given elements, not what the operation takes that makes the dataset.
        if site.call in _CALLS and any(
            function is not None and function.graph == argument.function for function in program.called_by(site)
        ):
            inputs = program.inputs_of(site.site)
            position = argument.argument + (site.call is CallKind.IF)
            return inputs[position] if position < len(inputs) else None, site.call is CallKind.WHILE
    return None, False
