"""Says in words what an origin decided: the end of a loop, a branch, which elements or which index."""

from __future__ import annotations

from tensordbg.analysis.finding import Decided, EndedLoop


def ended_text(ended: EndedLoop) -> str:
    """Which loop ended, and why."""
    source = ended.source
    line = f"`{source.text}` ({source.place})" if source else ended.tensor
    turn = f", iteration {ended.iteration}" if ended.iteration is not None else ""
    return f"the loop of {line} in step {ended.step}{turn}: nothing compares with NaN, so it took no further iteration"


def decided_text(decided: Decided) -> str:
    """Says what was decided, where, and by what."""
    source = decided.source
    line = f"`{source.text}` ({source.place})" if source else decided.tensor
    turn = f", iteration {decided.iteration}" if decided.iteration is not None else ""
    moment = f"{line} in step {decided.step}{turn}"
    if decided.what == "branch":
        ran = f", and {_branch(decided.branch)} ran" if decided.branch else ""
        return f"which branch ran, {moment}: {decided.tensor} was given a NaN{ran}"
    if decided.what == "choice":
        return f"which elements were chosen, {moment}: {decided.tensor} compared a NaN"
    if decided.what == "comparison":
        return f"what was returned, {moment}: {decided.tensor} compared a NaN"
    return f"which index was chosen, {moment}: {decided.tensor} was given a NaN, so its result is an accident"


def _branch(name: str) -> str:
    return f"branch {name}" if name.startswith("number") else f"the {name} branch"
