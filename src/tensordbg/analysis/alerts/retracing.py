"""Functions that are traced again and again, where one graph would do: which argument kept changing, and how."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tensordbg.advice.lookup import fix
from tensordbg.analysis.finding import Alert, Evidence
from tensordbg.analysis.graphs.functions import FunctionTrace, Parameter, TracedFunction
from tensordbg.enumeration import first_few

MOST_TRACES = 5
"""A function may be traced so many times before it is an alert."""

_FEW_CALLS = 2
"""A function made anew is worth its trace if it is called more often than this."""

_SHOWN = 5

_TO_AND_FRO = 2
_MOST_CHANGES = 3
"""So many are told."""


def retracing_alerts(functions: Sequence[TracedFunction]) -> Iterator[Alert]:
    """One alert for each function that was traced more than `MOST_TRACES` times."""
    for function in functions:
        made_anew = _made_anew(function)
        if made_anew is not None:
            yield made_anew
            continue
        of_one: dict[int, list[FunctionTrace]] = {}
        for trace in function.traces:
            if trace.calls:
                of_one.setdefault(trace.python, []).append(trace)
        for traces in of_one.values():
            distinct = _distinct(traces)
            if len(distinct) > MOST_TRACES:
                yield _kept_changing(function, distinct)


def _made_anew(function: TracedFunction) -> Alert | None:
    """The alert for a function that the program makes in a loop and calls once or twice."""
    called = [trace for trace in function.traces if trace.calls]
    definition = function.definition
    if definition is None or not definition.user or len(called) <= MOST_TRACES:
        return None
    gone = max(trace.gone for trace in called)
    calls = sum(trace.calls for trace in called)
    if gone < MOST_TRACES or statistics.median(trace.calls for trace in called) > _FEW_CALLS:
        return None
    place = definition.place
    return Alert(
        kind="retracing",
        function=function.name,
        tensor="",
        source=called[-1].source,
        explanation=(
            f"a new traced function is made of {function.name} ({place}) each time: {len(called)} were made for "
            f"{calls} calls, and each had to be traced{_said_of_lines(called)}"
        ),
        suggestion=fix(function.framework, "retracing", "made_anew"),
        evidence={"traces": len(called), "calls": calls, "gone": gone, **_evidence_of_lines(called)},
    )


def _distinct(traces: Sequence[FunctionTrace]) -> list[FunctionTrace]:
    """Without traces for what had been traced already: TensorFlow makes a second one where the first made variables."""
    kept: dict[object, FunctionTrace] = {}
    for trace in traces:
        holds_object = any(parameter.kind == "object" for parameter in trace.parameters)
        # An object can lie where another was before.
        key = trace.function if holds_object else trace.parameters
        kept.setdefault(key, trace)
    return list(kept.values())


@dataclass(frozen=True)
class _Change:
    """A parameter that kept changing."""

    name: str
    what: str
    times: int
    given: list[str]
    """The first few of what was given."""


def _kept_changing(function: TracedFunction, traces: Sequence[FunctionTrace]) -> Alert:
    changes = _find_changes(traces)
    calls = sum(trace.calls for trace in traces)
    evidence: dict[str, Evidence] = {"traces": len(traces), "calls": calls}
    if not changes:
        return _alert(function, traces, ("", fix(function.framework, "retracing")), evidence)
    change, *others = changes
    told = (_said_of_change(each, traces, alone=not others) for each in changes)
    reason = f", because {'; and '.join(told)}"
    further: dict[str, Evidence] = {
        "argument": change.name,
        "changed": change.what,
        "changes": change.times,
        "values": change.given,
        **({"others": [f"{each.name}: {each.what} x{each.times}" for each in others]} if others else {}),
    }
    return _alert(function, traces, (reason, _advice(function, changes)), {**evidence, **further})


_SAID = {
    "Python value": "was another Python value",
    "object": "was another object",
    "kind": "was given in different ways",
}
_EACH_TIME = frozenset({"Python value", "object"})


def _said_of_change(change: _Change, traces: Sequence[FunctionTrace], *, alone: bool) -> str:
    often = f" {change.times} times" if not alone else " each time" if change.what in _EACH_TIME else ""
    said = _SAID.get(change.what, f"changed its {change.what}")
    more = ", ..." if len(traces) > len(change.given) else ""
    return f"its argument {change.name} {said}{often}: {', '.join(change.given)}{more}"


def _advice(function: TracedFunction, changes: Sequence[_Change]) -> str:
    """What helps, of several arguments with the name of each."""
    if function.definition is not None and not function.definition.user:
        return fix(function.framework, "retracing", "library", name=changes[0].name)
    fixes = [(each.name, fix(function.framework, "retracing", each.what, name=each.name)) for each in changes]
    return fixes[0][1] if len(fixes) == 1 else "; ".join(f"{name}: {words}" for name, words in fixes)


def _alert(
    function: TracedFunction,
    traces: Sequence[FunctionTrace],
    said: tuple[str, str],
    evidence: dict[str, Evidence],
) -> Alert:
    calls = sum(trace.calls for trace in traces)
    return Alert(
        kind="retracing",
        function=function.name,
        tensor="",
        source=traces[-1].source,
        explanation=f"{function.name} was traced {len(traces)} times in {calls} calls{said[0]}{_said_of_lines(traces)}",
        suggestion=said[1],
        evidence={**evidence, **_evidence_of_lines(traces)},
    )


def _said_of_lines(traces: Sequence[FunctionTrace]) -> str:
    """From which lines it was traced, and how often from each; nothing where it is one line, which stands before."""
    counts = _lines(traces)
    if len(counts) < 2:
        return ""
    texts = [f"{place} ({times} times)" if times > 1 else place for place, times in counts.most_common()]
    lines = " lines" if len(texts) > _SHOWN else ""
    return f"; traced by the calls at {first_few(texts, _SHOWN)}{lines}"


def _evidence_of_lines(traces: Sequence[FunctionTrace]) -> dict[str, Evidence]:
    counts = _lines(traces)
    return {"lines": [f"{place} x{times}" for place, times in counts.most_common()]} if len(counts) > 1 else {}


def _lines(traces: Sequence[FunctionTrace]) -> Counter[str]:
    """The places of the calls that had it traced, each with how often."""
    return Counter(trace.source.place for trace in traces if trace.source is not None)


def _find_changes(traces: Sequence[FunctionTrace]) -> list[_Change]:
    """What kept changing: first what was given in the most ways, of several that which changed most often.

    What changed once, or to and fro between two ways, is told only where nothing else did.
    """
    changes: Counter[tuple[str, str]] = Counter()
    for before, after in pairwise(traces):
        old = {parameter.name: parameter for parameter in before.parameters}
        new = {parameter.name: parameter for parameter in after.parameters}
        for name in old.keys() | new.keys():
            what = _difference(old.get(name), new.get(name))
            if what:
                changes[name, what] += 1
    if not changes:
        objects = [parameter.name for parameter in traces[0].parameters if parameter.kind == "object"]
        changes.update((name, "object") for name in objects[:1] for _ in traces[1:])
    ways = Counter(name for name, _ in {(each.name, each) for trace in traces for each in trace.parameters})
    order = sorted(changes.items(), key=lambda item: (-ways[item[0][0]], -item[1], item[0]))
    kept = order[:1] + [item for item in order[1:] if item[1] > 1 and ways[item[0][0]] > _TO_AND_FRO]
    return [_Change(name, what, times, _texts_of(traces, name)) for (name, what), times in kept[:_MOST_CHANGES]]


def _texts_of(traces: Sequence[FunctionTrace], name: str) -> list[str]:
    """The first few of what a parameter was given, each once."""
    texts = [parameter.text for trace in traces for parameter in trace.parameters if parameter.name == name]
    return list(dict.fromkeys(texts))[:_SHOWN]


def _difference(old: Parameter | None, new: Parameter | None) -> str:
    """What of a parameter changed; empty if nothing did."""
    if old == new:
        return ""
    if old is None or new is None:
        return "structure"
    if old.kind != new.kind:
        return "kind"
    if old.kind == "tensor":
        return "dtype" if old.dtype != new.dtype else "shape"
    return {"value": "Python value", "object": "object"}.get(old.kind, "structure")
