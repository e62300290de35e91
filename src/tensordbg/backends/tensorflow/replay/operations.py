"""Refuses a captured step that would do more than compute: read or write files, call Python, reach another machine.

A capture may come from a stranger. Its functions are loaded into the runtime, so each operation that they would run
must be known to change nothing but the variables, tables and random states of the process that replays them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tensordbg.backends.tensorflow.internals import generated_names, op_def_registry
from tensordbg.capture.reader import Capture
from tensordbg.enumeration import first_few
from tensordbg.errors import CaptureError

_GROUPS = frozenset(
    """
    array audio batch bitwise candidate_sampling clustering collective composite_tensor control_flow count ctc cudnn_rnn
    data_flow dataset functional image linalg list logging lookup manip map math nccl nn optional parsing ragged_array
    ragged_conversion ragged_math random random_index_shuffle resource_variable rnn sdca set sparse special_math
    spectral state stateful_random stateless_random stateless_random_v2 string sync training uniform_quant
    """.split()  # noqa: SIM905
)
"""Groups of operations of which all but the following only compute."""

_REFUSED = frozenset(
    """
    Abort CacheDataset CacheDatasetV2 FixedLengthRecordDataset FixedLengthRecordDatasetV2 ImmutableConst
    InitializeTableFromTextFile InitializeTableFromTextFileV2 RecordInput RemoteCall TFRecordDataset TFRecordDatasetV2
    TextLineDataset
    """.split()  # noqa: SIM905
)
"""Those that end the process, or reach files or other processes."""

_TRANSFORMATIONS = frozenset(
    """
    AssertCardinalityDataset AssertNextDataset AutoShardDataset ComputeBatchSize DatasetCardinality
    DenseToSparseBatchDataset DirectedInterleaveDataset GroupByReducerDataset GroupByWindowDataset IgnoreErrorsDataset
    MapAndBatchDataset MaxIntraOpParallelismDataset NonSerializableDataset ParallelInterleaveDatasetV4
    ParseExampleDatasetV2 PrivateThreadPoolDataset RandomDataset RandomDatasetV2 RebatchDataset RebatchDatasetV2
    SamplingDataset ScanDataset SlidingWindowDataset TakeWhileDataset UnbatchDataset
    UniqueDataset
    """.split()  # noqa: SIM905
)
"""Transformations of datasets in memory, from groups that also read and write files."""

_HARMLESS_ATTRIBUTES: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    # A stream may be a file: `tf.print(..., output_stream="file:///...")`.
    "PrintV2": ("output_stream", lambda stream: re.fullmatch(r"stdout|stderr|log\(\w+\)", stream) is not None),
    "FixedUnigramCandidateSampler": ("vocab_file", lambda path: not path),
}
"""Operations that only compute while an attribute has certain values."""

_OF_PYTHON = frozenset({"EagerPyFunc", "PyFunc", "PyFuncStateless"})
"""They call functions of the program's own process, which are no part of a capture."""

_NAMED_AT_MOST = 5


def refuse_python(capture: Capture, definitions: Iterable[Any]) -> None:
    """Refuses functions that call Python, which no capture holds, trusted or not.

    Raises:
        CaptureError: If one does.
    """
    nodes = ((node, definition) for definition in definitions for node in definition.node_def)
    found = next(((node.op, definition.signature.name) for node, definition in nodes if node.op in _OF_PYTHON), None)
    if found is not None:
        raise CaptureError(
            f"{capture.path} calls a function of Python ({found[0]} in {found[1]}), which only its program has; run "
            f"the step by that: `tdbg replay {capture.path} --eager -- PROGRAM`"
        )


def refuse_effects(capture: Capture, definitions: Iterable[Any]) -> None:
    """Refuses functions that would do more than compute.

    Args:
        capture: The capture that the functions are of.
        definitions: The FunctionDefs that are to be loaded, all that they call included.

    Raises:
        CaptureError: If an operation is not known to change nothing outside of the process.
    """
    definitions = list(definitions)
    own = {definition.signature.name for definition in definitions}
    found: dict[str, str] = {}
    for definition in definitions:
        for node in definition.node_def:
            if node.op not in own and not _only_computes(node):
                found.setdefault(node.op, definition.signature.name)
    if found:
        named = first_few([f"{op} (in {function})" for op, function in found.items()], _NAMED_AT_MOST)
        raise CaptureError(
            f"{capture.path} would run {named}, which may do more than compute; if you trust where the capture "
            "comes from, replay it with --trust"
        )


def _only_computes(node: Any) -> bool:
    if node.op in _HARMLESS_ATTRIBUTES:
        attribute, is_harmless = _HARMLESS_ATTRIBUTES[node.op]
        value = node.attr[attribute].s if attribute in node.attr else b""
        # An attribute that is missing has its default, which is harmless for all of them.
        return attribute not in node.attr or is_harmless(value.decode(errors="replace"))
    return node.op in computing_operations()


@functools.cache
def computing_operations() -> frozenset[str]:
    """Returns the types of operations of this TensorFlow that do nothing but compute."""
    found = generated_names(_GROUPS)
    return frozenset(name for name in (found - _REFUSED) | _TRANSFORMATIONS if _is_operation(name))


def _is_operation(name: str) -> bool:
    return name[0].isupper() and op_def_registry.get(name) is not None
