"""Tells the last assignment before a line, and nothing where a branch or a loop leaves it open."""

from __future__ import annotations

import textwrap

import pytest

from tensordbg.recording.assigned_lines import Assignment, Scope, assigned_before

MODULE = Scope("<module>", 0)


def told(text: str, name: str = "y", scope: Scope = MODULE) -> Assignment | None:
    """What is told of a name at the line that ends with `# HERE`."""
    text = textwrap.dedent(text)
    line = next(k for k, each in enumerate(text.splitlines(), 1) if each.endswith("# HERE"))
    return assigned_before(text, scope, name, line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("y = 1\ny = 2\nfit(y)  # HERE\ny = 3", 2),
        ("x, (y, z) = load()\nfit(y)  # HERE", 1),
        ("y = 1\ny += 1\nfit(y)  # HERE", 2),
        ("y: int = 1\nfit(y)  # HERE", 1),
        ("with a() as y:\n    fit(y)  # HERE", 1),
        ("with a():\n    y = 1\nfit(y)  # HERE", 2),
        ("for k in range(3):\n    y = k\n    fit(y)  # HERE", 2),
        ("for y in range(3):\n    fit(y)  # HERE", 1),
        ("y = 1\nfor k in range(3):\n    fit(y)  # HERE", 1),
        ("y = 1\nif a:\n    fit(y)  # HERE\nelse:\n    y = 3", 1),
        ("if a:\n    y = 2\n    fit(y)  # HERE", 2),
        ("y = 1\ndef f():\n    y = 2\nfit(y)  # HERE", 1),
        ("if (y := load()):\n    pass\ny = y\nfit(y)  # HERE", 3),
    ],
)
def test_the_last_one_before_the_line_is_told(text: str, line: int) -> None:
    assert told(text) == Assignment(line, is_changed=False)


@pytest.mark.parametrize(
    "text",
    [
        "y = 1\nif a:\n    y = 2\nfit(y)  # HERE",
        "y = 1\nfor k in range(3):\n    fit(y)  # HERE\n    y = 2",
        "y = 1\ntry:\n    y = 2\nexcept E:\n    fit(y)  # HERE",
        "fit(y)  # HERE\ny = 1",
        "y = 1\nwhile a:\n    y = 2\nfit(y)  # HERE",
        "y = (  # HERE",
    ],
)
def test_nothing_is_told_of_what_may_not_have_run(text: str) -> None:
    assert told(text) is None


def test_what_writes_elements_since_is_noted() -> None:
    assert told("y = load()\ny[3] = 10\nfit(y)  # HERE") == Assignment(1, is_changed=True)


def test_a_function_has_names_of_its_own() -> None:
    text = "y = 1\n@decorated\ndef train(z):\n    y = z\n    fit(y)  # HERE"
    assert told(text, scope=Scope("train", 2)) == Assignment(4, is_changed=False)
    assert told(text, "z", Scope("train", 2)) is None
