"""Ragged tensors that an assertion in a graph compared by what was known of their shapes while the graph was made.

No data leads from such an assertion back to what it was of: it stands in TensorFlow's ragged code, below a line of the
program, which names what it gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tensordbg.analysis.failures.beginnings.ragged_parts import rows_of, splits_in
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.finding import InputView, SourceLine
from tensordbg.analysis.program.composite_notes import wholes
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.python_names import tensors_named
from tensordbg.model import Site, TensorRef
from tensordbg.operations.kinds import Kind

_RAGGED_CODE = "/tensorflow/python/ops/ragged/"
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?!\w*\()")


def ragged_operands(
    program: Program, past: RecordedPast, site: Site, source: SourceLine | None, elements: Mapping[TensorRef, str]
) -> tuple[InputView, ...]:
    """The tensors that the line of a failed assertion of ragged code names; nothing where none of them is ragged.

    Args:
        program: Of the trace.
        past: Of the assertion.
        site: The assertion.
        source: Its line.
        elements: Those of small tensors, as texts.
    """
    if source is None or operation_of(site).kind is not Kind.ASSERT or not _is_of_ragged_code(program, site):
        return ()
    found = dict.fromkeys(_NAME.findall(source.text.partition("=")[2] or source.text))
    views = [view for name in found for view in _named(program, past, site, name, elements)]
    return tuple(views) if len(views) > 1 and any(not view.dtype for view in views) else ()


def _is_of_ragged_code(program: Program, site: Site) -> bool:
    frames = program.stacks.get(site.stack, ())
    own = max((k for k, frame in enumerate(frames) if frame.user), default=-1)
    return any(_RAGGED_CODE in frame.file for frame in frames[own + 1 :])


def _named(
    program: Program, past: RecordedPast, site: Site, name: str, elements: Mapping[TensorRef, str]
) -> Iterator[InputView]:
    """What a name stands for in the function that an operation is in."""
    function = program.python_names.get(site.function)
    parts = {whole: part for part, whole in wholes(program.sites.values()).items()}
    refs = [
        ref for ref in tensors_named(program, name, past)
        if program.python_names.get(program.sites[ref.site].function) == function
    ]  # fmt: skip
    if len(refs) != 1:
        return
    made = past.last_of(parts.get(refs[0], refs[0]))
    if made is None or made.shape is None:
        return
    if refs[0] in parts:
        splits = splits_in(elements.get(parts[refs[0]], ""))
        yield InputView(name, "", None, elements=rows_of(made, [] if splits is None else [splits]))
    else:
        yield InputView(name, "", None, dtype=made.dtype, shape=made.shape)
