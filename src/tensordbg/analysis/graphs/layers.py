"""The layers of a model: what each put out over time, and the tensors that were computed inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tensordbg.analysis.finding import TensorView
from tensordbg.analysis.names.layer_parts import LayerPart, layer_parts, prefixes, short_paths
from tensordbg.analysis.names.listing import ListedTensor, Order, Selection, list_tensors
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.query import sql
from tensordbg.model import TensorRef
from tensordbg.trace.reader import TraceReader

_COUNTS = """
SELECT site, slot, max(event) AS last, count(*) AS events,
       count(*) FILTER (WHERE coalesce(nan + neg_inf + pos_inf, CASE first_bad WHEN -2 THEN 1 ELSE 0 END) > 0) AS bad
FROM tensors WHERE site IN ({sites}) GROUP BY site, slot ORDER BY min(event)
"""


@dataclass(frozen=True)
class LayerTensor:
    """One tensor of a layer over time; a layer that is traced for training and for prediction has one of each."""

    last: TensorView
    """As it was computed last."""
    events: int
    """How often it was computed."""
    non_finite: int
    """How often it held an infinity or a NaN."""
    typed: str
    """What one types for it, `dense/Relu:0`."""
    reader: TraceReader = field(repr=False, compare=False)

    def history(self) -> tuple[ListedTensor, ...]:
        """It at every step and iteration, in the order in which it was computed."""
        selection = Selection(tensor=self.last.tensor, sites=(self.last.site,))
        return list_tensors(self.reader, selection, Order(limit=0)).rows


@dataclass(frozen=True)
class Layer:
    """One layer, where it stands among those that called it."""

    path: str
    """Names of the layers from the outermost on, such as `model/block/dense`."""
    class_name: str
    outputs: tuple[LayerTensor, ...]
    """What it returned; empty where that was not recorded."""
    inner: tuple[LayerTensor, ...]
    """What its own operations computed, without those of the layers in it."""

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path.rpartition("/")[2]

    @property
    def depth(self) -> int:
        """How many layers stand around it."""
        return self.path.count("/")


def list_layers(reader: TraceReader) -> tuple[Layer, ...]:
    """All layers of which something was recorded, each followed by those in it, in the order of their calls."""
    program = read_program(reader)
    found = layer_parts(program)
    tensors = _tensors(reader, program, found)
    by_site: dict[int, list[LayerTensor]] = {}
    for ref, tensor in tensors.items():
        by_site.setdefault(ref.site, []).append(tensor)
    layers = []
    for path, each in found.items():
        outputs = tuple(tensors[ref] for ref in each.outputs if ref in tensors)
        inner = tuple(tensor for site in each.inner for tensor in by_site.get(site, ()))
        layers.append(Layer(path, each.class_name, outputs, inner))
    return _in_order(layers)


def _in_order(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Each layer followed by those in it, in the order of their calls; without those of which nothing was recorded."""
    first: dict[str, int] = {}
    # What a loop computes inside has smaller numbers than the operations around it; so those in it come last.
    for layer in sorted(layers, key=lambda layer: layer.depth):
        sites = [tensor.last.site for tensor in layer.outputs or layer.inner]
        for prefix in prefixes(layer.path) if sites else ():
            first.setdefault(prefix, min(sites))
    ran = [layer for layer in layers if layer.path in first]
    return tuple(sorted(ran, key=lambda layer: [(first[prefix], prefix) for prefix in prefixes(layer.path)]))


def _tensors(reader: TraceReader, program: Program, found: Mapping[str, LayerPart]) -> dict[TensorRef, LayerTensor]:
    """All recorded tensors of layers, in the order in which they were computed first."""
    sites = {site for layer in found.values() for site in layer.inner}
    sites |= {ref.site for layer in found.values() for ref in layer.outputs}
    if not sites:
        return {}
    rows = sql(reader, _COUNTS.format(sites=", ".join(map(str, sorted(sites))))).to_pylist()
    views = Details(reader, program).views(row["last"] for row in rows)
    short = short_paths(found)
    typed = {site: f"{short[path]}/{name}" for path, layer in found.items() for site, name in layer.inner.items()}
    return {
        TensorRef(row["site"], row["slot"]): LayerTensor(
            last=views[row["last"]],
            events=row["events"],
            non_finite=row["bad"],
            typed=f"{typed.get(row['site'], program.sites[row['site']].name)}:{row['slot']}",
            reader=reader,
        )
        for row in rows
    }
