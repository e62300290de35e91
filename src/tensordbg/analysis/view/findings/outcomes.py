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
    again = f"; {decided.times:,} times in all" if decided.times > 1 else ""
    return f"{_WHAT[decided.what]}, {moment}: {decided.tensor} {_how(decided)}{again}"


_WHAT = {
    "branch": "which branch ran",
    "choice": "which elements were chosen",
    "comparison": "what was returned",
    "index": "which index was chosen",
}


def _how(decided: Decided) -> str:
    if decided.what == "branch":
        return f"was given a NaN, and {_branch(decided.branch)} ran" if decided.branch else "was given a NaN"
    return "was given a NaN, so its result is an accident" if decided.what == "index" else "compared a NaN"


def _branch(name: str) -> str:
    return f"branch {name}" if name.startswith("number") else f"the {name} branch"
