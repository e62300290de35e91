"""All of TensorFlow's internals that tensordbg relies on, each with what is relied on and since when it has been there.

Nothing else in this package imports `tensorflow.python`. `tests/backends/tensorflow/test_internals.py` fails when one of these
changes.
"""

from __future__ import annotations

from typing import Any

# Functions as the runtime knows them, since 2.13. `from_func_graph(name, graph, attrs, ...)` registers the function
# made from a graph with the eager context and is called through the module by everything that makes one: `tf.function`,
# the bodies of loops and branches, forward and backward passes, loaded functions, functions of `tf.data`.
from tensorflow.python.eager.polymorphic_function import atomic_function

# `get_function_def(name)`, `remove_function(name)`, `add_function_def(definition)` of the eager context, since 2.0.
from tensorflow.python.eager import context

# `record.stop_recording()`: operations inside it are not seen by gradient tapes, since 2.13.
from tensorflow.python.eager import record

# `FuncGraph` with `inputs`, `captures` (pairs of outer and inner tensor), `outer_graph`, `name`, since 2.0;
# `func_graph_from_py_func(name, python_func, ...)` makes one from a Python function.
from tensorflow.python.framework import func_graph

# `get(op_type)` gives an operation's OpDef, since 2.0.
from tensorflow.python.framework import op_def_registry

# `BaseResourceVariable` with `handle`, `name`, `dtype`, `shape`, since 1.15.
from tensorflow.python.ops import resource_variable_ops

# What `import tensorflow.python.pywrap_tfe` names is called for every eager operation, looked up in the module each time:
# `TFE_Py_FastPathExecute(context, op_type, name, *inputs, *attributes)` from the generated operations, and
# `TFE_Py_Execute(handle, device, op_type, inputs, attributes, outputs)` from the rest and for functions, since 2.3.
from tensorflow.python import pywrap_tfe

# `extract_stack()` gives the current Python stack, with lines of code that AutoGraph made mapped back to their source.
from tensorflow.python.util import tf_stack

# `unwrap(function)` gives the Python function under TensorFlow's decorators, since 1.4.
from tensorflow.python.util import tf_decorator

__all__ = [
    "atomic_function",
    "context",
    "func_graph",
    "loop_and_branch_graphs",
    "op_def_registry",
    "pywrap_tfe",
    "record",
    "resource_variable_ops",
    "tf_decorator",
    "tf_stack",
]


def loop_and_branch_graphs() -> tuple[type[Any], ...]:
    """The kinds of FuncGraph that are a part of another function: bodies, conditions and branches.

    Since 2.1 in `control_flow_v2_func_graphs`; the gradient's loop body derives from the first.
    """
    from tensorflow.python.ops import control_flow_v2_func_graphs as graphs  # noqa: PLC0415

    return (graphs.WhileBodyFuncGraph, graphs.WhileCondFuncGraph, graphs.CondBranchFuncGraph)
