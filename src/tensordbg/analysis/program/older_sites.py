"""Fills in what sites of older and of imported traces do not say: whether they belong to a backward pass.

It is told by names: of the scope that differentiation opens, of the function, or of a function in the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tensordbg.gradient_names import differentiates, in_gradient_scope, is_backward_function
from tensordbg.model import NONE, Frame, Function, Site


def with_backward(
    sites: Iterable[Site], stacks: Mapping[int, tuple[Frame, ...]], functions: Mapping[int, Function]
) -> dict[int, Site]:
    """Return sites by number; those that did not say it say now whether they belong to a backward pass."""
    found = {site.site: site for site in sites}
    silent = [site for site in found.values() if site.backward is None]
    if not silent:
        return found
    backward = {stack for stack in {site.stack for site in silent} if any(map(differentiates, stacks.get(stack, ())))}
    whole = {number for number, function in functions.items() if is_backward_function(function.runtime_name)}
    for site in silent:
        told = site.gradient_of != NONE or in_gradient_scope(site.name)
        found[site.site] = replace(site, backward=told or site.stack in backward or site.function in whole)
    return found
