"""Input pipelines: a batch came from what the pipeline's functions made, or from the data that it was built on.

A dataset is a variant and an iterator a resource, neither of which is recorded, and a pipeline's functions run outside
of any execution, ahead of the steps. So this part of the data flow is known only in the large: a bad batch goes back to
the bad results of pipeline functions since the last batch, or of any earlier ones; if there are none, to the bad
data that datasets were made of. The arguments of pipeline functions go back in the same way; those that hold a state
from one element to the next also to the function's own results.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait

_MOST_SOURCES = 64
"""A batch is linked to at most so many bad results, the latest."""

_WITH_STATE = ("Dataset_scan_", "reduce_")
"""How the names begin that tf.data gives to functions which take their own result for the element before."""


def pipeline_links(values: Values) -> tuple[Ints, Ints]:
    """Which bad events came out of an input pipeline, and the bad events from which they may have come.

    Returns:
        Pairs of events: what was made, and what it was made from.
    """
    bad = np.flatnonzero(values.events.bad)
    sites = values.ports.site[values.port[bad]]
    inside = (values.events.execution[bad] == NONE) | np.isin(
        values.ports.block[values.events.site[bad]], _graphs(values)
    )
    taking = [site.site for site in values.program.sites.values() if operation_of(site).has(Trait.FROM_PIPELINE)]
    batches = bad[np.isin(sites, taking)]
    arguments = bad[inside & (values.ports.argument[sites] >= 0)]
    made, source = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    if len(batches) or len(arguments):
        given = _dataset_inputs(values)
        results = bad[inside & returned(values)[values.port[bad]]]
        last: dict[int, int] = {}
        for event in batches.tolist():
            port = int(values.port[event])
            _append(made, source, event, _since(results, last.get(port, NONE), event), given)
            last[port] = event
        graph = values.ports.block[values.events.site[results]]
        with_state = _graphs_with_state(values)
        for event in arguments.tolist():
            own = int(values.ports.block[values.events.site[event]])
            earlier = graph < own + (own in with_state)  # traced as data passes through them
            _append(made, source, event, _since(results[earlier], NONE, event), given)
    return np.concatenate(made), np.concatenate(source)


def _graphs(values: Values) -> list[int]:
    """The graphs of functions that a function gives to the pipeline it makes: they run while it does."""
    makers = [site for site in values.program.sites.values() if operation_of(site).has(Trait.MAKES_PIPELINE)]
    called = [function for site in makers for function in values.program.called_by(site)]
    return [function.graph for function in called if function is not None]


def _graphs_with_state(values: Values) -> set[int]:
    """The graphs of functions that take what they returned for the element before."""
    functions = values.program.functions.values()
    return {function.graph for function in functions if function.name.startswith(_WITH_STATE)}


def _append(made: list[Ints], source: list[Ints], event: int, results: Ints, given: Ints) -> None:
    found = results if len(results) else given
    found = found[found != event][-_MOST_SOURCES:]
    made.append(np.full(len(found), event, dtype=np.int64))
    source.append(found)


def _since(results: Ints, last: int, event: int) -> Ints:
    """The results between two batches; if there are none, as the pipeline runs ahead, all before the second."""
    begin, end = np.searchsorted(results, [last + 1, event])
    return results[begin:end] if begin < end else results[:end]


def _dataset_inputs(values: Values) -> Ints:
    """The bad events that eager operations made datasets of."""
    makers = [site.site for site in values.program.sites.values() if operation_of(site).has(Trait.MAKES_PIPELINE)]
    return np.unique(values.bad_inputs_of(makers))


def returned(values: Values) -> Bools:
    """For each port whether a function returns it, as it is or through identities."""
    result = np.zeros(len(values.ports.site), dtype=np.bool_)
    program = values.program
    for function in program.functions.values():
        for output in function.outputs:
            for ref in program.handed_on(output):
                if values.ports.of(ref) != NONE:
                    result[values.ports.of(ref)] = True
    return result
