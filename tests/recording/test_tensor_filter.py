"""Tensors that are not wanted are muted where their sites come by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensordbg.model import Detail, Frame, Function, Site, SourceFile, Variable
from tensordbg.recording.tensor_filter import TensorChoice, TensorFilter
from tensordbg.trace.program.metadata import describe_this_process
from tensordbg.trace.reader import open_trace
from tensordbg.trace.writer import TraceWriter


def test_types_are_matched_from_their_beginning() -> None:
    wanted = TensorFilter("(Log|Mat)")
    assert [wanted.has(each) for each in ("Log", "Log1p", "MatMul", "BatchMatMul", "")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert TensorFilter().has("Anything")


def test_the_mask_has_a_bit_for_each_dtype() -> None:
    assert TensorFilter(dtypes=frozenset({0, 3, 63})).mask == 2**63 + 8 + 1
    assert TensorFilter().mask == 2**64 - 1
    assert TensorFilter(dtypes=frozenset()).mask == 0


def test_what_a_reader_is_told() -> None:
    assert TensorFilter().note == ""
    assert TensorFilter("Log", frozenset({12, 1})).note == (
        "only tensors of operations whose type matches 'Log' and of dtype bool, float32 were recorded; what others "
        "held is not known"
    )
    assert TensorFilter(dtypes=frozenset()).note.startswith("only tensors of dtype (none) were")


def test_names_are_matched_too() -> None:
    wanted = TensorFilter("Mat", names="dense_.*/")
    named = [("MatMul", "dense_1/MatMul"), ("MatMul", "out/MatMul"), ("Relu", "dense_1/Relu")]
    assert [wanted.has(*each) for each in named] == [True, False, False]
    assert wanted.note == (
        "only tensors of operations whose type matches 'Mat' and of operations whose name matches 'dense_.*/' were "
        "recorded; what others held is not known"
    )


def test_another_choice_mutes_and_unmutes_what_is_known(tmp_path: Path) -> None:
    writer = TraceWriter.create(tmp_path / "trace", describe_this_process("train", Detail.OPS, ""))
    muted: dict[int, bool] = {}
    choice = TensorChoice(writer, TensorFilter(), lambda sites, off: muted.update(dict.fromkeys(sites, off)))
    choice.sites(Site(number, op_type, op_type, 0, 0) for number, op_type in enumerate(("Log", "Mul", "Exp")))
    assert muted == {}
    choice.choose(TensorFilter("Log|Exp"))
    assert muted == {1: True}
    choice.choose(TensorFilter("Mul"))
    assert muted == {0: True, 1: False, 2: True}
    choice.sites([Site(3, "Late", "Log", 0, 0)])
    assert muted[3]
    choice.choose(TensorFilter())
    assert muted == dict.fromkeys(range(4), False)


def test_a_bad_pattern_is_refused_at_once() -> None:
    with pytest.raises(re.error):
        TensorFilter("(")


def test_all_rows_pass_and_unwanted_sites_are_muted(tmp_path: Path) -> None:
    writer = TraceWriter.create(tmp_path / "trace", describe_this_process("train", Detail.OPS, ""))
    muted: list[int] = []
    choice = TensorChoice(writer, TensorFilter("Log"), lambda sites, _: muted.extend(sites))
    choice.sites(Site(number, op_type, op_type, 0, 0) for number, op_type in enumerate(("Log", "Mul", "Log1p", "Add")))
    choice.function(Function(0, "f", "f_0", 0, 0))
    choice.stack(0, (Frame("a.py", 1, "f", True),))
    choice.source(SourceFile("a.py", "ab", "text"))
    choice.variable(Variable(0, "v", "float32", "[]"))
    writer.close()
    assert muted == [1, 3]
    trace = open_trace(tmp_path)
    assert [site.name for site in trace.sites().values()] == ["Log", "Mul", "Log1p", "Add"]
    sizes = [len(table) for table in (trace.functions(), trace.stacks(), trace.sources(), trace.variables())]
    assert sizes == [1, 1, 1, 1]
