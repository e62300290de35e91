"""Elements that are looked at where they are put into a list of tensors: results of loops, numbers of the text.

Nothing in the graph computes them there, so each has a site of its own, as if an identity stood before the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.tracing.handed_on import LISTS
from tensordbg.backends.tensorflow.tracing.python_names import names_of_item
from tensordbg.model import PYTHON_NAMES, Site
from tensordbg.operations.frameworks import TENSORFLOW

_BEHIND = "/item"
"""Behind the name of what puts an element into a list in the name of the element's site."""

_IDENTITY = "Identity"


class ListItems:
    """Those of one graph."""

    def __init__(self, graph: Any, sites: Mapping[str, int], name_in_graph: Mapping[str, str]) -> None:
        self._graph = graph
        self._sites = sites
        self._name_in_graph = name_in_graph

    def keys(self, node: Any) -> list[str]:
        """By which the site of a node's element is known; no operation has such a name."""
        return [self._key(node)] if self._names(node) else []

    def sites(self, node: Any, putting: Site) -> Iterator[Site]:
        """The site of a node's element, beside that of the node."""
        names = self._names(node)
        if names:
            yield Site(
                site=self._sites[self._key(node)],
                name=f"{putting.name}{_BEHIND}",
                op_type=_IDENTITY,
                function=putting.function,
                stack=putting.stack,
                inputs=putting.inputs[LISTS[node.op] : LISTS[node.op] + 1],
                dtypes=(dtypes.name_of(node.attr["element_dtype"].type),),
                device=putting.device,
                attributes=with_notes("{}", {PYTHON_NAMES: [names]}),
                framework=TENSORFLOW,
            )

    def probes(self, node: Any) -> Iterator[fd.ProbePoint]:
        """Where a node's element is looked at."""
        dtype = node.attr["element_dtype"].type if node.op in LISTS else None
        if dtype in dtypes.RECORDED and self._key(node) in self._sites:
            tensor = node.input[LISTS[node.op]]
            yield fd.ProbePoint(tensor, dtype, self._sites[self._key(node)], 0, False, node.device)

    def _key(self, node: Any) -> str:
        return f"{self._name_in_graph[node.name]}:{_BEHIND}"

    def _names(self, node: Any) -> list[str]:
        if node.op not in LISTS:
            return []
        try:
            return names_of_item(self._graph.get_operation_by_name(self._name_in_graph[node.name]))
        except (KeyError, ValueError):
            return []  # a node that the runtime made
