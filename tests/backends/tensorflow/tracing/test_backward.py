from __future__ import annotations

from tensordbg.backends.tensorflow.tracing.backward import BackwardPasses
from tensordbg.model import NONE, Site
from tensordbg.recording.catalog import Catalog


def site(name: str, stack: int = NONE, gradient_of: int = NONE) -> Site:
    return Site(0, name, "Mul", 0, stack, gradient_of=gradient_of)


def test_a_scope_a_forward_site_or_the_function_tells() -> None:
    passes = BackwardPasses(Catalog())
    sites = [site("mul"), site("model/gradient_tape/mul"), site("mul", gradient_of=3)]
    assert [each.backward for each in passes.marked(sites)] == [False, True, True]
    assert [each.backward for each in passes.marked(sites[:1], "__backward_step_12")] == [True]


def test_an_eager_operation_is_told_by_the_call_that_takes_gradients() -> None:
    catalog = Catalog()
    own = catalog.stack(((__file__, 3, "train"),))
    within = catalog.stack(((__file__, 3, "train"), ("/lib/tensorflow/python/eager/backprop.py", 3, "gradient")))
    passes = BackwardPasses(catalog)
    assert [each.backward for each in passes.marked([site("Mul", own), site("Mul", within)])] == [False, True]
