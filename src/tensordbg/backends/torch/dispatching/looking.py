"""Looks at what an operation takes and gives, and records it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from tensordbg.backends.torch.attributes.set_elements import SET
from tensordbg.backends.torch.attributes.settings import Setting, settings_of_call
from tensordbg.backends.torch.dispatching.makers import NOBODY, UNKNOWN, Known, Maker, Makers
from tensordbg.backends.torch.dispatching.operations import Operation, operation_of
from tensordbg.backends.torch.dispatching.places import About, Places, Stack, autocast_of, stack_of_thread
from tensordbg.backends.torch.dispatching.table import LogTable
from tensordbg.backends.torch.dispatching.tensors import (
    KEPT,
    WHOLE,
    address_of,
    append,
    append_number,
    has_elements,
    memory_of,
    tensors_in,
)
from tensordbg.backends.torch.dispatching.threads import Forwards, Thread
from tensordbg.operations.lookup import INPUT
from tensordbg.recording.log import input_reference

_MOST_NUMBERS = 8
_MOST_READS = 65536
_MOST_FAILURES = 16

Stated = tuple[int, str, tuple[int, ...], list[Any], bool, int]
"""A tensor: what made it, its dtype and shape, the views that lead to it, whether it is on meta, and its address."""
_PLUMBING = -2


def stated(tensor: Any, reference: int) -> Stated:
    """Describes a tensor for a failure."""
    shape = () if tensor.is_nested else tuple(int(size) for size in tensor.shape)
    dtype = str(tensor.dtype).removeprefix("torch.")
    return reference, dtype, shape, [], bool(tensor.is_meta), address_of(tensor)


class _Input(NamedTuple):
    known: Known
    tensor: Any = None
    """None of a number."""
    part: int = WHOLE
    number: float | None = None
    """None of a tensor, and of an infinite limit, which is none."""


class Call:
    """An operation that runs."""

    def __init__(self, operation: Operation, stack: Stack) -> None:
        self.operation = operation
        self.stack = stack
        self.inputs: list[_Input] = []
        self.written: list[tuple[Any, int]] = []
        """Tensors, each with its place in a list."""
        self.differentiated = False
        self.autocast = ""
        self.settings: Mapping[str, Setting] = {}
        self.place = -1
        self.runs: dict[int, tuple[int, int, int]] = {}
        """Execution, site and owner, by part."""

    @property
    def first(self) -> Maker:
        """The maker of the first input."""
        return self.inputs[0].known.maker if self.inputs else Maker()


class Looking:
    """Looks at operations, and records them."""

    def __init__(self, log: LogTable, places: Places, gradient: Callable[[int, int, int], None]) -> None:
        """Into a log; `gradient` is told variable, site and slot of what autograd has added up."""
        self._gradient = gradient
        self.makers = Makers()
        self.forwards = Forwards()
        self.thread = Thread()
        self.step = 0
        self.reads: list[tuple[int, int]] = []
        """Bad numbers that the program has read: the reference, and the site of the reading."""
        self.failures: list[tuple[int, int, list[Stated]]] = []
        self._log = log
        self._places = places
        self._numbers: dict[tuple[Any, ...], dict[str, Known]] = {}
        self._infinities: dict[str, Known] = {}

    def before(self, function: Any, args: Any, named: Any) -> Call:
        """Looks at what an operation takes."""
        self.follow_node()
        call = Call(operation_of(function), stack_of_thread())
        call.autocast = autocast_of([tensor for value in (*args, *named.values()) for tensor, _ in tensors_in(value)])
        if self.thread.node is None:
            call.settings = settings_of_call(function, args, named)
        for position, argument in enumerate(call.operation.arguments):
            value = args[position] if position < len(args) else named.get(argument.name)
            if value is None:
                continue
            if argument.is_number and type(value) in (int, float):
                unlimited = argument.is_limit and not math.isfinite(value)
                call.inputs.append(_Input(Known(), number=None if unlimited else float(value)))
                continue
            for tensor, place in tensors_in(value):
                self._take(call, tensor, place if call.operation.of_each else WHOLE, reads=argument.reads)
                if argument.keeps and has_elements(tensor):
                    if _is_training(call.operation, args):
                        call.written.append((tensor, KEPT - sum(part <= KEPT for _, part in call.written)))
                elif argument.writes and has_elements(tensor):
                    call.written.append((tensor, place if call.operation.of_each else WHOLE))
        return call

    def after(self, call: Call, result: Any) -> None:
        """Looks at what it has given."""
        operation = call.operation
        if operation.hands_out:
            return self.note_read(call.inputs)
        for tensor, slot, part in _outputs(call, result):
            self._look(call, tensor, slot, part)
        if call.differentiated and self.thread.node is None and not self.forwards.has():
            site = self._site(call, call.runs[WHOLE][2] if WHOLE in call.runs else NOBODY)
            if site >= 0:
                self.forwards.note(site)
        return None

    def failed(self, call: Call) -> None:
        """Keeps what an operation was given that has raised."""
        site = self._site(call, NOBODY)
        if site >= 0:
            given = [stated(each.tensor, each.known.maker.reference) for each in call.inputs if each.tensor is not None]
            self.failures.insert(0, (site, self.step, given))
            del self.failures[_MOST_FAILURES:]

    def follow_node(self) -> None:
        """Takes the node of autograd that this thread runs; what the one before has added up is known now."""
        thread = self.thread
        node = self.forwards.node(thread.node)
        if node is thread.node:
            return
        self.end_node()
        if node is not None and node.variable is not None and has_elements(node.variable):
            node.owner = self.makers.variable_of(node.variable)
        thread.node = node

    def end_node(self) -> None:
        """The node of autograd that this thread ran has ended."""
        node = self.thread.node
        if node is None or node.owner == NOBODY or self.step < 0 or node.variable.grad is None:
            return
        if has_elements(node.variable.grad):
            maker = self.makers.own(node.variable.grad, node.owner)
            if maker.reference != UNKNOWN:
                self._gradient(node.owner, maker.site, maker.reference & 0xFFFF)

    def note_read(self, given: list[_Input]) -> None:
        """A bad number that the program reads is a result of it."""
        bad = [each.known.maker.reference for each in given if each.known.maker.bad]
        if not bad or len(self.reads) >= _MOST_READS:
            return
        where = self._places.site("read", stack_of_thread(), self.thread, About())
        if where >= 0:
            self.reads += [(reference, where) for reference in bad if reference != UNKNOWN]

    def read(self, tensor: Any) -> None:
        """The program reads a tensor without any operation."""
        if has_elements(tensor):
            self.note_read([_Input(self.makers.find(tensor), tensor)])

    def enter(self, tensor: Any, call: Call, place: int) -> Known:
        """Records what comes from outside where it is first used."""
        variable = self.makers.variable_of(tensor)
        if variable != NOBODY:
            return self.enter_variable(tensor, variable)
        may_be_set = call.operation.enters and tensor.dim() == 0 and tensor.is_floating_point()
        about = About(place, call.autocast, number=math.nan if may_be_set else 0.0)  # it changes from call to call
        site = self._places.site(SET if may_be_set else INPUT, call.stack, self.thread, about)
        return self._begin_with(tensor, site, [])

    def enter_variable(self, tensor: Any, variable: int) -> Known:
        """Records a variable as it is now: one site stands for all that it holds before something writes it."""
        before = self.makers.find(tensor).maker.reference
        site = self._places.site("Parameter", (), Thread(), About(owner=variable))
        return self._begin_with(tensor, site, [] if before == UNKNOWN else [before])

    def _begin_with(self, tensor: Any, site: int, inputs: list[int]) -> Known:
        if site < 0 or self.step < 0:
            return Known()
        execution = self._log.begin(site, self.step, inputs)
        if execution < 0:
            return Known()
        maker = Maker(input_reference(execution, 0), site, append(self._log, tensor, (execution, site, 0)))
        self.makers.made(tensor, maker)
        return Known(maker)

    def _take(self, call: Call, tensor: Any, part: int, *, reads: bool) -> None:
        if not has_elements(tensor):
            return
        operation = call.operation
        call.differentiated = call.differentiated or (tensor.requires_grad and torch.is_grad_enabled())
        known = self.makers.find(tensor)
        if known.from_outside or (known.unwritten and operation.enters):
            place = operation.number << 8 | len(call.inputs) & 0xFF
            enters = reads and not operation.unwritten and self.step >= 0
            known = self.enter(tensor, call, place) if enters else Known()
        call.inputs.append(_Input(known, tensor, part))

    def _look(self, call: Call, tensor: Any, slot: int, part: int) -> None:
        operation, makers = call.operation, self.makers
        if not has_elements(tensor):
            return None
        if operation.unwritten or (operation.first_only and slot > 0):
            return makers.is_unwritten(tensor)
        if operation.arrives_later:
            return makers.forget(tensor)
        if operation.rebinds:
            return makers.rebind(tensor)
        written = any(tensor is each for each, _ in call.written)
        if not written:
            if not operation.rearranges and any(tensor is each.tensor for each in call.inputs):
                return None
            memory = memory_of(tensor)
            if memory and any(each.tensor is not None and memory_of(each.tensor) == memory for each in call.inputs):
                return None
        if operation.is_view and tensor.layout is torch.strided:
            return None
        if operation.copies and call.inputs and call.inputs[-1].known.unwritten:
            return makers.is_unwritten(tensor)
        return self._make(call, tensor, slot, part)

    def _make(self, call: Call, tensor: Any, slot: int, part: int) -> None:
        written = any(tensor is each for each, _ in call.written)
        if self.step < 0:
            self.makers.forget(tensor)
            return
        execution, site, owner = self._run(call, part, self._owner(call, part, tensor, written=written))
        if execution >= 0:
            slot = 0 if part <= KEPT and owner != NOBODY else slot  # of a variable a site of its own tells
            bad = append(self._log, tensor, (execution, site, slot))
            self.makers.made(tensor, Maker(input_reference(execution, slot), site, bad, owner))

    def _owner(self, call: Call, part: int, tensor: Any, *, written: bool) -> tuple[int, bool]:
        if written:
            variable = self.makers.variable_of(tensor)
            if variable != NOBODY:
                return variable, True
        thread = self.thread
        if thread.node is not None:
            return thread.node.owner, False
        updates = thread.updating and not thread.modules
        for given in call.inputs:
            takes = updates if part == WHOLE else given.part == part
            if takes and given.tensor is not None and given.known.maker.owner != NOBODY:
                return given.known.maker.owner, False
        return NOBODY, False

    def _run(self, call: Call, part: int, owner: tuple[int, bool]) -> tuple[int, int, int]:
        if part in call.runs:
            return call.runs[part]
        if not call.runs and self.thread.node is not None:
            call.place = self.thread.node.place(call.operation)
        site = self._site(call, *owner)
        if site == _PLUMBING:
            self.note_read(call.inputs)
        if site < 0:
            return -1, -1, NOBODY
        inputs: list[int] = []
        before: list[int] = []
        for place, given in enumerate(call.inputs):
            if part != WHOLE and given.part not in (WHOLE, part):
                continue
            if given.number is not None:
                number = self._number(call, given.number, place)
                inputs += [number.maker.reference] if number.maker.reference != UNKNOWN else []
            else:
                inputs.append(given.known.maker.reference)
                before += given.known.before
        call.runs[part] = self._log.begin(site, self.step, inputs + before), site, owner[0]
        return call.runs[part]

    def _site(self, call: Call, owner: int, written: object = False) -> int:
        about = About(call.place, call.autocast, owner, bool(written), settings=call.settings)
        return self._places.site(call.operation.name, call.stack, self.thread, about, call.first)

    def _number(self, call: Call, number: float, place: int) -> Known:
        """What is recorded of a number, once for each place and value; of many it is none of the text's."""
        value = number.hex()
        if not math.isfinite(number) and self.thread.node is not None:  # autograd computes some of its own
            return self._infinities.get(value, Known())
        found = self._numbers.setdefault((call.stack, call.operation.number, place), {})
        known = found.get(value)
        if known is None and len(found) < _MOST_NUMBERS:
            site = self._places.site("Number", call.stack, self.thread, About(place, call.autocast, number=number))
            execution = -1 if site < 0 else self._log.begin(site, self.step, [])
            if execution < 0:
                return Known()
            bad = append_number(self._log, number, execution, site)
            known = found[value] = Known(Maker(input_reference(execution, 0), site, bad))
            if not math.isfinite(number):
                self._infinities[value] = known
        return known or Known()


def _is_training(operation: Operation, args: Sequence[Any]) -> bool:
    """Whether an operation is asked to compute as its layer does while it learns."""
    named = zip(operation.arguments, args, strict=False)
    return any(value is True for argument, value in named if argument.name in ("training", "train"))


def _outputs(call: Call, result: Any) -> Iterator[tuple[Any, int, int]]:
    """The tensors that an operation gave, with their slots and parts."""
    each, slot = call.operation.of_each, 0
    values = result if call.operation.gives > 1 else (result,)
    for value in values if values is not None else ():
        for tensor, place in tensors_in(value):
            yield tensor, 0 if each else slot, place if each else WHOLE
            slot += 1
    if slot:
        for tensor, part in call.written:
            if part <= KEPT:
                yield tensor, slot, part
                slot += 1
    if slot or call.operation.gives:
        return
    number = -1
    for tensor, part in call.written:  # written without being returned, as by a fused optimizer
        if part <= 0:
            number += 1
        yield tensor, number if each else slot, part
        slot += 1
