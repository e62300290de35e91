"""Functions that pipelines are given bear the names that the program gave them."""

from __future__ import annotations

import pytest

from tensordbg.model import Frame
from tensordbg.operations.pipeline_names import function_of_statement, is_of_pipeline, program_title

OWN = Frame("/project/train.py", 9, "elements", True)
PIPELINE = Frame("/site-packages/tensorflow/python/data/ops/structured_function.py", 230, "__init__", False)
STATEMENT = Frame("/site-packages/tensorflow/python/autograph/operators/control_flow.py", 490, "for_stmt", False)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Dataset_map_parse", "parse"),
        ("Dataset_flat_map_map_rows", "map_rows"),
        ("Dataset_group_by_window_key", "key"),
        ("Dataset_map_lambda", "lambda given to map"),
        ("Dataset_take_while_classfunctools.partial", "partial given to take_while"),
        ("Dataset_map_class__main__.Crop", "Crop"),
        ("Dataset_map_Reader.parse", "Reader.parse"),
        ("tf_data_experimental_map_and_batch_parse", "parse"),
        ("train_step", "train_step"),
        ("reduce_sum_of_all", "reduce_sum_of_all"),
    ],
)
def test_the_program_s_name_of_a_function(name: str, title: str) -> None:
    assert program_title(name) == title


def test_some_names_are_told_from_the_program_s_own_by_their_stack() -> None:
    assert program_title("reduce_lambda", (OWN, PIPELINE)) == "lambda given to reduce"
    assert is_of_pipeline("reduce_lambda", (OWN, PIPELINE)) and not is_of_pipeline("reduce_lambda", (PIPELINE, OWN))
    assert is_of_pipeline("Dataset_map_parse") and not is_of_pipeline("train_step", (OWN, PIPELINE))


def test_a_statement_s_function_is_that_around_it() -> None:
    assert program_title("Dataset_scan_scan_body", (OWN, STATEMENT, PIPELINE)) == "elements"
    assert function_of_statement((STATEMENT, OWN, PIPELINE)) == ""
