"""A PyTorch whose compiler works otherwise inside than those that are known compiles on while it is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_torch import run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

OTHERWISE = """
    import sys, tempfile, importlib
    import torch._inductor.compile_fx
    import tensordbg

    class Other:
        '''Is there for PyTorch, and not for who looks on.'''
        def __init__(self, owner, name):
            self.owner, self.name, self.plain = owner, name, owner.__dict__.get(name)
        def __get__(self, instance, owner):
            missing = self.name not in instance.__dict__ and self.plain is None
            if missing or "tensordbg" in sys._getframe(1).f_code.co_filename:
                raise AttributeError(f"{self.name} of another version")
            return instance.__dict__[self.name] if self.name in instance.__dict__ else self.plain.__get__(instance)
        def __set__(self, instance, value):
            instance.__dict__[self.name] = value

    def loss():
        torch.manual_seed(3)
        w = torch.randn(8, 8, requires_grad=True)
        x = torch.randn(4, 8)
        made = torch.compile(lambda x, w: torch.dropout(torch.softmax(x @ w, -1), 0.5, True).square().mean())(x, w)
        made.backward()
        return made.item().hex(), w.grad.double().sum().item().hex()

    plain = loss()
    for place in PLACES:
        module, kind, name = place.split(":")
        owner = getattr(importlib.import_module(f"torch._inductor.{module}"), kind)
        before = owner.__dict__.get(name)
        setattr(owner, name, Other(owner, name))
        torch._dynamo.reset()
        print("place", place, file=sys.stderr)
        with tensordbg.record(tempfile.mkdtemp()):
            assert loss() == plain
        delattr(owner, name)
        if before is not None:
            setattr(owner, name, before)
    print("all the same")
"""
PLACES = (
    "scheduler:Scheduler:name_to_buf",
    "scheduler:SchedulerBuffer:get_mutations",
    "codegen.wrapper:PythonWrapperCodegen:allocated",
    "codegen.wrapper:PythonWrapperCodegen:header",
    "codegen.wrapper:PythonWrapperCodegen:writeline",
    "graph:GraphLowering:wrapper_code",
    "graph:GraphLowering:cpp_wrapper",
    "graph:GraphLowering:removed_buffers",
)


def test_what_is_private_may_be_otherwise_and_one_line_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, OTHERWISE.replace("PLACES", repr(PLACES)), recorded=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all the same\n"
    for place in PLACES:
        about = done.stderr.partition(f"place {place}\n")[2].partition("place ")[0]
        warnings = [line for line in about.splitlines() if "warning" in line]
        assert len(warnings) == 1, (place, about)
        assert "is not seen inside, since this version of PyTorch works otherwise inside (Attr" in warnings[0], place
