from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.describing import Describer, Draft, module_path, slot_in_site
from tensordbg.model import FUSED
from tensordbg.recording.catalog import Catalog

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def traced(function: Any, *arguments: Any) -> Any:
    from torch.fx.experimental.proxy_tensor import make_fx

    return make_fx(function, tracing_mode="fake")(*arguments)


def test_operations_know_what_they_take_numbers_of_the_text_among_it() -> None:
    module = traced(lambda x: torch.log(x / 3.0), torch.ones(4))
    sites = Draft(Catalog(), (), {}).sites(module.graph)
    named = {site.name: site for site in sites}
    argument, number, division, logarithm = sites
    assert argument.argument == 0
    assert (number.op_type, json.loads(number.attributes)) == ("Number", {"value": 3.0})
    assert division.op_type == "aten::div"
    assert [ref.site for ref in division.inputs] == [argument.site, number.site]
    assert [ref.site for ref in logarithm.inputs] == [division.site]
    assert logarithm.dtypes == ("float32",)
    assert len(named) == 4


def test_an_item_of_a_tuple_is_that_output_of_what_gave_it() -> None:
    module = traced(lambda x: torch.ops.aten.var_mean.correction(x, [0])[1] + 1, torch.ones(4, 2))
    draft = Draft(Catalog(), (), {})
    sites = {site.op_type: site for site in draft.sites(module.graph)}
    (taken,) = (ref for ref in sites["aten::add"].inputs if ref.site == sites["aten::var_mean"].site)
    assert taken.slot == 1


def test_a_graph_says_what_its_kernels_keep_to_themselves_and_what_it_gives() -> None:
    module = traced(lambda x, y: (torch.log(x), y), torch.ones(4), torch.ones(2))
    catalog = Catalog()
    describer = Describer(catalog)
    lowering = SimpleNamespace(graph=module.graph, module=module, is_backward=False)
    graph = describer.describe(lowering)
    (logarithm,) = (node for node in module.graph.nodes if node.op == "call_function")
    number = describer.add(graph)
    function = catalog.function(number)
    site = catalog.site(graph.references[logarithm].site)
    assert (site.function, json.loads(site.attributes)) == (number, {FUSED: True})
    assert graph.results == (site.site << 16, -1)
    assert slot_in_site(catalog, site.site, 0) == 0
    assert slot_in_site(catalog, function.arguments[1], 1) == 0
    assert [ref.site for ref in function.outputs] == [site.site, function.arguments[1]]
    graph.buffers[logarithm, 0] = "buf0"
    assert catalog.site(graph.references[logarithm].site + 0).attributes != "{}"
    describer.add(graph)
    assert catalog.site(site.site).attributes == "{}"


def test_inputs_that_a_graph_writes_are_among_its_results() -> None:
    def count(x: Any, seen: Any) -> Any:
        seen.copy_(seen + 1)
        return x * 2

    module = traced(count, torch.ones(4), torch.zeros(()))
    graph = Describer(Catalog()).describe(SimpleNamespace(graph=module.graph, module=module, is_backward=False))
    assert graph.written == (1,)
    assert len(graph.results) == 2


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("L['self']", ""),
        ("L['self'].blocks[0].attn", "blocks.0.attn"),
        ("L['self']._modules['encoder']._modules['0']", "encoder.0"),
        ("L['self']._orig_mod.head", "head"),
        ("G['model'].head", "head"),
        ("getattr(L['self'].layers, '1')", "layers.1"),
    ],
)
def test_the_way_to_a_module_is_its_name(text: str, path: str) -> None:
    assert module_path(text) == path
