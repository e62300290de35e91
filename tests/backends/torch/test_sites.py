from __future__ import annotations

import json
import sys

import pytest

from tensordbg.backends.torch.program.modules import Modules
from tensordbg.backends.torch.program.variables import Variables
from tensordbg.backends.torch.sites import PLUMBING, READ, SOME_GRADIENT, Sites, is_start_of_gradients
from tensordbg.model import DIFFERENTIATED
from tensordbg.recording.catalog import Catalog, RawFrame

FRAMES: list[RawFrame] = [("/me/model.py", 3, "forward"), ("/me/train.py", 9, "<module>")]
PRINTING: list[RawFrame] = [("/x/site-packages/torch/_tensor_str.py", 9, "_str"), *FRAMES]
UNKNOWN = (-1, -1)
PLAIN = (-1, -1, "", -1)


def sites() -> tuple[Catalog, Sites]:
    catalog = Catalog()
    return catalog, Sites(catalog, Modules(catalog, Variables(catalog)))


def test_a_place_has_one_number_whatever_the_observer_knows_it_by() -> None:
    catalog, found = sites()
    first, again = (found.describe("aten::log", list(FRAMES), PLAIN, UNKNOWN) for _ in range(2))
    assert again == first
    assert found.describe("aten::exp", FRAMES, PLAIN, UNKNOWN) != first
    assert [frame.function for frame in catalog.frames(catalog.site(first).stack)] == ["<module>", "forward"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not tell columns")
def test_of_one_line_each_place_in_it_has_a_site_of_its_own() -> None:
    catalog, found = sites()
    inner, outer = found.describe("sub", FRAMES, PLAIN, UNKNOWN), found.describe("sub", FRAMES, PLAIN, UNKNOWN)
    assert inner != outer
    assert catalog.site(inner).stack == catalog.site(outer).stack


def test_a_gradient_knows_its_forward_operation() -> None:
    catalog, found = sites()
    forward = found.describe("aten::log", FRAMES, PLAIN, UNKNOWN)
    backward = found.describe("aten::div", FRAMES[1:], (forward, -1, "", -1), UNKNOWN)
    assert catalog.site(backward).gradient_of == forward


def test_what_autograd_sums_up_itself_is_part_of_the_backward_pass() -> None:
    catalog, found = sites()
    engine: list[RawFrame] = [("/x/site-packages/torch/autograd/graph.py", 1, "_engine_run_backward"), *FRAMES]
    assert catalog.site(found.describe("aten::add", engine, PLAIN, UNKNOWN)).backward
    assert not catalog.site(found.describe("aten::add", FRAMES, PLAIN, UNKNOWN)).backward
    some = found.describe("aten::add", FRAMES, (SOME_GRADIENT, -1, "", -1), UNKNOWN)
    assert (catalog.site(some).backward, catalog.site(some).gradient_of) == (True, -1)


def test_each_variable_that_a_line_writes_has_a_site_of_its_own() -> None:
    catalog, found = sites()
    for name in ("w", "b"):
        catalog.add_variable(name, "float32", "[2]")
    first = found.describe("aten::add_", FRAMES, (-1, -1, "", -1, 0, 1), UNKNOWN)
    second = found.describe("aten::add_", FRAMES, (-1, -1, "", -1, 1, 1), UNKNOWN)
    held = found.describe("Parameter", FRAMES, (-1, -1, "", -1, 0, 0), UNKNOWN)
    assert [catalog.site(each).writes for each in (first, second)] == [(0,), (1,)]
    assert catalog.site(held).reads == (0,)
    assert not catalog.site(found.describe("aten::sqrt", FRAMES, (-1, -1, "", -1, 0, 0), UNKNOWN)).writes


def test_autocast_is_an_attribute() -> None:
    catalog, found = sites()
    number = found.describe("aten::mm", FRAMES, (-1, -1, "BFloat16", -1), UNKNOWN)
    assert json.loads(catalog.site(number).attributes) == {"autocast": "bfloat16"}


def test_printing_is_no_operation_of_the_program_but_reads() -> None:
    _, found = sites()
    assert found.describe("aten::abs", PRINTING, PLAIN, UNKNOWN) == PLUMBING
    assert found.describe(READ, PRINTING, PLAIN, UNKNOWN) >= 0


def test_what_gradients_are_taken_of_is_a_loss() -> None:
    catalog, found = sites()
    loss = found.describe("aten::mean", FRAMES, PLAIN, UNKNOWN)
    frames: list[RawFrame] = [("/x/site-packages/torch/autograd/__init__.py", 1, "_make_grads"), *FRAMES]
    assert is_start_of_gradients("aten::ones_like", frames)
    assert not is_start_of_gradients("aten::ones_like", FRAMES)
    found.describe("aten::ones_like", frames, PLAIN, (loss, 0))
    assert json.loads(catalog.site(loss).attributes)[DIFFERENTIATED] == [0]
