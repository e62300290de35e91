"""Functions of a graph's library get sites like those that were traced, and their variables are known."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.protobuf import saved_model_pb2

import tensordbg
from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions
from tensordbg.backends.tensorflow.functions.names import name_in_graph
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions, python_name
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import NONE, CallKind
from tensordbg.recording.catalog import CATALOG, Catalog
from tensordbg.recording.failure import failure_behind
from tests.backends.tensorflow.checked import checking
from tests.backends.tensorflow.recorded import record
from tests.e2e.programs.checking import bits, recorded_and_why

Formula = Callable[[tf.Tensor], tf.Tensor]

v1 = tf.compat.v1


class _Model(tf.Module):  # type: ignore[misc]
    def __init__(self, formula: Formula) -> None:
        super().__init__()
        self.formula = formula
        self.limit = tf.Variable([1.0, 2.0], name="limit")

    @tf.function
    def distance(self, x: tf.Tensor) -> tf.Tensor:
        return self.formula(x - self.limit)

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def serve(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        turns = 0
        while tf.reduce_sum(x) > 4.0:
            x = x - 1.0 if turns < 1 else self.distance(x)
            turns += 1
        return {"x": x, "turns": tf.constant(0) + turns}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    return export(tf.math.log, str(tmp_path_factory.mktemp("model")))


@pytest.fixture(scope="module")
def named_alike(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Models whose functions have the same names, as those of two processes have, and differ in one alone."""
    folders = [export(formula, str(tmp_path_factory.mktemp("model"))) for formula in (tf.math.log, tf.math.sqrt)]
    names = [rename(folder, lambda name, k: re.sub(r"\d+$", str(9_000_000 + k), name)) for folder in folders]
    assert names[0] == names[1]
    return folders[0], folders[1]


def export(formula: Formula, folder: str) -> str:
    model = _Model(formula)
    tf.saved_model.save(model, folder, signatures=model.serve)
    del model
    gc.collect()
    return folder


def rename(folder: str, new_name: Callable[[str, int], str]) -> list[str]:
    """Gives the functions of a model other names; they are counted in the order in which they were made."""
    path = Path(folder, "saved_model.pb")
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    found = [each.signature.name for each in model.meta_graphs[0].graph_def.library.function]
    found.sort(key=lambda name: int(name.rpartition("_")[2]))
    names = {name: new_name(name, k) for k, name in enumerate(found)}
    text = re.sub(r'(?<=")\w+(?=")', lambda word: names.get(word[0], word[0]), text_format.MessageToString(model))
    path.write_bytes(text_format.Parse(text, saved_model_pb2.SavedModel()).SerializeToString())
    return list(names.values())


def serve(saved: str, values: list[float]) -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.load(session, ["serve"], saved).signature_def["serving_default"]
        fetches = {name: tensor.name for name, tensor in signature.outputs.items()}
        return session.run(fetches, {signature.inputs["x"].name: values})


def test_a_saved_model_is_recorded_inside(saved: str, tmp_path: Path) -> None:
    results: list[Any] = []
    checked = recorded_and_why(lambda: results.append(serve(saved, [2.0, 6.0])), tmp_path)
    assert bits(results[0]) == bits(serve(saved, [2.0, 6.0]))
    (origin,) = checked.answer["origins"]
    assert (origin["tensor"], origin["function"], origin["iteration"]) == ("Log:0", "distance", 1)
    assert origin["cause"] == "log_of_zero"
    assert [event.iteration for event in checked.named("Sum")] == [0, 1, 2]


def test_a_saved_model_is_checked_inside(saved: str) -> None:
    with checking(), pytest.raises(tf.errors.InvalidArgumentError, match=r'graph op "Log"') as raised:
        serve(saved, [2.0, 6.0])
    assert "Loop iteration: 1" in str(raised.value)
    with checking():
        assert serve(saved, [1.0, 1.0])["turns"] == 0


def test_functions_of_one_name_in_two_models_are_told_apart(named_alike: tuple[str, str], tmp_path: Path) -> None:
    results: list[Any] = []

    def program() -> None:
        # The last brings nothing new: it is the first again, in another graph.
        results.extend(serve(model, [2.0, 6.0]) for model in (*named_alike, named_alike[0]))

    checked = recorded_and_why(program, tmp_path)
    assert [bits(each) for each in results[:2]] == [bits(serve(model, [2.0, 6.0])) for model in named_alike]
    assert bits(results[2]) == bits(results[0])
    of_log, of_root = checked.named("Log"), checked.named("Sqrt")
    # The first turn subtracts 1; the others compute the formula, until NaN or a small sum ends the loop.
    assert len(of_log) == 2 * len(of_root) == 2 * (int(results[0]["turns"]) - 1)
    (logarithm,), (root,) = ({checked.recorded.site_of(event) for event in each} for each in (of_log, of_root))
    assert logarithm.function != root.function
    assert [checked.recorded.functions[site.function].name for site in (logarithm, root)] == ["distance"] * 2


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_functions_of_one_name_in_two_models_are_checked_as_what_they_are(
    named_alike: tuple[str, str], order: tuple[int, int]
) -> None:
    said = ('graph op "Log"', 'graph op "Sqrt"')
    with checking():
        for k in order:
            # Of the second variable's element the logarithm of 0 and the root of -1 are taken.
            with pytest.raises(tf.errors.InvalidArgumentError, match=said[k]) as raised:
                serve(named_alike[k], [5.5, 3.0 - k])
            assert "distance" in str(raised.value)


def test_a_function_that_is_named_as_one_of_the_program_is_told_apart(tmp_path: Path) -> None:
    model = export(tf.math.sqrt, str(tmp_path / "model"))
    live: list[Any] = []

    def distance(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)

    def program() -> None:
        called = tf.function(distance)
        live.append(called.get_concrete_function(tf.TensorSpec([2], tf.float32)))
        mine = live[0].name.decode()
        rename(model, lambda name, _: mine if "distance" in name else name)
        serve(model, [5.5, 2.0])
        called(tf.constant([1.0, -1.0]))

    checked = recorded_and_why(program, tmp_path / "trace")
    assert [(each["op_type"], each["source"]["function"]) for each in checked.answer["origins"]] == [
        ("Sqrt", "serve"),
        ("Log", "distance"),
    ]
    with checking(), pytest.raises(tf.errors.InvalidArgumentError, match=r'graph op "Sqrt"'):
        serve(model, [5.5, 2.0])


def test_an_error_is_that_of_the_function_in_the_graph_that_ran(tmp_path: Path) -> None:
    model = export(lambda x: tf.gather(x, [7, 0]), str(tmp_path / "model"))

    def distance(x: tf.Tensor) -> tf.Tensor:
        return tf.gather(x, [0, 1])

    with tensordbg.record(tmp_path / "trace"):
        live = tf.function(distance).get_concrete_function(tf.TensorSpec([2], tf.float32))
        mine = live.name.decode()
        rename(model, lambda name, _: mine if "distance" in name else name)
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in") as raised:
            serve(model, [5.5, 2.0])
        failed = failure_behind(raised.value)
        assert failed is not None
        site = CATALOG.site(failed.site)
        assert (site.op_type, site.stack) == ("GatherV2", NONE)
        assert name_in_graph(CATALOG.function(site.function).runtime_name) == mine


def test_what_comes_back_into_the_program_that_made_it_keeps_its_lines(tmp_path: Path) -> None:
    def program() -> None:
        model = _Model(tf.math.sqrt)
        tf.saved_model.save(model, str(tmp_path / "model"), signatures=model.serve)
        serve(str(tmp_path / "model"), [5.5, 2.0])

    (origin,) = recorded_and_why(program, tmp_path / "trace").answer["origins"]
    assert (origin["op_type"], origin["source"]["text"].strip()) == ("Sqrt", "return self.formula(x - self.limit)")


def test_a_ruined_variable_is_followed_into_a_function(saved: str, tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default(), v1.Session() as session:
            signature = v1.saved_model.load(session, ["serve"], saved).signature_def["serving_default"]
            handle = next(each for each in session.graph.get_operations() if each.type == "VarHandleOp")
            bad = tf.math.log(tf.constant([-1.0, 1.0]) * tf.constant([1.0, 1.0]))
            session.run(tf.raw_ops.AssignVariableOp(resource=handle.outputs[0], value=bad))
            session.run(signature.outputs["x"].name, {signature.inputs["x"].name: [9.0, 9.0]})

    (origin,) = recorded_and_why(program, tmp_path).answer["origins"]
    assert (origin["cause"], origin["op_type"]) == ("log_of_negative", "Log")
    assert {"variable", "output"} <= set(origin["reaches"])


def test_each_function_is_described_once_and_before_what_calls_it(saved: str) -> None:
    catalog = Catalog()
    library = LibraryFunctions(catalog, hooks().functions, LegacyFunctions(Stacks(catalog)))
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.saved_model.load(session, ["serve"], saved)
        nodes = [each.node_def for each in graph.get_operations() if each.type == "StatefulPartitionedCall"]
        library.learn(graph, nodes)
        count = catalog.next_function
        library.learn(graph, nodes)
    functions = [catalog.function(number) for number in range(count)]
    assert catalog.next_function == count
    assert "serve" in [function.name for function in functions]
    places = {function.runtime_name: function.function for function in functions}
    for function in functions:
        for site in catalog.sites_of_function(function.runtime_name):
            assert all(places[called] < function.function for called in site.called)
            assert site.call is not CallKind.OTHER
            assert all(ref.site != NONE for ref in site.inputs)


def test_names() -> None:
    assert python_name("__inference_train_step_83") == "train_step"
    assert python_name("while_body_12") == "while_body_12"


def test_an_imported_graph_brings_its_functions(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.identity(tf.function(lambda x: tf.sqrt(x))(v1.placeholder(tf.float32, [], name="x")), name="y")
    definition = graph.as_graph_def().SerializeToString()
    del graph
    gc.collect()

    def program() -> None:
        with tf.Graph().as_default(), v1.Session() as session:
            tf.import_graph_def(v1.GraphDef.FromString(definition), name="")
            session.run("y:0", {"x:0": -1.0})

    assert record(tmp_path, program).one("Sqrt").row["nan"] == 1
