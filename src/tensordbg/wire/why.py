"""The findings of a trace, as JSON."""

from __future__ import annotations

from typing import Any

from tensordbg.analysis.failures.lead import failure_lead
from tensordbg.analysis.finding import (
    Arrival,
    Beginning,
    Decided,
    EndedLoop,
    ForwardOperation,
    History,
    InputView,
    LoopIteration,
    Origin,
    ProcessSummary,
    ProgramFailure,
    RelatedOperation,
    SourceLine,
    TensorView,
    WhyResult,
)
from tensordbg.model import Health
from tensordbg.wire.alerts import alert_to_json
from tensordbg.wire.health import health_to_json
from tensordbg.wire.warnings import warning_to_json

FORMAT = 1


def why_to_json(result: WhyResult) -> dict[str, Any]:
    """The object that `tdbg why --json` prints; NaN and infinities, which JSON lacks, are null.

    It has `failures` only where an error of an operation ended the program, `notes` only where there is something to
    know of the trace itself, and `processes` in a run of several, of which each origin names its own.
    """
    return {
        "format": FORMAT,
        "status": result.status,
        "tensor_events": result.tensor_events,
        "non_finite_events": result.non_finite_events,
        "origins": [_origin(origin) for origin in result.origins],
        "warnings": [warning_to_json(warning) for warning in result.warnings],
        "alerts": [alert_to_json(alert) for alert in result.alerts],
        **({"failures": [_failure(each) for each in result.failures]} if result.failures else {}),
        **({"processes": [_process(each) for each in result.processes]} if result.processes else {}),
        **({"notes": list(result.notes)} if result.notes else {}),
    }


def _failure(failure: ProgramFailure) -> dict[str, Any]:
    return {
        **({"process": failure.process} if failure.process else {}),
        "lead": failure_lead(failure),
        "error": failure.error,
        "message": failure.message,
        "op_name": failure.op_name or None,
        "op_type": failure.op_type or None,
        "layer": failure.layer or None,
        "function": failure.function,
        "step": failure.step if failure.step >= 0 else None,
        **({"loops": [_loop(each) for each in failure.loops]} if failure.loops else {}),
        "inputs": [{**_input(given), "elements": given.elements or None} for given in failure.inputs],
        "beginnings": [_beginning(each) for each in failure.beginnings],
        "source": None if failure.source is None else _line(failure.source),
        "stack": [{**_line(line), "user": line.user} for line in failure.stack],
    }


def _beginning(beginning: Beginning) -> dict[str, Any]:
    return {
        "what": beginning.what,
        "input": beginning.given,
        "tensor": beginning.tensor,
        "op_type": beginning.op_type,
        "explanation": beginning.explanation,
        "source": None if beginning.source is None else _line(beginning.source),
    }


def _process(process: ProcessSummary) -> dict[str, Any]:
    return {
        "process": process.name,
        "tensor_events": process.tensor_events,
        "non_finite_events": process.non_finite_events,
        "steps": process.steps,
    }


def _arrival(arrival: Arrival) -> dict[str, Any]:
    return {
        "process": arrival.process,
        "from": arrival.sender,
        "kind": arrival.kind,
        **_tensor(arrival.view),
        "source": None if arrival.source is None else _line(arrival.source),
        "reaches": list(arrival.reaches),
        "propagated": arrival.propagated,
        **({"alike": list(arrival.alike)} if arrival.alike else {}),
    }


def _origin(origin: Origin) -> dict[str, Any]:
    index = origin.first_bad_index
    return {
        **({"process": origin.process} if origin.process else {}),
        **_tensor(origin.view),
        "first_bad_index": None if index is None else list(index),
        "inputs": [_input(given) for given in origin.inputs],
        "source": None if origin.source is None else _line(origin.source),
        "stack": [{**_line(line), "user": line.user} for line in origin.stack],
        "cause": origin.verdict.cause,
        "explanation": origin.verdict.explanation,
        "suggestion": origin.verdict.suggestion,
        "consequential": origin.consequential,
        "caught": origin.caught or None,
        "meant": origin.allowed or None,
        **({"read_at": _line(origin.read_at)} if origin.read_at else {}),
        "reaches": list(origin.reaches),
        "propagated": origin.propagated,
        "gradient_of": _forward(origin.gradient_of),
        "occurrences": origin.occurrences,
        **({"devices": list(origin.devices)} if origin.devices else {}),
        "spread": [_tensor(view) for view in origin.spread],
        "history": [_history(history) for history in origin.history if history.past],
        **({"loops": [_loop(each) for each in origin.loops]} if origin.loops else {}),
        **({"ended": [_ended(each) for each in origin.ended]} if origin.ended else {}),
        **({"decided": [_decided(each) for each in origin.decided]} if origin.decided else {}),
        **({"also": [_related(each) for each in origin.also]} if origin.also else {}),
        **({"arrivals": [_arrival(arrival) for arrival in origin.arrivals]} if origin.process else {}),
    }


def _loop(loop: LoopIteration) -> dict[str, Any]:
    return {"iteration": loop.iteration, "source": None if loop.source is None else _line(loop.source)}


def _ended(ended: EndedLoop) -> dict[str, Any]:
    source = None if ended.source is None else _line(ended.source)
    return {"tensor": ended.tensor, "source": source, "step": ended.step, "iteration": ended.iteration}


def _decided(decided: Decided) -> dict[str, Any]:
    source = None if decided.source is None else _line(decided.source)
    return {
        "what": decided.what,
        "tensor": decided.tensor,
        "source": source,
        "step": decided.step,
        "iteration": decided.iteration,
        "branch": decided.branch or None,
        "times": decided.times,
    }


def _tensor(view: TensorView) -> dict[str, Any]:
    return {
        "tensor": view.tensor,
        "op_name": view.op_name,
        "op_type": view.op_type,
        "function": view.function,
        "event": view.event,
        "execution": view.execution,
        "step": view.step,
        "iteration": view.iteration,
        "device": view.device,
        "dtype": view.dtype,
        "shape": _shape(view),
        "health": _health(view.health),
    }


def _forward(forward: ForwardOperation | None) -> dict[str, Any] | None:
    if forward is None:
        return None
    source = None if forward.source is None else _line(forward.source)
    return {"tensor": forward.tensor, "source": source, "is_origin": forward.is_origin}


def _related(related: RelatedOperation) -> dict[str, Any]:
    source = None if related.source is None else _line(related.source)
    return {"tensor": related.tensor, "source": source, "relation": related.relation}


def _input(given: InputView) -> dict[str, Any]:
    recorded = given.recorded
    return {
        "tensor": given.tensor,
        "op_type": given.op_type,
        "recorded_as": None if recorded is None else recorded.tensor,
        "event": None if recorded is None else recorded.event,
        "dtype": (given.dtype or None) if recorded is None else recorded.dtype,
        "shape": _shape(given if recorded is None else recorded),
        "health": None if recorded is None else _health(recorded.health),
    }


def _history(history: History) -> dict[str, Any]:
    return {
        "tensor": history.tensor,
        "past": [
            {"step": view.step, "iteration": view.iteration, "event": view.event, "health": _health(view.health)}
            for view in history.past
        ],
    }


def _line(line: SourceLine) -> dict[str, Any]:
    return {"file": line.file, "line": line.line, "function": line.function, "text": line.text}


def _shape(view: TensorView | InputView) -> list[int] | None:
    return None if view.shape is None else list(view.shape)


def _health(health: Health | None) -> dict[str, Any] | None:
    return None if health is None else health_to_json(health)
