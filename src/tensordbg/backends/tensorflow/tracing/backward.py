"""Says of operations whether they belong to a backward pass, when they are described.

TensorFlow tells it by where an operation was made: in a scope that differentiation opens, in the backward function of
another, or, eagerly, within the call that takes gradients.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tensordbg.gradient_names import differentiates, in_gradient_scope, is_backward_function
from tensordbg.model import NONE, Site
from tensordbg.recording.catalog import Catalog


class BackwardPasses:
    """Tells it of the sites of one catalog; of a stack it is found out once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._stacks: dict[int, bool] = {NONE: False}

    def marked(self, sites: Iterable[Site], runtime_name: str = "") -> list[Site]:
        """Returns the sites, each of which says whether it belongs to a backward pass.

        Args:
            sites: Of one graph, or of eager code.
            runtime_name: The name of the graph's function.
        """
        whole = is_backward_function(runtime_name)
        return [replace(site, backward=whole or self._is_backward(site)) for site in sites]

    def _is_backward(self, site: Site) -> bool:
        return site.gradient_of != NONE or in_gradient_scope(site.name) or self._differentiating(site.stack)

    def _differentiating(self, stack: int) -> bool:
        known = self._stacks.get(stack)
        if known is None:
            known = self._stacks[stack] = any(map(differentiates, self._catalog.frames(stack)))
        return known
