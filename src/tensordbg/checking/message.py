"""The message of a failed check: all that TensorFlow's own says, in its form, and what it lacks."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tensordbg.checking.finding import Finding, Input, own_line
from tensordbg.checking.found import CheckFound
from tensordbg.errors import UsageError
from tensordbg.health.measured import Measured
from tensordbg.model import Frame, Health

BEGINNING = "!!! Detected Infinity or NaN in "


@dataclass(frozen=True)
class Limits:
    """How much of a stack is shown."""

    stack_height: int | None = 30
    """So many frames; those of the program's own code are shown in any case. None: all."""
    path_length: int | None = 50
    """So many characters of a path, the last ones. None: all."""


def limits_of(stack_height: object, path_length: object) -> Limits:
    """The limits that a program gives.

    Raises:
        UsageError: One is no limit.
    """
    return Limits(_limit("stack_height_limit", stack_height), _limit("path_length_limit", path_length))


def _limit(name: str, value: object) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise UsageError(f"{name} is {value!r}, but must be a number from 0 on, or None for no limit; give one of these")


def message_of(finding: Finding, limits: Limits) -> str:
    """Tells of a finding."""
    return "\n\n" + "\n".join(_lines(finding, limits)) + "\n"


def found_of(finding: Finding, limits: Limits) -> CheckFound:
    """The finding that an exception carries."""
    health = finding.tensor.health or Health(finding.tensor.array.size)
    counts = (("-Inf", health.neg_inf), ("Inf", health.pos_inf), ("NaN", health.nan))
    place = _place(finding)
    source = "" if place is None else _line(place, limits)
    return CheckFound(_output(finding), tuple(each for each in counts if each[1]), source, _allowing(finding))


def _allowing(finding: Finding) -> str:
    """The setting that lets an infinity pass that is meant; empty where there is a NaN, or another line to blame."""
    health, own = finding.tensor.health, own_line(finding.frames)
    if own is None or own != _place(finding) or health is None or health.nan:
        return ""
    return f'allow = [{{line = "{Path(own.file).name}:{own.line}"}}] under [tool.tensordbg] in pyproject.toml'


def _output(finding: Finding) -> str:
    kind = "graph" if finding.function else "eagerly-executing"
    of = f'of {kind} op "{finding.op_type}" (# of outputs: {finding.outputs}){_led_to(finding)}'
    return f"output {finding.slot} {of}"


def _place(finding: Finding) -> Frame | None:
    """The line to look at: that of the operation to fix, or else the program's own innermost."""
    culprits = (each for each in (finding.forward, finding.update) if each is not None)
    return next((each.place for each in culprits if each.place is not None), own_line(finding.frames))


def _lines(finding: Finding, limits: Limits) -> Iterator[str]:
    tensor = finding.tensor
    yield f"{BEGINNING}{_output(finding)} !!!"
    yield f"  dtype: <dtype: '{tensor.array.dtype.name}'>"
    yield f"  shape: {tensor.array.shape}"
    health = tensor.health or Health(tensor.array.size)
    for what, count in (("-Inf", health.neg_inf), ("+Inf", health.pos_inf), ("+NaN", health.nan)):
        if count:
            yield f"  # of {what} elements: {count}"
    yield from _place_in_tensor(tensor)
    yield from _sources(finding, limits)
    if allowing := _allowing(finding):
        yield f"  If it is meant, let it pass with {allowing}"
    if finding.module:
        yield f"  Module: {finding.module}"
    for variable in finding.variables:
        yield f'  Variable: "{variable}" holds it already'
    yield ""
    yield from _inputs(finding)
    if finding.function:
        yield f'  Graph name: "{finding.function}"'
        yield f'  Operation name: "{finding.name}"'
    if finding.path:
        yield f"  Called through: {finding.path}"
    if finding.iteration is not None:
        yield f"  Loop iteration: {finding.iteration} (the first is 0)"
    yield ""
    yield from _stack(finding, limits)
    yield f" : Tensor had {_words(health)} values"


def _led_to(finding: Finding) -> str:
    """The operation that there is to fix, and its line."""
    for culprit, relation in ((finding.forward, "gradient of"), (finding.update, "of a variable made bad by")):
        if culprit is not None and culprit.place is not None:
            return f", {relation} {culprit.op_type}, {Path(culprit.place.file).name}:{culprit.place.line}"
    return "" if finding.outputs else ", in what it wrote into a variable"


def _sources(finding: Finding, limits: Limits) -> Iterator[str]:
    own = own_line(finding.frames)
    for culprit, found_by in ((finding.forward, "Differentiated"), (finding.update, "Read")):
        if culprit is not None and culprit.place is not None:
            yield f"  Source: {_line(culprit.place, limits)}"
            if own is not None:
                yield f"  {found_by}: {_line(own, limits)}"
            return
    if own is not None:
        yield f"  Source: {_line(own, limits)}"


def _line(frame: Frame, limits: Limits) -> str:
    return f"{_short(frame.file, limits.path_length)} (L{frame.line}) {frame.function}: {_text(frame)}"


def _place_in_tensor(tensor: Measured) -> Iterator[str]:
    index = tensor.bad_index
    if index:
        yield f"  First bad element: {list(index)}, in row {index[0]} of {tensor.array.shape[0]}"


def _inputs(finding: Finding) -> Iterator[str]:
    if len(finding.inputs) == 1:
        yield f"  Input tensor: {_titled(finding.inputs[0])}"
        yield from _health_lines(finding.inputs[0], finding.tensor)
    elif finding.inputs:
        yield f"  Input tensors ({len(finding.inputs)}):"
        for slot, given in enumerate(finding.inputs):
            yield f"         {slot}: {_titled(given)}"
            yield from _health_lines(given, finding.tensor)


def _titled(given: Input) -> str:
    return f"{given.text}, {given.origin}" if given.origin else given.text


def _health_lines(given: Input, output: Measured) -> Iterator[str]:
    if given.measured is None or given.measured.health is None or not given.measured.array.size:
        return
    text = _health_text(given.measured)
    index = output.bad_index
    if index is not None and given.measured.array.size > 1:
        element = given.measured.element(index, output.array.shape)
        if element is not None:
            text += f"; {element} at {list(index)}"
    yield f"            {text}"


def _health_text(measured: Measured) -> str:
    health = measured.health
    assert health is not None
    bad = ", ".join(
        f"{count} {what}"
        for what, count in (("-Inf", health.neg_inf), ("+Inf", health.pos_inf), ("NaN", health.nan))
        if count
    )
    parts = [f"{bad} of {health.size}" if bad else f"all {health.size} finite" if health.size > 1 else "finite"]
    if bad and measured.bad_index:
        parts.append(f"the first at {list(measured.bad_index)}, in row {measured.bad_index[0]}")
    if health.finite:
        parts.append(f"min {health.min:g}, max {health.max:g}" if health.size > 1 else f"value {health.max:g}")
    if health.zero and health.size > 1:
        parts.append(f"{health.zero} zero")
    return "; ".join(parts)


def _words(health: Health) -> str:
    words = [what for what, count in (("-Inf", health.neg_inf), ("+Inf", health.pos_inf), ("NaN", health.nan)) if count]
    if len(words) < 3:
        return " and ".join(words)
    return f"{words[0]}, {words[1]}, and {words[2]}"


def _stack(finding: Finding, limits: Limits) -> Iterator[str]:
    if not finding.function:
        return  # Python's own traceback shows it
    yield '  Stack trace of op\'s creation ("->": inferred user code):'
    omitted = 0
    for frame, shown in zip(finding.frames, _shown(finding.frames, limits.stack_height), strict=True):
        if not shown:
            omitted += 1
            continue
        if omitted:
            yield f"    + ... (Omitted {omitted} frames)"
            omitted = 0
        yield f"    + {_short(frame.file, limits.path_length)} (L{frame.line}) {frame.function}"
        yield f"{' -> ' if frame.user else '    '}|   {_text(frame)}"
    if omitted:
        yield f"    + ... (Omitted {omitted} frames)"
    yield ""


def _shown(frames: tuple[Frame, ...], height: int | None) -> list[bool]:
    """Which frames are shown: all of the program's own, and of the others the innermost."""
    if height is None or len(frames) <= height:
        return [True] * len(frames)
    room = max(0, height - sum(frame.user for frame in frames))
    shown = []
    for frame in reversed(frames):
        shown.append(frame.user or room > 0)
        room -= not frame.user
    return shown[::-1]


def _text(frame: Frame) -> str:
    return linecache.getline(frame.file, frame.line).strip()


def _short(path: str, length: int | None) -> str:
    return path if length is None or len(path) <= length else "..." + path[len(path) - length :]
