from __future__ import annotations

from tensordbg.backends.torch.failures.while_compiling import error_while_compiling

WORDS = "a and b must have same reduction dim, but got [2, 512] X [288, 10]."

USER_CODE = """

from user code:
   File "/home/me/train.py", line 30, in step
    return model(x)
  File "/home/me/train.py", line 10, in forward
    return self.fc(x)

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""

LATER = f"""RuntimeError when making fake tensor call
  Explanation: Dynamo failed to run FX node with fake tensors: call_function linear(): got RuntimeError('{WORDS}')
  Hint: Your code may result in an error when running in eager.

  Developer debug context:
"""

EARLIER = f"""Failed running call_function <built-in function linear>(*(FakeTensor(..., size=(2, 512))), **{{}}):
{WORDS}"""

REFUSED = """Data-dependent branching
  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`).
  Hint: Use `torch.cond` to express dynamic control flow.
"""

FRAMES = (("/home/me/train.py", 30, "step"), ("/home/me/train.py", 10, "forward"))


def test_the_error_and_the_lines_of_what_was_compiled() -> None:
    assert error_while_compiling(LATER + USER_CODE) == (f"RuntimeError: {WORDS}", FRAMES)
    assert error_while_compiling(EARLIER + USER_CODE) == (WORDS, FRAMES)


def test_what_dynamo_refuses_is_told_without_its_advice() -> None:
    found = error_while_compiling(REFUSED + USER_CODE)
    assert found is not None
    assert found[0].splitlines()[0] == "Data-dependent branching"
    assert found[0].endswith("(e.g. `if my_tensor.sum() > 0:`).")


def test_other_messages_are_of_nothing_that_was_compiled() -> None:
    assert error_while_compiling("mat1 and mat2 shapes cannot be multiplied") is None
