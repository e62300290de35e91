from __future__ import annotations

from tensordbg.model import StatedInput, StatedTensor
from tensordbg.trace.program.facts import Differentiated, End, Failure, Loaded, Reads, TraceFacts, collect_facts
from tensordbg.trace.program.process import ProcessPlace


def test_collects_what_is_known() -> None:
    rows = [
        {"framework": {"name": "tensorflow", "version": "2.21.0"}},
        {"warning": "b"},
        {"warning": "a"},
        {"warning": "b"},
        {"end": {"time_ns": 5, "exit_code": None, "signal": "SIGKILL", "exception": "ValueError: x"}},
    ]
    expected = TraceFacts({"tensorflow": "2.21.0"}, ("b", "a"), End(5, None, "SIGKILL", "ValueError: x"))
    assert collect_facts(rows) == expected


def test_devices() -> None:
    said = {"physical": ["/physical_device:CPU:0"], "logical": ["/device:CPU:0", "/device:GPU:0"]}
    facts = collect_facts([{"devices": {**said, "without_gpu_kernel": ["Unique"]}}])
    assert facts.devices == ("/device:CPU:0", "/device:GPU:0")
    assert facts.without_gpu_kernel == {"Unique"}


def test_the_last_word_on_the_process_counts() -> None:
    rows = [{"process": {"runs": ["a"]}}, {"process": {"runs": ["a", "b"], "task": "worker", "index": 1}}]
    assert collect_facts(rows).process == ProcessPlace(("a", "b"), "worker", 1)
    assert collect_facts([{"process": "worker"}]).process is None


def test_what_was_loaded() -> None:
    rows = [{"loaded": {"libraries": ["torch"], "operations": ["ZeroOut"]}}]
    assert collect_facts(rows).loaded == Loaded(frozenset({"torch"}), frozenset({"ZeroOut"}))
    assert collect_facts([{"loaded": {"libraries": 3}}]).loaded == Loaded()
    assert collect_facts([]).loaded is None


def test_passes_over_what_is_not_understood() -> None:
    rows = [
        {"framework": 3},
        {"warning": None},
        {"end": "soon"},
        {"end": {"time_ns": "x"}},
        {"devices": ["x"]},
        {"colour": "red"},
    ]
    assert collect_facts(rows) == TraceFacts()


def test_what_was_refused_before_it_was_built() -> None:
    inputs = [
        {"tensor": "x", "dtype": "float32", "shape": [-1, 3]},
        {"tensor": "y", "dtype": "", "shape": None},
        {"tensor": "z", "shape": ["3"]},
        "w",
    ]
    facts = collect_facts([{"end": {"time_ns": 5, "failure": {"error": "ValueError", "site": 3, "inputs": inputs}}}])
    known = (StatedInput("x", "float32", (-1, 3)), StatedInput("y", "", None), StatedInput("z", "", None))
    assert facts.end == End(5)
    assert facts.failure == Failure("ValueError", "", 3, inputs=known)


def test_the_error_is_known_before_the_end() -> None:
    facts = collect_facts([{"failure": {"error": "ValueError", "site": 3}}, {"end": {"time_ns": 5}}])
    assert (facts.failure, facts.end) == (Failure("ValueError", "", 3), End(5))
    assert collect_facts([{"failure": {"error": "ValueError"}}]).failure == Failure("ValueError", "")
    assert collect_facts([{"failure": {"error": 3}}, {"end": "x"}]).failure is None


def test_tensors_that_python_held_name_no_place_beyond_their_list() -> None:
    first = {"tensor": "a:0", "op_type": "Mul", "dtype": "float32", "shape": [2]}
    tensors = [
        first | {"stack": 4, "inputs": [1, 2, -1, "x", True]},
        {"tensor": "b", "stack": -7, "execution": 2**60, "slot": "x", "attributes": "[]", "inputs": 3},
        "c",
    ]
    row = {"end": {"time_ns": 5, "failure": {"error": "ValueError", "tensors": tensors, "layer": "model/head"}}}
    known = (StatedTensor("a:0", "Mul", "float32", (2,), 4, (1,)), StatedTensor("b", "", "", None))
    assert collect_facts([row]).failure == Failure("ValueError", "", tensors=known, layer="model/head")


def test_what_was_read() -> None:
    rows = [
        {
            "reads": {
                "values": [[3, 0, 7], [4, 1, -1], [5, 0], "x", [True, 0, 0], [-2, 0, 0], [2**60, 0, 0]],
                "always": "x",
                "held": [[6, 0]],
            }
        },
        {"end": {"time_ns": 5, "exit_code": 0}},
    ]
    facts = collect_facts(rows)
    assert facts.reads == Reads(((3, 0, 7), (4, 1, -1)), (), ((6, 0),))
    assert facts.reads_to_the_end == facts.reads
    assert collect_facts(rows[:1]).reads_to_the_end is None
    left = collect_facts([*rows[:1], {"end": {"time_ns": 5}}]).reads_to_the_end
    assert left == Reads(((3, 0, 7), (4, 1, -1), (6, 0, -1)), (), ((6, 0),))


def test_whose_gradient_an_execution_is() -> None:
    rows = [{"differentiated": row} for row in ([7, 3, 0, 1], [8, 2, 1, 0], [9, -5, 0, 0], [1, 2], "x")]
    assert collect_facts(rows).differentiated == {
        7: Differentiated(3, 0, is_input=True),
        8: Differentiated(2, 1, is_input=False),
    }


def test_each_framework_says_what_was_read() -> None:
    rows = [{"reads": {"values": [[3, 0, 7]], "held": [[1, 0]]}}, {"reads": {"values": [], "always": [[5, 0]]}}]
    assert collect_facts(rows).reads == Reads(((3, 0, 7),), ((5, 0),), ((1, 0),))
    # One of them could not tell, so whatever is not in the rows may have been read as well.
    assert collect_facts([*rows, {"reads": None}]).reads is None
    assert collect_facts([{"reads": None}, *rows]).reads is None


def test_data_is_read_with_the_ends_of_its_numbers_and_others_are_passed_over() -> None:
    data = [
        {"tensor": "y", "op_type": "Input", "dtype": "int64", "shape": [6], "low": 1, "high": 10},
        {"tensor": "z", "low": 10**400, "high": float("nan")},
        {"tensor": "v", "low": True, "high": "3"},
    ]
    known = (
        StatedTensor("y", "Input", "int64", (6,), low=1, high=10),
        StatedTensor("z", "", "", None),
        StatedTensor("v", "", "", None),
    )
    row = {"end": {"time_ns": 5, "failure": {"error": "ValueError", "data": data}}}
    assert collect_facts([row]).failure == Failure("ValueError", "", data=known)


def test_the_last_share_that_recording_has_cost() -> None:
    assert collect_facts([]).overhead is None
    told = [{"overhead": 0.5}, {"overhead": 0.02}]
    for odd in (True, -1, float("nan"), 10**400, "0.5", [0.5]):
        assert collect_facts([*told, {"overhead": odd}]).overhead == 0.02
