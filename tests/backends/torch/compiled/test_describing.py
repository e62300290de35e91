from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.describing import Describer, Draft, module_path, slot_in_site
from tensordbg.backends.torch.compiled.dynamo import CompiledFrame, Split
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


def ending(name: str, *places: tuple[str, int, str], reason: str) -> CompiledFrame:
    """A function whose graph ends at a place."""
    code = (lambda: None).__code__.replace(co_name=name, co_filename="/me/train.py")
    return CompiledFrame(code, {}, None, Split(reason, places) if places else None)


def test_a_split_is_told_by_the_graph_before_it_in_the_users_innermost_line() -> None:
    describer = Describer(Catalog())
    inside = ("/me/train.py", 4, "scale_of")
    first = ending("loss_of", ("/me/train.py", 9, "loss_of"), inside, reason="Unsupported Tensor.item() call")
    rest = ending(
        "torch_dynamo_resume_in_loss_of_at_9",
        ("/me/train.py", 11, "torch_dynamo_resume_in_loss_of_at_9"),
        reason="generic_jump TensorVariable()",
    )
    last = ending("torch_dynamo_resume_in_loss_of_at_11", reason="")
    (told,) = describer._splits_of(first)
    assert (told["line"], told["function"], told["reason"]) == (4, "scale_of", "Unsupported Tensor.item() call")
    (told,) = describer._splits_of(rest)
    assert (told["line"], told["function"], told["reason"]) == (11, "loss_of", "Data-dependent branching")
    assert describer._splits_of(last) == []
    assert describer._notes(rest) == ("torch.compile has split loss_of at line 9: Unsupported Tensor.item() call",)
    assert describer._notes(last) == ("torch.compile has split loss_of at line 11: Data-dependent branching",)


def test_a_split_behind_which_the_first_graph_begins_is_told_by_that_one() -> None:
    (told,) = Describer(Catalog())._splits_of(ending("torch_dynamo_resume_in_loss_of_at_9", reason=""))
    assert (told["file"], told["line"], told["function"]) == ("/me/train.py", 9, "loss_of")


def test_what_has_no_gradient_is_not_taken_for_what_came_before_it_under_its_number() -> None:
    module = traced(lambda x, y: (torch.sqrt(x), y.to(torch.float64)), torch.ones(4), torch.ones(4))
    for node in module.graph.nodes:
        node.meta["seq_nr"] = 7
    draft = Draft(Catalog(), (), {})
    sites = {site.site: site.op_type for site in draft.sites(module.graph)}
    assert sites[draft.by_sequence[7]] == "aten::sqrt"


def test_of_what_an_operation_is_taken_apart_into_the_last_part_is_differentiated() -> None:
    module = traced(lambda x: torch.exp(x - x.amax()), torch.ones(4))
    for node in module.graph.nodes:
        node.meta |= {"seq_nr": 7, "original_aten": torch.ops.aten._softmax.default}
    draft = Draft(Catalog(), (), {})
    sites = {site.site: site.op_type for site in draft.sites(module.graph)}
    assert sites[draft.by_sequence[7]] == "aten::exp"


def test_what_torch_func_differentiates_by_is_of_a_backward_pass() -> None:
    from torch._functorch.eager_transforms import _autograd_grad

    module = traced(lambda x: torch.sqrt(x) / x, torch.ones(4))
    (division,) = (node for node in module.graph.nodes if node.name == "div")
    division.meta["source_fn_stack"] = [("grad", _autograd_grad)]
    backward = {site.op_type: site.backward for site in Draft(Catalog(), (), {}).sites(module.graph)}
    assert (backward["aten::sqrt"], backward["aten::div"]) == (False, True)
