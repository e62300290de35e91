"""Types of operations are named in one place: no rule of the reading half, and no face, asks for a type by its name.

The names are those that the installed TensorFlow has registered. Left out are the folders that are about TensorFlow,
and the files that handle its formats.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

PACKAGE = Path(__file__).parents[2] / "src" / "tensordbg"

_API = re.compile(r"\b(tf|torch|keras|nn)\.[A-Za-z_]")

OF_THE_FRAMEWORK = {"advice", "backends", "importers", "operations", "tensorflow"}
"""Folders that may name them."""

FORMATS = {
    "analysis/origins/fusion.py": "nodes of the graph as TensorFlow runs it",
    "analysis/graphs/changes.py": "nodes of the graph as TensorFlow runs it",
    "analysis/graphs/placing.py": "nodes of the graph as TensorFlow runs it",
    "analysis/graphs/as_run.py": "nodes of the graph as TensorFlow runs it",
    "tensorflow/v1/dumping_sessions.py": "the dumps of TensorFlow's debugger",
    "tensorflow/v1/old_filters.py": "the dumps of TensorFlow's debugger",
    "wire/pbtxt.py": "fields of a GraphDef",
}
"""Files that read or write what TensorFlow reads or writes."""

OTHER_WORDS = {
    "analysis/diff/attentions.py": {"A", "B"},
    "analysis/diff/broadcasts.py": {"A", "B"},
    "analysis/diff/explaining.py": {"A", "B"},
    "analysis/diff/explaining_missing.py": {"A", "B"},
    "analysis/diff/explaining_losses.py": {"A", "B"},
    "analysis/diff/explaining_updates.py": {"A", "B"},
    "analysis/diff/lengths.py": {"A", "B"},
    "analysis/diff/not_finite.py": {"A", "B"},
    "analysis/diff/unlike_parameters.py": {"A", "B"},
    "analysis/diff/untrained.py": {"A", "B"},
    "cli/commands/diff.py": {"A", "B"},
    "cli/commands/view.py": {"A"},
    "console/fullscreen/keys.py": {"Enter"},
    "report/diff_html.py": {"A", "B"},
    "report/diff_text.py": {"A", "B"},
}
"""Words that happen to be the name of a type."""


def _registered() -> frozenset[str]:
    known = op_def_pb2.OpList()
    known.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return frozenset(each.name for each in known.op)


def _texts(tree: ast.Module) -> Iterator[str]:
    """The texts in a module but for those that stand alone, which are documentation."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def _named() -> dict[str, list[str]]:
    """By module the types that it names."""
    registered = _registered()
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if module.partition("/")[0] in OF_THE_FRAMEWORK or module in FORMATS:
            continue
        texts = set(_texts(ast.parse(path.read_text()))) - OTHER_WORDS.get(module, set())
        if texts & registered:
            found[module] = sorted(texts & registered)
    return found


def test_types_of_operations_are_named_in_one_place() -> None:
    assert _named() == {}, "ask the vocabulary (operations/) for a kind, a role or a trait"


AS_PRINTED = {
    "analysis/tensors/composite_text.py": "tensors as TensorFlow prints them",
    "analysis/origins/unseen.py": "a service that has a name of its own",
}
"""Files that may hold words of a framework's API."""


def test_no_rule_names_an_api_of_a_framework() -> None:
    found = [
        (module, text)
        for folder in ("analysis", "report", "wire")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        if (module := path.relative_to(PACKAGE).as_posix()) not in AS_PRINTED
        for text in _texts(ast.parse(path.read_text()))
        if _API.search(text)
    ]
    assert found == [], "say what to do in advice/, for each framework"


def test_the_files_of_formats_are_there() -> None:
    assert [module for module in FORMATS if not (PACKAGE / module).exists()] == []
