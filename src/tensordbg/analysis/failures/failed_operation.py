"""The operation whose error ended the program: where it is, what it took, and how healthy that was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.failures.backward_pass import Recording, in_backward_pass
from tensordbg.analysis.failures.batching import element_that_fits_no_batch
from tensordbg.analysis.failures.beginnings.asserted import comparison_at, is_of_comparison
from tensordbg.analysis.failures.beginnings.beyond_size import beyond_size
from tensordbg.analysis.failures.beginnings.find import Refusal, compared_beginnings, find_beginnings
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.ragged_operands import ragged_operands
from tensordbg.analysis.failures.beginnings.ragged_parts import ragged_parts
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast, constant_of, with_variable
from tensordbg.analysis.failures.beginnings.stated import StatedPast
from tensordbg.analysis.failures.data_elements import Refused, element_of, item_beginning
from tensordbg.analysis.failures.failed_calls import call_of, in_common, narrowed_down, of_all
from tensordbg.analysis.failures.failed_loops import failed_loops
from tensordbg.analysis.failures.generators import as_of_generator
from tensordbg.analysis.failures.in_python import raised_in_python
from tensordbg.analysis.failures.lost_gradient import lost_gradient
from tensordbg.analysis.failures.made_variables import made_variables
from tensordbg.analysis.failures.pipeline import FailedElement, failed_in_pipeline
from tensordbg.analysis.failures.recorded_inputs import input_of, inputs_of_eager, inputs_of_graph, views_of
from tensordbg.analysis.finding import Beginning, InputView, LoopIteration, ProgramFailure, SourceLine, TensorView
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.details import Details, function_name
from tensordbg.analysis.program.events import Executions, row_of
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.tensors.batch_origins import BatchOrigins
from tensordbg.model import NONE, Site, StatedInput, StatedTensor, TensorRef
from tensordbg.trace.program.facts import Failure
from tensordbg.trace.raw.small_elements import elements_text

_MOST_ELEMENTS = 16

_PARTIAL = re.compile(r"input\[(\d{1,3})\] = (\[[\d?,]*\])")
"""How a message says which elements of an input were known without running it."""


def find_failure(
    trace: TraceSource, program: Program, executions: Executions, details: Details
) -> ProgramFailure | None:
    """Finds the operation whose error ended the program; None where it ended otherwise."""
    told = trace.facts.failure
    if told is None:
        return None
    site = program.sites.get(told.site)
    locations = Locations(program)
    if (
        told.nodes
        and (site is None or site.function == NONE)
        and (element := failed_in_pipeline(trace, program, executions, told)) is not None
    ):
        return as_of_generator(_of_pipeline(told, element, locations, details), element, locations)
    stacks = [] if site is None else [site.stack]
    row = int(row_of(executions.number, np.array([told.execution]))[0]) if told.execution != NONE else NONE
    known = row != NONE
    if known and int(executions.site[row]) in program.sites:
        stacks.append(program.sites[int(executions.site[row])].stack)
    stack = next((lines for lines in map(locations.stack, stacks) if any(line.user for line in lines)), ())
    place = _Place(told, Recording(trace, program, executions), locations, locations.own(stack), details)
    found = _looked_into(place, site, row)
    beyond = beyond_size(told.message, program, site, locations)
    began = [each for each in found.beginnings if not beyond or each.what != "shape"]
    return ProgramFailure(
        error=told.error,
        message=told.message,
        op_name="" if site is None else site.name,
        op_type="" if site is None else site.op_type,
        function="" if site is None else function_name(program, site),
        step=int(executions.step[row]) if known else NONE,
        source=place.source,
        stack=stack,
        inputs=_with_partial(found.inputs or _stated(told.inputs), told.message),
        beginnings=(
            *raised_in_python(told.message, locations),
            *beyond,
            *in_backward_pass(told, place.recording, locations),
            *lost_gradient(told, place.recording, locations),
            *(began or element_that_fits_no_batch(told.message, trace, program, executions, row)),
            *made_variables(told, _sites_at(site, program, executions, row), program, locations, place.source),
            *found.element,
            *_item(told, locations),
        ),
        layer=told.layer,
        loops=found.loops,
    )


def _item(told: Failure, locations: Locations) -> list[Beginning]:
    return [item_beginning(told.item, locations.own(locations.stack(told.item_stack)))] if told.item else []


def _sites_at(site: Site | None, program: Program, executions: Executions, row: int) -> Iterator[Site]:
    """An operation that failed, and those that made what it was given."""
    numbers = [] if site is None else [site.site, *(ref.site for ref in program.inputs_of(site.site))]
    if row != NONE and executions.function[row] == NONE:
        given = executions.input_row[executions.input_starts[row] : executions.input_starts[row + 1]]
        numbers += executions.site[given[given != NONE]].tolist()
    yield from (program.sites[number] for number in numbers if number in program.sites)


@dataclass(frozen=True)
class _Place:
    """Where a program failed, and what is known of it."""

    told: Failure
    recording: Recording
    locations: Locations
    source: SourceLine | None
    details: Details


@dataclass(frozen=True)
class _Found:
    """What a failed operation was given, and where that came from of it which did not fit."""

    inputs: tuple[InputView, ...] = ()
    beginnings: tuple[Beginning, ...] = ()
    element: tuple[Beginning, ...] = ()
    """Of a dataset."""
    loops: tuple[LoopIteration, ...] = ()
    """The iterations in which it failed."""


def _looked_into(place: _Place, site: Site | None, row: int) -> _Found:
    """What an operation was given whose execution was recorded, an assertion, or Python code that refused it."""
    told, recording, details = place.told, place.recording, place.details
    trace, program, executions = recording.trace, recording.program, recording.executions
    if site is not None and row != NONE and not told.tensors:
        eager = executions.function[row] == NONE
        inputs = inputs_of_eager(program, executions, row) if eager else inputs_of_graph(program, site, told.execution)
        past = RecordedPast(trace, program, executions, row, *_rows_of(told.data, executions))
        given = with_variable(past.failed_inputs(site), site, program)
        behind = StatedPast((), _line_of(place.locations), past, told.data)
        views = with_elements(_recorded(views_of(trace, inputs, told.message, details), given, details), told, details)
        names = [each.tensor for each in inputs]
        refusal = Refusal(site.op_type, told.message, place.source, names, given)
        loops = failed_loops(past, site, told.message, place.locations)
        ragged = ragged_parts(program, past, refusal, [each.elements for each in views])
        if any(ragged):
            return _Found(*ragged, loops=loops)
        small = {TensorRef(number, slot): text for (_, number, slot), text in reversed([*told.elements.items()])}
        if operands := ragged_operands(program, past, site, place.source, small):
            return _Found(operands, loops=loops)
        began = find_beginnings(refusal, behind)
        refused = Refused(told.message, given, [each.elements for each in views])
        element = element_of(BatchOrigins(trace, program), past, refused)
        return _Found(with_constants(views, given), began, element, loops)
    if (not told.inputs or told.tensors) and (not told.tensors or is_of_comparison(told.message)):
        row = comparison_at(program, executions, place.locations, place.source)
        if row != NONE:
            past = RecordedPast(trace, program, executions, row)
            inputs = inputs_of_eager(program, executions, row)
            given = past.failed_inputs(program.sites[int(executions.site[row])])
            refusal = Refusal("", told.message, place.source, [each.tensor for each in inputs], given)
            views = with_constants(with_elements(views_of(trace, inputs, told.message, details), told, details), given)
            return _Found(views, tuple(compared_beginnings(refusal, past, given)))
    if told.tensors:
        return _Found(*_of_refused(told, recording, place.locations, place.source, details))
    return _Found()


def _of_pipeline(told: Failure, failed: FailedElement, locations: Locations, details: Details) -> ProgramFailure:
    """The operation that failed in a function of an input pipeline."""
    failed = narrowed_down(failed, told, details)
    site, given, program = failed.site, failed.given, failed.past.values.program
    stack = locations.stack(site.stack)
    source = locations.own(stack)
    names = [input_of(program, ref, NONE).tensor for ref in program.inputs_of(site.site)]
    views = details.views([made.event for made in given if made is not None and made.event != NONE])
    plain = tuple(
        InputView(name, "" if made is None else made.op_type, None if made is None else views.get(made.event))
        for name, made in zip(names, given, strict=True)
    )
    calls = [failed, *failed.others]
    inputs = in_common(with_elements(plain, told, details) if any(given) else (), calls)
    refusals = (Refusal(site.op_type, told.message, source, names, each.given) for each in calls)
    return ProgramFailure(
        error=told.error,
        message=told.message,
        op_name=site.name,
        op_type=site.op_type,
        function=function_name(program, site),
        step=NONE,
        source=source,
        stack=stack,
        inputs=inputs,
        layer=told.layer,
        beginnings=(
            *raised_in_python(told.message, locations),
            *beyond_size(told.message, program, site, locations),
            *of_all(find_beginnings(refusal, failed.past) for refusal in refusals),
            *call_of(told, failed, inputs, details),
        ),
    )


def _recorded(inputs: tuple[InputView, ...], given: Sequence[Made | None], details: Details) -> tuple[InputView, ...]:
    """Fills in the inputs that were recorded elsewhere, such as arguments where they came from."""
    views = details.views([made.event for made in given if made is not None and made.event != NONE])
    known = [*given, *[None] * (len(inputs) - len(given))]
    return tuple(
        plain if plain.recorded is not None or made is None else replace(plain, recorded=views.get(made.event))
        for plain, made in zip(inputs, known, strict=False)
    )


def with_constants(inputs: tuple[InputView, ...], given: Sequence[Made | None]) -> tuple[InputView, ...]:
    """Fills in the inputs that were not recorded but stand in the graph, such as constants."""
    known = [*given, *[None] * (len(inputs) - len(given))]
    return tuple(
        plain if plain.recorded is not None or made is None else _with_constant(plain, made)
        for plain, made in zip(inputs, known, strict=False)
    )


def _with_constant(plain: InputView, made: Made) -> InputView:
    elements = constant_of(made)
    if elements is None:
        return plain
    text = elements_text(elements) if elements.size <= _MOST_ELEMENTS else ""
    return replace(plain, dtype=made.dtype, shape=elements.shape, elements=text)


def with_elements(inputs: tuple[InputView, ...], told: Failure, details: Details) -> tuple[InputView, ...]:
    """Adds the elements of small inputs, which were taken along when the program failed."""
    views = [each.recorded for each in inputs if each.recorded is not None]
    if not views or not told.elements:
        return inputs
    times = details.times(np.array([view.event for view in views], dtype=np.int64)).tolist()
    known = {
        view.event: told.elements.get((time, view.site, view.slot), "") for view, time in zip(views, times, strict=True)
    }
    return tuple(
        each if each.recorded is None else replace(each, elements=known[each.recorded.event]) for each in inputs
    )


def _of_refused(
    told: Failure, recording: Recording, locations: Locations, source: SourceLine | None, details: Details
) -> tuple[tuple[InputView, ...], tuple[Beginning, ...]]:
    """What was refused before anything was computed, and where that came from of it which did not fit."""
    rows = _rows_of([*told.tensors, *told.data], recording.executions)
    recorded = RecordedPast(recording.trace, recording.program, recording.executions, *rows) if rows else None
    past = StatedPast(told.tensors, _line_of(locations), recorded, told.data, source)
    site = recording.program.sites.get(told.site)
    given = past.refused(len(told.inputs))
    views = details.views([made.event for made in given if made is not None and made.event != NONE])
    inputs = tuple(
        plain if made is None else _as_stated(plain, made, views.get(made.event), past)
        for plain, made in zip(_stated(told.inputs), given, strict=False)
    )
    op_type = "" if site is None else site.op_type
    names, asked = [each.tensor for each in inputs], [each.asked for each in told.inputs]
    refusal = Refusal(op_type, told.message, source, names, given, asked)
    return with_elements(inputs, told, details), find_beginnings(refusal, past)


def _with_partial(inputs: tuple[InputView, ...], message: str) -> tuple[InputView, ...]:
    """The inputs with the sizes that TensorFlow knew of them while it traced, as the message has them."""
    known = {int(place): numbers.replace(",", ", ") for place, numbers in _PARTIAL.findall(message)}
    return tuple(
        replace(each, elements=known[place]) if place in known and not each.elements else each
        for place, each in enumerate(inputs)
    )


def _rows_of(tensors: Sequence[StatedTensor], executions: Executions) -> list[int]:
    """The executions that made some tensors, as far as they were recorded."""
    numbers = np.array([each.execution for each in tensors if each.execution != NONE], dtype=np.int64)
    return [row for row in np.unique(row_of(executions.number, numbers)).tolist() if row != NONE]


def _line_of(locations: Locations) -> Callable[[int], SourceLine | None]:
    return lambda stack: locations.own(locations.stack(stack))


def _as_stated(plain: InputView, made: Made, view: TensorView | None, past: StatedPast) -> InputView:
    """An input as it was recorded; where what was given is a view of that, as it was stated."""
    if view is not None and (plain.shape is None or view.shape in (None, plain.shape)):
        return InputView(past.name(made), made.op_type, view)
    return replace(plain, tensor=past.name(made), op_type=made.op_type)


def _stated(inputs: Sequence[StatedInput]) -> tuple[InputView, ...]:
    """The inputs as the error tells them, of an operation that was not built."""
    return tuple(
        InputView(each.tensor, "", None, dtype=each.dtype, shape=each.shape, elements=each.elements) for each in inputs
    )
