"""The table of `tdbg layers`: the layers as a tree, with how their outputs looked last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from tensordbg.analysis.graphs.layers import Layer, LayerTensor
from tensordbg.report.listing import BAD, plain_table
from tensordbg.report.numbers import ABSENT, count, count_or_blank, short


def layers_table(layers: Sequence[Layer], inner: Sequence[Layer] = ()) -> Table:
    """One line for each output of a layer.

    Args:
        layers: Those that are shown.
        inner: Those of them below which also the tensors that they computed are shown.
    """
    several = len({tensor.last.function for layer in layers for tensor in layer.outputs}) > 1
    table = plain_table()
    table.add_column("layer", overflow="fold", min_width=12)
    table.add_column("class", overflow="fold")
    if several:
        table.add_column("in", overflow="fold")
    table.add_column("output", overflow="fold")
    for name in ("events", "not finite", "min", "mean", "max", "zeros"):
        table.add_column(name, justify="right", no_wrap=True)
    opened = {layer.path for layer in inner}
    for layer in layers:
        indent = "  " * layer.depth
        rows: list[tuple[str, str, LayerTensor | None]] = [
            (f"{indent}{layer.name}", layer.class_name, tensor) for tensor in layer.outputs or (None,)
        ]
        if layer.path in opened:
            rows += [(f"{indent}  · {tensor.typed}", tensor.last.op_type, tensor) for tensor in layer.inner]
        for name, kind, tensor in rows:
            place = [tensor.last.function if tensor else ""] if several else []
            style = BAD if tensor is not None and tensor.non_finite else ""
            table.add_row(name, kind, *place, *_cells(tensor), style=style)
    return table


def _cells(tensor: LayerTensor | None) -> list[str]:
    if tensor is None:
        return [ABSENT] + [""] * 6
    health, last = tensor.last.health, tensor.last
    shape = "" if last.shape is None else str(list(last.shape))
    counts = [f"{last.dtype}{shape}", count(tensor.events), count_or_blank(tensor.non_finite)]
    if health is None:
        return [*counts, ABSENT, ABSENT, ABSENT, ABSENT]
    zeros = f"{health.zero / health.size:.0%}" if health.size else ABSENT
    return [*counts, *map(short, (health.min, health.mean, health.max)), zeros]
