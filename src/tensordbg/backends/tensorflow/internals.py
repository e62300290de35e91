"""All of TensorFlow's internals that tensordbg relies on, each with what is relied on and since when it has been there.

Nothing else in this package imports `tensorflow.python`. The tests of this module fail when one of them changes.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from types import FrameType
from typing import Any

from tensorflow.python import ops, pywrap_tfe
from tensorflow.python.autograph.impl import api as autograph
from tensorflow.python.autograph.operators import control_flow
from tensorflow.python.client import pywrap_tf_session, session
from tensorflow.python.data.ops import debug_mode, iterator_ops, snapshot_op, structured_function
from tensorflow.python.eager import backprop, cancellation, context, imperative_grad, record
from tensorflow.python.eager.polymorphic_function import atomic_function, concrete_function, polymorphic_function
from tensorflow.python.framework import (
    constant_op,
    func_graph,
    function,
    function_def_to_graph,
    kernels,
    op_def_library,
    op_def_registry,
)
from tensorflow.python.framework import ops as framework_ops
from tensorflow.python.ops import (
    control_flow_v2_func_graphs,
    functional_ops,
    gradients_util,
    resource_variable_ops,
    summary_ops_v2,
    while_v2,
)
from tensorflow.python.training import server_lib
from tensorflow.python.util import _pywrap_util_port as util_port
from tensorflow.python.util import tf_decorator, tf_stack, traceback_utils

__all__ = [
    "RELIED_ON",
    "atomic_function",
    "autograph",
    "autograph_operators",
    "backprop",
    "cancellation",
    "concrete_function",
    "constant_op",
    "context",
    "control_flow",
    "debug_mode",
    "differentiated",
    "eager_tensors",
    "forward_graph",
    "func_graph",
    "function",
    "function_def_to_graph",
    "functional_ops",
    "generated_names",
    "gradients_util",
    "imperative_grad",
    "iterator_ops",
    "kernels",
    "loop_and_branch_graphs",
    "op_def_library",
    "op_def_registry",
    "polymorphic_function",
    "python_function_inputs",
    "pywrap_tf_session",
    "pywrap_tfe",
    "record",
    "resource_variable_ops",
    "server_lib",
    "session",
    "snapshot_op",
    "structured_function",
    "summary_ops_v2",
    "tf_decorator",
    "tf_stack",
    "traceback_utils",
    "traced_inputs",
    "util_port",
    "was_caught_while_traced",
    "while_v2",
]

RELIED_ON: dict[str, str] = {
    "pywrap_tfe.TFE_Py_FastPathExecute": (
        "(context, op_type, name, *inputs, *attributes): the generated operations look it up in the module for every "
        "eager operation; since 2.3"
    ),
    "pywrap_tfe.TFE_Py_Execute": (
        "(handle, device, op_type, inputs, attributes, number of outputs): all other eager operations, and calls of "
        "functions by their runtime name; since 2.3"
    ),
    "pywrap_tfe.TFE_Py_ExecuteCancelable": "the same where a call can be cancelled; since 2.3",
    "pywrap_tfe.TFE_Py_TapeSetIsEmpty": "() -> whether no tape watches what this thread computes; since 2.1",
    "backprop._gradient_function": (
        "(op_name, attr_tuple, num_inputs, inputs, outputs, ...): a tape calls it for each operation; its frame is "
        "looked for in a stack, and its arguments read there; since 1.7"
    ),
    "traced_inputs": (
        "`bound_args` of `_maybe_define_function` and `loop_vars` of `while_loop`, in frames outside of that of "
        "`func_graph_from_py_func`, whose `func_graph` has the placeholders as `inputs`; since 2.14"
    ),
    "imperative_grad.imperative_grad": (
        "(tape, target, sources, ...): what a gradient tape calls, looked up in the module; since 1.5"
    ),
    "gradients_util._GradientsHelper": (
        "(ys, xs, ...): what `gradients` and `gradients_v2` call when a program differentiates in a graph, looked up "
        "in the module; since 1.11"
    ),
    "eager_tensors": (
        "the class of eager tensors, whose buffer protocol NumPy reads, since 2.2, and the one under it, where every "
        "other way from Python to the elements calls `_numpy`, since 2.0; `_copy_nograd` copies to another device, "
        "since 1.14"
    ),
    "pywrap_tfe.TFE_ToDlpackCapsule": "(tensor): looked up in the module by all that gives out a tensor; since 2.2",
    "server_lib.Server": "its `server_def`, with the cluster, the job's name and the task; since 1.0",
    "context.Context.set_server_def": (
        "and update_server_def: (server_def, ...) connect the runtime to the tasks of a cluster, which are sent all "
        "functions; get_server_def gives it back; since 2.0"
    ),
    "function.func_graph_from_py_func": (
        "(func, names and types of arguments, ...) -> the graph of a function of TensorFlow 1, looked up in the module "
        "while `_create_definition_if_needed_impl` of the function, a `_DefinedFunction`, makes its definition, which "
        "then has its `name`; since 1.8"
    ),
    "differentiated": "(operation) -> that of the forward pass for whose gradient it was made, or None; since 1.0",
    "forward_graph": "(graph) -> of the graph of a loop's body's or branch's gradient that body or branch; since 2.1",
    "context.context": (
        "the eager context: get_, remove_ and add_function_def by runtime name, list_physical_, get_visible_ and "
        "list_logical_devices, `_initialized` once it has started; since 2.1"
    ),
    "constant_op.convert_to_eager_tensor": (
        "(value, context, dtype): makes every eager constant; for arguments of functions it is called from modules "
        "under tensorflow.python.eager.polymorphic_function; since 2.0"
    ),
    "constant_op._constant_impl": "(value, ...): what makes every constant, of a graph too; since 2.0",
    "util_port.IsMklEnabled": "() -> whether oneDNN computes what it has a kernel for; since 2.2",
    "kernels.get_all_registered_kernels": "a KernelList of all kernels, each with `op` and `device_type`; since 1.8",
    "kernels.get_registered_kernels_for_op": "(op type): those of one operation, with `constraint`; since 1.8",
    "context.Context": (
        "has_function, add_function_def, which counts how often a definition was given, is_async, "
        "report_error_to_cluster with `coordination_service`, None where there is one process (since 2.9), the "
        "switches {enable,disable}_{run_metadata,graph_collection}, and export_run_metadata: what was collected of the "
        "functions made ready to run, once a later call has come to its end; since 2.0"
    ),
    "pywrap_tfe.TFE_ContextEnableGraphCollection": "(handle): what `enable_graph_collection` calls; since 2.0",
    "pywrap_tfe.TFE_ContextDisableGraphCollection": "the reverse; since 2.0",
    "cancellation.CancellationManager": (
        "`start_cancel`, and `_impl` for TFE_Py_ExecuteCancelable; a function called with one that is cancelled is "
        "made ready to run and not begun; since 2.1"
    ),
    "summary_ops_v2.trace_on": "keeps `_current_trace_context`, None unless the program collects graphs; since 2.0",
    "gradients_util.array_ops.shape_internal": "(input, ...): makes every shape, as a constant where known; since 1.0",
    "record.stop_recording": "operations inside it are not seen by gradient tapes; since 2.13",
    "atomic_function.from_func_graph": (
        "(name, graph, attributes, ...): registers the function made from a graph with the context; called through the "
        "module by all that makes one: tf.function, bodies of loops and branches, forward and backward passes, loaded "
        "functions, functions of tf.data; since 2.13"
    ),
    "atomic_function.AtomicFunction": (
        "a function as Python holds it, counted in `RUNTIME_FUNCTION_REFS`: `_cached_graph` is what it was made from, "
        "`cached_definition` is read once, `graph_debug_info` is what the message of an error says of its nodes: a "
        "GraphDebugInfo of files, frames (the `get_user_frames` of an operation's traceback), traces, and the trace of "
        "each node's name; `_c_func` is what is copied into graphs that call it and so into what is exported, "
        "`function_type.parameters` gives for each parameter the TraceType of what was given (TensorSpec, Literal, "
        "Weakref, Tuple, List, Dict... by their classes' names); since 2.13"
    ),
    "autograph._TRANSPILER.transform": (
        "converts functions; its `_cache._cache` maps code objects to conversions, each with a `source_map` from the "
        "generated lines to the program's (LineLocation -> OriginInfo); since 2.4"
    ),
    "autograph.converted_call": (
        "(f, args, kwargs, ...): by which TensorFlow calls a function of the program with tensors of a graph: what "
        "tf.function traces, functions of datasets, of map_fn and scan; looked up in the module; since 2.0"
    ),
    "autograph.tf_convert": (
        "(f, context, ...) -> what is called in place of a function of the program: itself if it is a part of a "
        "function that was converted, which `is_autograph_artifact` tells and `autograph_artifact` marks; looked up in "
        "the module; since 2.0"
    ),
    "autograph_operators": (
        "the module that converted functions know as `ag__`; `for_stmt(iter, extra_test, body, get_state, set_state, "
        "symbol_names, opts)` with `iterate_names` in opts, the text of the loop's target, calls `body(iterate)`; "
        "`if_exp` gives what `a if cond else b` is, `converted_call` what each call in the program's text is; since 2.3"
    ),
    "control_flow._tf_while_stmt": (
        "(test, body, get_state, set_state, symbol_names, opts): all loops of converted functions that become a While; "
        "`get_state()` gives what the symbols stand for just now, also inside of test and body; since 2.3"
    ),
    "control_flow._tf_if_stmt": (
        "(cond, body, orelse, get_state, set_state, symbol_names, nouts): all branches that become an If, the first "
        "`nouts` symbols are its results; since 2.4"
    ),
    "functional_ops.scan": (
        "(fn, elems, ...): what tf.scan calls, looked up in the module; calls `fn` as it is; foldl and foldr likewise; "
        "since 1.0"
    ),
    "while_v2.while_loop": (
        "(cond, body, loop_vars, ...): makes every While, called through the module by tf.while_loop, which calls "
        "cond and body with the variables of the loop; since 1.13"
    ),
    "while_v2._create_grad_func": (
        "(ys, xs, grads, cond_graph, body_graph, ...) -> (graph, ...): the body of the loop that is the gradient of "
        "one, whose arguments are a counter, two bounds, and a gradient for each of `xs`, arguments of the body; "
        "looked up in the module; since 2.0"
    ),
    "python_function_inputs": (
        "the frame of `script_ops.py_func_common`, with `func` and `inp`: what `tf.numpy_function` calls eagerly, and "
        "with what, is called there; since 2.0"
    ),
    "was_caught_while_traced": "the exception has `ag_error_metadata`; since 2.1",
    "while_v2._build_while_op": (
        "(loop_vars, cond_graph, body_graph, ...): makes every While of two graphs with the same arguments, before "
        "they become functions; looked up in the module; since 2.1"
    ),
    "polymorphic_function.Function": (
        "what tf.function gives: every call from Python, of methods too, goes through `__call__` of the class, which "
        "looks at run_functions_eagerly first; `python_function`, with `__original_wrapped__` of a method: tracing "
        "replaces `__wrapped__`; `get_concrete_function`; since 2.13"
    ),
    "concrete_function.ConcreteFunction._call_flat": (
        "(inputs, captured inputs): runs a traced function, once its tracing is done; with its `graph`; since 2.0"
    ),
    "structured_function.StructuredFunctionWrapper": (
        "(func, ...): each function that a dataset is given, traced when it is made, with `function`; since 2.5"
    ),
    "iterator_ops.OwnedIterator._serialize_to_tensors": (
        "(): what a checkpoint keeps, as `_STATE`, by the policy of its `_dataset`, which knows its `_inputs`, the "
        "functions it was given (`_functions`) and its `_tensors`; since 2.12"
    ),
    "snapshot_op.ged_ops.snapshot_dataset_v2": (
        "(dataset, ...): what `Dataset.snapshot` makes, looked up in the module; the attributes `hash` and "
        "`hash_valid` say how its folder is named, and stand in the graph as which a dataset is written; since 2.4"
    ),
    "debug_mode.toggle_debug_mode": (
        "(on): sets DEBUG_MODE, with which a function that a dataset is given then runs as Python; since 2.9"
    ),
    "func_graph.func_graph_from_py_func": "(name, python_func, ...): traces a Python function into a graph; since 2.0",
    "function_def_to_graph.function_def_to_graph": (
        "(definition): a FuncGraph with the nodes of a FunctionDef under their names; the functions that it calls are "
        "known to the context; since 2.0"
    ),
    "op_def_library._apply_op_helper": (
        "(op_type, name, **inputs and attributes): the generated operations look it up in the module to add one to a "
        "graph; it raises what is wrong with them; since 2.1"
    ),
    "op_def_library.apply_op": (
        "(op_type, **inputs and attributes): adds an operation to the graph that is being built, as the generated "
        "functions do; attributes that follow from the inputs must not be given; since 1.0"
    ),
    "op_def_registry.get": "an operation's OpDef by its type, or None; since 2.0",
    "session.BaseSession._call_tf_sessionrun": (
        "(options, feeds, fetches, targets, metadata): every run of a session and of what `make_callable` gives; the "
        "first and the last are buffers or None, the others TF_Output and TF_Operation; since 1.8"
    ),
    "session.BaseSession._extend_graph": (
        "before each run: makes known to the runtime what is new in the graph, with the whole library of functions if "
        "there are new nodes; a session refuses another definition of a function that it has; since 1.8"
    ),
    "session.BaseSession.run": "each run that the program asks for, with `graph` of the session; since 1.0",
    "session.BaseSession._do_call": "(function, *arguments): calls it, and writes around what it raises; since 1.0",
    "session.SessionInterface": "what sessions that wrap others derive from; since 1.0",
    "session.BaseSession.as_default": "a context manager, also of a session that only wraps one; since 1.0",
    "pywrap_tf_session.TF_SessionPRunSetup_wrapper": "begins a partial run; looked up in the module; since 1.4",
    "pywrap_tf_session.TF_SessionMakeCallable": "another way to run; looked up in the module; since 1.8",
    "pywrap_tf_session.TF_OperationName": "the name of a TF_Operation; since 2.1",
    "pywrap_tf_session.TF_NewBufferFromString": "a buffer with a serialized message; since 1.4",
    "pywrap_tf_session.TF_DeleteBuffer": "the end of it; since 1.4",
    "pywrap_tf_session.TF_FunctionImportFunctionDef": "(serialized FunctionDef): a TF_Function; since 1.4",
    "pywrap_tf_session.TF_DeleteFunction": "the end of it; since 1.4",
    "pywrap_tf_session.TF_GraphCopyFunction": "(graph, function, gradient): adds it to the graph's library; since 1.4",
    "pywrap_tf_session.TF_GraphRemoveFunction": "(graph, name): the reverse; since 2.5",
    "pywrap_tf_session.TF_NewSessionOptions": (
        "(target, config): every session that is made looks it up in the module; the config's `do_function_inlining` "
        "has all calls inlined when the graph is made ready, and what is fetched kept under its name; since 1.0"
    ),
    "pywrap_tf_session.TF_GetBuffer": (
        "what a buffer holds: the session looks it up in the module to read the metadata of a run; since 1.4"
    ),
    "resource_variable_ops.BaseResourceVariable": "every variable, with its handle and dtype; since 1.15",
    "tf_stack.extract_stack": (
        "the Python stack, lines of AutoGraph mapped back; looked up with `stacklevel` for each operation; since 2.0"
    ),
    "tf_stack.SentinelFilter": (
        "the outermost filter of each thread, which is first in its list in `_source_filter_stacks`: "
        "`get_filtered_filenames` gives the files whose frames `extract_stack` leaves out, `update` reads it; since 2.4"
    ),
    "traceback_utils._process_traceback_frames": (
        "(traceback): takes TensorFlow's own frames off that of the exception which is being handled; looked up in the "
        "module; since 2.5"
    ),
    "tf_decorator.unwrap": "(function) -> decorators, the Python function under them; since 1.4",
    "generated_names": (
        "the modules `ops.gen_*_ops`, each with a group of operations under their names, since 1.0; and that of sparse "
        "matrices, which lies elsewhere, since 2.2"
    ),
    "loop_and_branch_graphs": "WhileBodyFuncGraph, WhileCondFuncGraph, CondBranchFuncGraph; since 2.1",
}
"""What is used, how, and since which version of TensorFlow.

Beside these: `inputs`, `captures` (pairs of outer and inner tensor), `outer_graph`, `variables` and `name` of a
FuncGraph, `_functions`, `_get_function`, `_is_function` of a graph (the functions of its library, each with `_c_func`,
and with `cached_definition`, or `definition` if it was imported), `_lock` (held while a graph is exported), `version`
(grows with each node) and `_c_graph` of a graph, `_forward_graph` of that of a loop's or branch's gradient, `traceback`
and `_original_op` of an operation (that of the forward pass whose gradient it was made for; None of all others; not
kept in a GraphDef), `_c_op` of an operation (what a session runs as a target), `_id`, `_datatype_enum`, `_handle_data`
and `device` of an eager tensor, since 2.0.
"""

_MOST_CAUSES = 10


def eager_tensors() -> tuple[type[Any], type[Any]]:
    """The class of eager tensors, which is made in C, and the one under it, whose methods can be replaced."""
    return framework_ops.EagerTensor, framework_ops._EagerTensorBase  # noqa: SLF001


def differentiated(operation: Any) -> Any | None:
    """The operation for whose gradient an operation of a Python graph was made; None of all others."""
    return getattr(operation, "_original_op", None)


def forward_graph(graph: Any) -> Any | None:
    """The graph of a loop's body or a branch whose gradient another is; None of all others."""
    return getattr(graph, "_forward_graph", None)


def tracing_error(error: BaseException) -> tuple[list[tuple[str, int, str]], str] | None:
    """Where in the program's own text tracing failed, outermost first, and the first message; None of all others.

    AutoGraph notes it as `ag_error_metadata` (2.1) on the exception that it caught, with `translated_stack`, innermost
    first (without the name of a lambda), and `cause_message`; what the program gets is another exception, raised while
    the first was handled.
    """
    following: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        metadata = getattr(following, "ag_error_metadata", None)
        if metadata is not None:
            frames = reversed(metadata.translated_stack)
            places = [(frame.filename, frame.lineno, frame.function_name or "<lambda>") for frame in frames]
            return places, metadata.cause_message
        following = None if following is None else following.__cause__ or following.__context__
    return None


def was_caught_while_traced(error: BaseException) -> bool:
    """Whether AutoGraph caught an exception, and raised another one in its place."""
    return hasattr(error, "ag_error_metadata")


def python_function_inputs(frame: FrameType) -> list[Any] | None:
    """The inputs of a Python function that `tf.numpy_function` calls eagerly in this frame; None for other frames."""
    given = frame.f_locals.get("inp") if frame.f_code.co_name == "py_func_common" else None
    return list(given) if isinstance(given, (list, tuple)) else None


def traced_inputs(frame: FrameType) -> Any:
    """The graph that is traced in this frame, or what a function or loop is given there; None for other frames."""
    names = {"_maybe_define_function": "bound_args", "while_loop": "loop_vars", "func_graph_from_py_func": "func_graph"}
    return frame.f_locals.get(names.get(frame.f_code.co_name, ""))


def autograph_operators() -> Any:
    """The module of the operators that functions converted by AutoGraph use."""
    return autograph._TRANSPILER.get_extra_locals()["ag__"]  # noqa: SLF001


def generated_names(groups: frozenset[str]) -> set[str]:
    """Returns all names in the generated modules of some groups of operations, such as `math`."""
    sparse_matrices = "tensorflow.python.ops.linalg.sparse.gen_sparse_csr_matrix_ops"
    found = set(vars(importlib.import_module(sparse_matrices)))
    for module in pkgutil.iter_modules(ops.__path__):
        name = re.fullmatch(r"gen_(\w+?)_ops(_v2)?", module.name)
        if name is not None and f"{name[1]}{name[2] or ''}" in groups:
            found.update(vars(importlib.import_module(f"{ops.__name__}.{module.name}")))
    return found


def loop_and_branch_graphs() -> tuple[type[Any], ...]:
    """The kinds of FuncGraph that are a part of another function; a gradient's loop body derives from the first."""
    graphs = control_flow_v2_func_graphs
    return (graphs.WhileBodyFuncGraph, graphs.WhileCondFuncGraph, graphs.CondBranchFuncGraph)


def lite_operations(interpreter: Any) -> list[dict[str, Any]]:
    """The operations of a LiteRT model in their order: `op_name`, and `inputs` and `outputs` by index."""
    operations: list[dict[str, Any]] = interpreter._get_ops_details()  # noqa: SLF001
    return operations


def lite_signature(runner: Any) -> tuple[Any, dict[str, int]]:
    """The interpreter of a LiteRT signature, and the index of each input; none where it is not of the main graph."""
    return runner._interpreter, runner._inputs if runner._subgraph_index == 0 else {}  # noqa: SLF001
