"""A loss that no gradient leads back from: where its numbers had left the framework, or the line that cuts it off.

`backward` and optimizers say only that there is no gradient. What came in from outside and has the numbers of what was
computed before is that, read out as an array: nothing that is trained is behind it any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tensordbg.advice.lookup import fix, title
from tensordbg.analysis.columns.reading import Ints, integers, tensor_pieces
from tensordbg.analysis.failures.backward_pass import Recording
from tensordbg.analysis.failures.beginnings.cuts import CUTS, cut, is_of_lost_gradient
from tensordbg.analysis.failures.beginnings.made import Made, walk_back
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.beginnings.stated import StatedPast
from tensordbg.analysis.failures.beginnings.words import of_dtype
from tensordbg.analysis.failures.named_lines import lines_behind
from tensordbg.analysis.finding import Beginning
from tensordbg.analysis.program.events import Executions, row_of
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import INPUT, operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.lookup import NUMBER, PARAMETER
from tensordbg.operations.traits import Trait
from tensordbg.trace.program.facts import Failure

_MOST_ROWS = 64
"""So many of the last operations are asked for the loss."""
_FLOATS = ("float", "bfloat")
_SAME = ("size", "min", "max", "sum")


def lost_gradient(told: Failure, recording: Recording, locations: Locations) -> Iterator[Beginning]:
    """Yields where a loss lost what it was computed from; nothing of an error of another kind.

    Args:
        told: The error.
        recording: The trace.
        locations: Its lines.
    """
    if not is_of_lost_gradient(told.message):
        return
    if told.tensors and told.tensors[0].op_type and told.tensors[0].shape == ():
        yield from _in_a_function(told, locations)
    else:
        yield from _eagerly(told, recording, locations)


def _in_a_function(told: Failure, locations: Locations) -> Iterator[Beginning]:
    """Yields where a loss lost it that was not computed yet; an operation that is no function is told beside it."""
    past = StatedPast(told.tensors, lambda stack: locations.own(locations.stack(stack)), None)
    (loss,) = past.refused(1)
    if loss is not None and cut(past, told.message, [loss]) is None:
        yield from _that_cut([made for made, _ in walk_back(past, [loss])])


def _eagerly(told: Failure, recording: Recording, locations: Locations) -> Iterator[Beginning]:
    # `backward` is given the loss, an optimizer is not.
    known = [each for each in told.tensors if each.execution != NONE and each.shape == ()][:1]
    executions = recording.executions
    numbers = [each.execution for each in known] or executions.number[_last_rows(executions)].tolist()
    rows = row_of(executions.number, np.array(numbers, dtype=np.int64)).tolist()
    if not rows or NONE in rows:
        return
    past = RecordedPast(recording.trace, recording.program, executions, *rows)
    loss = past.output(known[0].execution, known[0].slot) if known else _loss(past, numbers)
    if loss is None:
        return
    if (turn := cut(past, told.message, [loss])) is not None:
        if not known:  # of a loss that was given it is told beside the inputs
            words = f"{of_dtype(turn)}, and no gradient goes through that"
            yield Beginning("dtype", "", turn.made.tensor, turn.made.op_type, words, turn.made.source)
        return
    if _is_outside(loss.op_type):
        words = f"{loss.tensor} came in from Python as a number, with nothing behind it that is trained"
        yield Beginning("left", "", loss.tensor, loss.op_type, words, loss.source)
        return
    walk = [*walk_back(past, [loss])]
    behind = [made for made, _ in walk]
    yield from (
        _that_left(recording, locations, behind)
        or _that_cut(behind)
        or _unnoted(past, recording, walk)
        or _that_cut_in_python(recording, locations, behind)
    )


def _last_rows(executions: Executions) -> Ints:
    """The operations that ran last, the last one first."""
    found: Ints = np.flatnonzero(~executions.failed & (executions.function == NONE))[::-1][:_MOST_ROWS]
    return found


def _loss(past: RecordedPast, executions: Sequence[int]) -> Made | None:
    """The first of what some executions made that is a single number and was computed."""
    for number in executions:
        made = past.output(number, 0)
        if made is not None and made.shape == () and made.dtype.startswith(_FLOATS) and not _is_outside(made.op_type):
            return made
    return None


def _is_outside(op_type: str) -> bool:
    return op_type in (INPUT, NUMBER)


def _that_left(recording: Recording, locations: Locations, behind: Sequence[Made]) -> list[Beginning]:
    """What came in from outside with the numbers of what had been computed."""
    for made in behind:
        if _is_outside(made.op_type) and _is_telling(made) and (site := _same_before(recording, made)) is not None:
            source = locations.own(locations.stack(site.stack))
            place = f" of {source.place}" if source is not None else ""
            words = (
                f"{site.name}:0{place} left {title(site.framework)} as an array and came back as {made.tensor}: "
                "no gradient goes through that"
            )
            return [Beginning("left", "", made.tensor, made.op_type, words, made.source)]
    return []


def _is_telling(made: Made) -> bool:
    """Whether hardly another tensor has the same numbers by chance."""
    if made.low is None or made.high is None or not made.dtype.startswith(_FLOATS):
        return False
    return made.low != made.high or not float(made.low).is_integer()


def _same_before(recording: Recording, made: Made) -> Site | None:
    """The operation that had last made the same numbers, before they came in."""
    wanted = (made.size, made.low, made.high, made.total)
    found = None
    for span, table in tensor_pieces(recording.trace, ["site", "slot", *_SAME]):
        if span.start >= made.event:
            break
        sites, slots = integers(table, "site"), integers(table, "slot")
        same = np.ones(len(sites), dtype=np.bool_)
        for name, number in zip(_SAME, wanted, strict=True):
            same &= np.asarray(table.column(name).to_numpy(), dtype=np.float64) == number
        for k in np.flatnonzero(same & (slots == 0)).tolist():
            site = recording.program.sites.get(int(sites[k]))
            if span.start + k < made.event and site is not None and _computes(site):
                found = site
    return found


def _computes(site: Site) -> bool:
    return not _is_outside(site.op_type) and not operation_of(site).has(Trait.FROM_PIPELINE)


def _that_cut(behind: Sequence[Made]) -> list[Beginning]:
    """The line nearest to the loss whose text has what cuts a tensor off."""
    for made in behind:
        found = None if made.source is None else CUTS.search(made.source.text)
        if found is not None:
            words = f"`{found[0].rstrip('(')}` on this line cuts off what the loss was computed from"
            return [Beginning("left", "", made.tensor, made.op_type, words, made.source)]
    return []


def _that_cut_in_python(recording: Recording, locations: Locations, behind: Sequence[Made]) -> list[Beginning]:
    """The line that made an array of a tensor whose numbers came back under the names that the loss was made with."""
    for made in behind:
        used = made.source
        text = "" if used is None else recording.program.sources.get(used.file, "")
        for number in lines_behind(text, 0 if used is None else used.line):
            line = None if used is None else locations.line(used.file, number, used.function, used.user)
            found = None if line is None else CUTS.search(line.text)
            if line is not None and found is not None:
                words = f"`{found[0].rstrip('(')}` on this line cuts off what the loss was computed from"
                return [Beginning("left", "", made.tensor, made.op_type, words, locations.own((line,)))]
    return []


def _unnoted(past: RecordedPast, recording: Recording, walk: Sequence[tuple[Made, Sequence[Made]]]) -> list[Beginning]:
    """Where the way back from the loss meets what is trained: nothing on the way cuts it, so nobody noted it."""
    for made, inputs in walk:
        for each in inputs:
            site = recording.program.sites[past.site_of(each)]
            held = site.reads or site.writes  # what an update has left in a variable is the variable
            if each.op_type == PARAMETER or each.operation.has(Trait.READS) or held:
                variable = recording.program.variables.get(held[0]) if held else None
                name = each.tensor if variable is None else variable.name
                why = fix(site.framework, "lost_gradient")
                words = f"the loss was computed from {name} here, and no gradient was noted: {why}"
                return [Beginning("left", "", made.tensor, made.op_type, words, made.source)]
    return []
