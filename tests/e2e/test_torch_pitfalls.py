"""Pitfalls of looking on at PyTorch: small programs, recorded and plain, whose numbers must be the same to the bit.

All run in one process, first plain, then each into a recording of its own.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.names.listing import ListedTensor, Order, Selection, list_tensors
from tensordbg.trace.reader import open_trace
from tests import programs

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)
nn = torch.nn

Program = Callable[[], Any]
PROGRAMS: dict[str, Program] = {}

HEAD = """
import json, sys, threading, tensordbg, torch
from typing import Any
from torch import nn
torch.set_num_threads(1)
results = {}
"""

ONCE = """
def run(name, program, recorded):
    torch.manual_seed(0)
    if not recorded:
        results[name] = [str(program())]
    else:
        with tensordbg.record(sys.argv[1] + "/" + name):
            results[name].append(str(program()))
"""


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


@program
def out_arguments() -> Any:
    out = torch.empty(3)
    torch.div(torch.ones(3), torch.zeros(3), out=out)
    return (out * 2).tolist()


@program
def foreach_and_fused() -> Any:
    several = [nn.Parameter(torch.randn(4)), nn.Parameter(torch.randn(3))]
    for keywords in ({"foreach": True}, {"fused": True}):
        optimizer = torch.optim.AdamW(several, **keywords)
        (several[0].sum() / 0 + several[1].sum()).backward()
        optimizer.step()
        optimizer.zero_grad()
    return [each.tolist() for each in several]


@program
def vmap_and_grad() -> Any:
    x = torch.randn(4, 3)
    slopes = torch.func.vmap(torch.func.grad(lambda row: torch.log(row * 0).sum()))(x)
    return slopes.tolist()


@program
def script() -> Any:
    unit = torch.jit.CompilationUnit(
        "def scripted(x):\n    for _ in range(3):\n        x = x / (x - x)\n    return x\n"
    )
    return unit.scripted(torch.ones(2)).tolist()


@program
def checkpointing() -> Any:
    from torch.utils.checkpoint import checkpoint

    layer, x = nn.Linear(3, 3), torch.randn(2, 3, requires_grad=True)
    checkpoint(lambda y: torch.sqrt(layer(y).relu()), x, use_reentrant=False).sum().backward()
    return x.grad.tolist()


@program
def own_function() -> Any:
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(_: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(_: Any, slope: Any) -> Any:
            return slope / 0

    x = torch.ones(3, requires_grad=True)
    Bad.apply(x).sum().backward()
    return x.grad.tolist()


@program
def hooks() -> Any:
    layer, x = nn.Linear(3, 3), torch.randn(2, 3)
    layer.register_forward_hook(lambda module, given, result: result / 0)
    layer.weight.register_hook(lambda slope: slope * 2)
    layer(x).sum().backward()
    return layer.weight.grad.tolist()


@program
def inference() -> Any:
    with torch.inference_mode():
        x = torch.ones(3)
        x.sub_(1)
        y = x.log()
    return y.tolist()


@program
def other_threads() -> Any:
    found = []
    several = [threading.Thread(target=lambda: found.append(torch.log(torch.zeros(2)).sum().item())) for _ in range(4)]
    for each in several:
        each.start()
    for each in several:
        each.join()
    return found


@program
def unusual_tensors() -> Any:
    sparse = torch.eye(3).to_sparse() * 2
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]) * 2
    complex_ = (torch.ones(3) * 1j).conj() * 2
    quantised = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8).dequantize()
    small = torch.ones(3).to(torch.float8_e4m3fn).float()
    return [
        sparse.to_dense().tolist(),
        nested.unbind()[1].tolist(),
        complex_.tolist(),
        quantised.tolist(),
        small.tolist(),
    ]


@program
def other_memory_by_data() -> Any:
    x, y = torch.ones(3), torch.log(torch.zeros(3))
    before = x * 2
    x.data = y
    return before.tolist(), (x * 2).tolist()


@program
def good_memory_by_data() -> Any:
    x = torch.log(torch.zeros(3))
    x.data = torch.ones(3)
    return (x * 2).tolist()


@program
def writes_into_parts() -> Any:
    x, a, k = torch.tensor([0.0, 1.0]), torch.zeros(4), torch.zeros(1, 4, 2)
    a[0] = torch.log(x[0])
    a[1] = x[1] * 2
    a[2] = 3.0
    for step in range(4):
        k[:, step] = x + step
    return (a * 2).sum().item(), k.sum().item()


@program
def kept_statistics() -> Any:
    norm, x = nn.BatchNorm1d(2), torch.randn(8, 2)
    norm(torch.randn(8, 2))
    with torch.no_grad():
        norm(x / 0)
    norm.eval()
    return norm(torch.randn(4, 2)).tolist()


@program
def exceptions() -> Any:
    try:
        torch.ones(3) @ torch.ones(4)
    except RuntimeError as error:
        return str(error), torch.log(torch.zeros(1)).item()


@program
def reads() -> Any:
    x = torch.log(torch.zeros(2))
    return x.numpy().tolist(), x.tolist(), x.sum().item(), bool((x < 0).all())


@program
def autocast() -> Any:
    layer = nn.Linear(3, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return (layer(torch.randn(2, 3)) / 0).float().tolist()


@pytest.fixture(scope="module", params=["compiled observer", "observer in Python"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    folder = tmp_path_factory.mktemp("pitfalls")
    texts = [HEAD, ONCE]
    sources = (textwrap.dedent(inspect.getsource(function)) for function in PROGRAMS.values())
    texts += [source.partition("\n")[2] for source in sources]
    names = ", ".join(PROGRAMS)
    texts.append(f"for recorded in (False, True):\n    for each in ({names}):\n")
    texts.append("        run(each.__name__, each, recorded)\nprint(json.dumps(results))\n")
    (folder / "programs.py").write_text("\n".join(texts))
    none = {"CXX": "no-compiler-here", "XDG_CACHE_HOME": str(folder / "cache")}
    done = programs.run(
        [sys.executable, str(folder / "programs.py"), str(folder)],
        env={**os.environ, **(none if "Python" in request.param else {})},
        capture_output=True, check=False, text=True, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "recording stopped" not in done.stderr
    return folder, json.loads(done.stdout.splitlines()[-1])


Ran = tuple[Path, dict[str, list[str]]]


def rows(ran: Ran, function: Program) -> tuple[ListedTensor, ...]:
    return list_tensors(open_trace(ran[0] / function.__name__), Selection(), Order(limit=0)).rows


def origins(ran: Ran, function: Program) -> list[tuple[str, str]]:
    found = tensordbg.open(ran[0] / function.__name__).why().origins
    return [(origin.view.op_type, origin.cause) for origin in found if origin.consequential]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_numbers_are_the_same_to_the_bit(ran: Ran, name: str) -> None:
    plain, recorded = ran[1][name]
    assert plain == recorded


def test_what_is_written_into_an_argument_is_an_output(ran: Ran) -> None:
    assert origins(ran, out_arguments) == [("aten::div", "division_by_zero")]


def test_a_list_is_recorded_tensor_by_tensor(ran: Ran) -> None:
    foreach = [row for row in rows(ran, foreach_and_fused) if row.op_type == "aten::_fused_adamw_"]
    bad = [bool(row.health and row.health.nan) for row in foreach if row.slot == 0]
    assert bad == [True, False], "what is wrong with one parameter is nothing to the other"


def test_operations_below_vmap_and_grad_are_seen(ran: Ran) -> None:
    assert origins(ran, vmap_and_grad)[0] == ("aten::log", "log_of_zero")


def test_a_scripted_function_is_seen(ran: Ran) -> None:
    assert origins(ran, script)[0] == ("aten::div", "division_by_zero")


def test_a_checkpoint_computes_twice(ran: Ran) -> None:
    assert [row.op_type for row in rows(ran, checkpointing)].count("aten::addmm") == 2


def test_the_backward_of_an_own_function_is_seen(ran: Ran) -> None:
    assert origins(ran, own_function)[0][0] == "aten::div"


def test_what_a_hook_computes_is_seen(ran: Ran) -> None:
    assert origins(ran, hooks)[0] == ("aten::div", "division_by_zero")


def test_inference_mode_has_no_versions_and_is_followed(ran: Ran) -> None:
    assert origins(ran, inference) == [("aten::log", "log_of_zero")]
    assert [row.op_type for row in rows(ran, inference) if row.op_type != "Number"] == [
        "aten::ones", "aten::sub_", "aten::log",
    ]  # fmt: skip


def test_other_threads_are_seen(ran: Ran) -> None:
    assert [row.op_type for row in rows(ran, other_threads)].count("aten::log") == 4


def test_tensors_that_cannot_be_measured_do_no_harm(ran: Ran) -> None:
    assert origins(ran, unusual_tensors) == []
    assert all(not (row.health and row.health.non_finite) for row in rows(ran, unusual_tensors))


def test_other_memory_is_known_by_who_wrote_it(ran: Ran) -> None:
    assert origins(ran, other_memory_by_data) == [("aten::log", "log_of_zero")]
    assert origins(ran, good_memory_by_data) == []


def test_of_many_writes_into_parts_each_is_known(ran: Ran) -> None:
    assert origins(ran, writes_into_parts) == [("aten::log", "log_of_zero")]


def test_statistics_that_a_batch_norm_keeps_are_written_by_it(ran: Ran) -> None:
    assert origins(ran, kept_statistics) == [("aten::div", "division_by_zero")]
    points = tensordbg.open(ran[0] / "kept_statistics").tensor("running_mean").points
    bad = [bool(point.health and point.health.non_finite) for point in points]
    assert bad == [False, False, True]  # at first, and what each of both calls has written


def test_an_error_is_the_programs_own(ran: Ran) -> None:
    assert origins(ran, exceptions) == [("aten::log", "log_of_zero")]


def test_reads_without_an_operation_count(ran: Ran) -> None:
    assert origins(ran, reads) == [("aten::log", "log_of_zero")]


def test_the_dtype_of_autocast_stands_at_the_site(ran: Ran) -> None:
    sites = tensordbg.open(ran[0] / "autocast").table("sites").to_pylist()
    assert any('"autocast": "bfloat16"' in site["attributes"] for site in sites if site["op_type"] == "aten::addmm")
