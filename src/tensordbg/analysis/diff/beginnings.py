"""Inputs of an operation that the other run has not, and where they came from: a parameter, chance, an input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tensordbg.advice.lookup import fix
from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.fused import inputs_of
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.diff.wording import SUGGESTIONS
from tensordbg.analysis.program.operations import operation_of, reads_variables
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

_MOST = 200
"""So many values are walked back through."""
_CHOSEN = 12
"""So many operations before a choice are looked at for what it goes by."""


@dataclass(frozen=True)
class Unlike:
    """Something that went into an operation and is not the same in the other run."""

    kind: str
    """`parameter`, `input` or `random`."""
    row: int
    drawn_by: str = ""
    """Of random numbers the type of the operation that drew them."""
    drawn_at: int = NONE
    """... and what it drew."""


def unlike_inputs(apart: Apart, row: int) -> list[Unlike]:
    """Tells what went into a value that the other run has not; nothing where all of it agrees."""
    return [unlike(apart, parent) for parent in apart.unknown_parents(row)]


def unlike(apart: Apart, row: int) -> Unlike:
    """Tells where a value came from that the other run has not."""
    side = apart.side
    if side.numbers.size[row] == 1 and side.operation(row).kind is Kind.CONSTANT:
        return Unlike("input", row)  # a number that the program has written, which an optimizer may be given
    made_by = list(reached(row, apart.unknown_parents, _MOST))
    if any(reads_variables(side.site(each)) or side.kept[each] for each in made_by) or _is_updated(apart, row):
        return Unlike("parameter", row)
    drawn = next((each for each in made_by if _draws(side.operation(each))), None)
    return Unlike("input", row) if drawn is None else Unlike("random", row, side.site(drawn).op_type, drawn)


def advice_on_chance(a: Apart, b: Apart, drawn: tuple[int, int]) -> str:
    """Says how two runs that have drawn at two rows, `NONE` where one has not, come to the same random numbers."""
    runs = tuple(zip((a, b), drawn, strict=True))
    apart = [row != NONE and run.side.operation(row).has(Trait.DRAWS_APART) for run, row in runs]
    draw = [row != NONE or run.side.of_sites(lambda site: _draws(operation_of(site))).any() for run, row in runs]
    in_kernels = any(apart) and not all(apart) and all(draw)
    return advice_on_kernels(a, b) if in_kernels or a.side.frameworks != b.side.frameworks else SUGGESTIONS["random"]


def advice_on_kernels(a: Apart, b: Apart) -> str:
    """Says how two runs come to the same random numbers, of which one draws in compiled code or another framework."""
    if a.side.frameworks != b.side.frameworks:
        return fix("", "unlike_randomness", "frameworks")
    return fix(min(a.side.frameworks), "unlike_randomness", "kernels")


def chosen_by(apart: Apart, row: int) -> str:
    """Tells the operation that drew by what an operation of a graph chooses, as a dropout; empty where none did.

    What a choice goes by is no number: no value that is compared is made of it.
    """
    if apart.side.operation(row).kind not in (Kind.SELECT, Kind.MASKED_FILL):
        return ""
    return _drawn_before(apart.side, row, lambda _: True, _CHOSEN)


def drawn_apart(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """Names the operations that draw what a pair is made of, where one run has it drawn within a compiled kernel.

    A kernel draws by a generator of its own: no seed gives it the numbers of the other run. `None` for all other pairs.
    """
    runs = (a, pair.a), (b, pair.b)
    seen = [next((each.drawn_by for each in unlike_inputs(apart, row) if each.drawn_by), "") for apart, row in runs]
    kept = [drawn or _drawn_in_kernel(apart, row) for drawn, (apart, row) in zip(seen, runs, strict=True)]
    return (kept[0], kept[1]) if all(kept) and any(seen) and not all(seen) else None


def _drawn_in_kernel(apart: Apart, row: int) -> str:
    """The operation by whose numbers, which nobody has seen, a kernel computes a value; empty where none did."""
    return _drawn_before(apart.side, row, lambda site: site not in apart.side.seen_sites, _MOST)


def _drawn_before(side: Side, row: int, is_passed: Callable[[int], bool], most: int) -> str:
    """The nearest operation of a graph that draws before a value, on ways through some sites; empty without one."""
    sites = side.program.sites

    def back(site: int) -> list[int]:
        given = [] if _draws(operation_of(sites[site])) else inputs_of(side.values, site)
        return [each for each in given if is_passed(each)]

    before = (sites[each] for each in reached(int(side.numbers.site[row]), back, most))
    return next((site.op_type for site in before if _draws(operation_of(site))), "")


def _draws(operation: Operation) -> bool:
    """Whether an operation gives other numbers each time, and not the next batch of a data set."""
    return operation.has(Trait.VARIES) and operation.kind is not Kind.BATCH


def _is_updated(apart: Apart, row: int) -> bool:
    """Whether an optimizer makes the next value of it, or a variable holds it: so it is one, wherever it was made."""
    side = apart.side
    return (
        side.is_read(row)
        or bool(side.kept[row])
        or any(bool(side.updates[child]) for child in side.edges.children[row])
    )
