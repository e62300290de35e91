from __future__ import annotations

from tensordbg.analysis.program.older_sites import with_backward
from tensordbg.model import NONE, Frame, Function, Site

TAPE = Frame("/lib/tensorflow/python/eager/backprop.py", 3, "gradient", user=False)
OWN = Frame("/me/train.py", 7, "train_step", user=True)


def test_names_scopes_and_stacks_tell_of_those_that_do_not_say_it() -> None:
    functions = {number: Function(number, "f", name, number) for number, name in enumerate(["f_1", "__backward_f_2"])}
    sites = [
        Site(0, "MatMul", "MatMul", 0, 0),
        Site(1, "gradients/MatMul_grad/MatMul", "MatMul", 0, 0),
        Site(2, "MatMul", "MatMul", 1, 0),
        Site(3, "MatMul", "MatMul", NONE, 1),
        Site(4, "ReluGrad", "ReluGrad", 0, 0, gradient_of=0),
    ]
    found = with_backward(sites, {0: (OWN,), 1: (OWN, TAPE)}, functions)
    assert [found[number].backward for number in range(5)] == [False, True, True, True, True]


def test_what_was_recorded_counts() -> None:
    site = Site(0, "gradients/MatMul_grad/MatMul", "MatMul", 0, 0, backward=False)
    assert with_backward([site], {}, {}) == {0: site}
