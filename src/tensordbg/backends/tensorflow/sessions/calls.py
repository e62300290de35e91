"""Has sessions inline all functions that their graphs call, as the runtime watches only what is in the graph itself.

By itself a session inlines most calls, by Grappler, but none that is fetched, and none in a graph of a few nodes: these
run beside the graph, where no watch is put in. An option of the session has all inlined before, and what is fetched
stays under its name.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.internals import session
from tensordbg.backends.tensorflow.sessions.graph import RunKey


def with_inlined_calls(config: Any) -> Any:
    """The settings of a session, a ConfigProto or None, with the inlining of all calls."""
    import tensorflow as tf  # imported by the program already

    changed = tf.compat.v1.ConfigProto()
    if config is not None:
        changed.CopyFrom(config)
    changed.graph_options.optimizer_options.do_function_inlining = True
    return changed


def made_sessions() -> weakref.WeakSet[Any]:
    """The sessions that there are."""
    # The type is compared, as asking an object of the program's for its class may run code of it.
    found = [each for each in gc.get_objects() if issubclass(type(each), session.BaseSession)]
    return weakref.WeakSet(found)


def calls_kept_apart(graph: Any, key: RunKey) -> list[str]:
    """Names of the calls among what a run fetches: those are not inlined by Grappler."""
    operations = (graph.get_operation_by_name(name) for name, _ in key.fetches)
    return list(dict.fromkeys(operation.name for operation in operations if operation.type in fd.CALLS))
