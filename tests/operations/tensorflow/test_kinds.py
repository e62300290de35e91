"""The table against TensorFlow itself: its types exist there, and what it should know of the others, it knows."""

from __future__ import annotations

import re

import pytest
from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework.auto_control_deps_utils import RESOURCE_READ_OPS

from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Operation, Role
from tensordbg.operations.tensorflow import TABLE
from tensordbg.operations.traits import Trait


def _registered() -> dict[str, op_def_pb2.OpDef]:
    known = op_def_pb2.OpList()
    known.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {each.name: each for each in known.op}


REGISTERED = _registered()


def of(op_type: str) -> Operation:
    return operation("tensorflow", op_type)


IN_OTHER_BUILDS = {"TRTEngineOp"}
"""Types that TensorFlow has only where it is built for certain devices."""


def test_tensorflow_knows_every_type() -> None:
    assert TABLE.types() - set(REGISTERED) - IN_OTHER_BUILDS == set()


@pytest.mark.parametrize("beginning", sorted(TABLE.beginnings()))
def test_a_type_begins_with_every_beginning(beginning: str) -> None:
    names = (beginning, beginning.removeprefix("Resource"))  # updates are written for both, where there is one
    assert any(registered.startswith(names) for registered in REGISTERED)


def test_each_type_is_of_one_kind() -> None:
    named = [name for names in TABLE.kinds.values() for name in names]
    assert len(named) == len(set(named))


def test_a_gradient_of_a_known_kind_is_known() -> None:
    """`SqrtGrad` is the gradient of what `Sqrt` is."""
    missing = {}
    for name in REGISTERED:
        forward = re.sub(r"Grad(V\d)?$", "", name)
        kind = of(forward).kind
        known = forward != name and forward in REGISTERED and kind not in (Kind.GRADIENT, Kind.OTHER)
        if known and of(name).gradient_of is not kind:
            missing[name] = kind
    assert missing == {}


TAKES_A_HANDLE_AND_WRITES_NOTHING = {
    "DestroyResourceOp": "deletes it",
    "DisableCopyOnRead": "changes how it is read",
    "ReadVariableXlaSplitND": "reads it for several devices",
    "ResourceCountUpTo": "counts, in whole numbers",
    "ResourceInitializedOp": "asks whether there is one",
    "VarIsInitializedOp": "asks whether there is one",
}
RANDOM_STATE = ("Rng", "Stateful")
"""Beginnings of the types that advance a generator's state, which holds no numbers of the program's."""


def test_what_takes_a_variable_reads_or_writes_it() -> None:
    for name, definition in REGISTERED.items():
        handles = [each for each in definition.input_arg if each.type == types_pb2.DT_RESOURCE]
        typed = {each.name for each in definition.attr if each.type == "type"}
        if not definition.is_stateful or not typed & {"T", "dtype"} or not handles:
            continue
        if handles[0].name not in ("resource", "var") or name.startswith(RANDOM_STATE):
            continue
        if name not in RESOURCE_READ_OPS and name not in TAKES_A_HANDLE_AND_WRITES_NOTHING:
            assert of(name).has(Trait.WRITES), name


def test_what_tensorflow_says_reads_a_variable_reads() -> None:
    shapes_or_several = {"VariableShape", "_ReadVariablesOp"}
    assert {name for name in RESOURCE_READ_OPS if not of(name).has(Trait.READS)} == shapes_or_several


def test_what_is_known_by_a_pipeline_s_word_takes_from_one() -> None:
    takes = {name for name in REGISTERED if of(name).has(Trait.FROM_PIPELINE)}
    assert {"IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue", "ReduceDataset"} <= takes
    assert not any(name.endswith("Dataset") and name != "ReduceDataset" for name in takes)


def test_operands_are_inputs_that_the_type_has() -> None:
    for name in TABLE.types() & set(REGISTERED):
        known = of(name)
        positions = (*known.operands.values(), *known.indices, *(domain.operand for domain in known.domains))
        assert all(0 <= position < len(REGISTERED[name].input_arg) for position in positions), name


def test_nothing_that_makes_nothing_larger_computes() -> None:
    computing = (Trait.ADDS, Trait.MULTIPLIES, Trait.EXPONENTIAL)
    for name in REGISTERED:
        known = of(name)
        assert not (known.has(Trait.NO_LARGER) and (known.has(*computing) or known.degree or known.domains)), name


def test_what_passes_does_not_stop() -> None:
    assert not [name for name in REGISTERED if of(name).traits >= {Trait.PASSES, Trait.SHAPE_ONLY}]


def test_domains_are_intervals() -> None:
    domains = [domain for name in TABLE.types() for domain in of(name).domains]
    assert domains
    assert all(each.low < each.high and each.words for each in domains)


def test_a_result_that_grows_as_a_divisor_shrinks_has_it() -> None:
    by_divisor = {name for name in TABLE.types() if Role.DIVISOR in of(name).operands}
    by_size = {name for name in TABLE.types() if Role.DENOMINATOR in of(name).operands}
    assert by_size - by_divisor == {"DivNoNan", "Softsign", "SoftsignGrad", "SqrtGrad"}


def test_what_hands_on_passes_but_for_copies() -> None:
    handing_on = {name for name in REGISTERED if of(name).has(Trait.HANDS_ON)}
    assert {"Identity", "IdentityN"} <= handing_on
    assert all(of(name).has(Trait.PASSES) for name in handing_on)


@pytest.mark.parametrize("op_type", ["BitwiseXor", "LeftShift", "Invert"])
def test_what_works_on_bits(op_type: str) -> None:
    assert of(op_type).has(Trait.ON_BITS)
    assert not of("InvertPermutation").has(Trait.ON_BITS)


def test_what_scrambles_is_no_control_flow() -> None:
    scrambling = {name for name in REGISTERED if of(name).has(Trait.SCRAMBLES)}
    assert {"StringToHashBucketFast", "Fingerprint", "StatelessRandomUniformV2", "RngReadAndSkip"} <= scrambling
    assert not {"StatelessIf", "StatelessWhile", "StatefulPartitionedCall"} & scrambling


def test_what_is_shaped_by_numbers_takes_no_tensor_of_that_shape() -> None:
    shaped = {name for name in REGISTERED if of(name).has(Trait.SHAPED_BY_NUMBERS)}
    assert {"Fill", "Range", "RandomUniform", "RandomUniformInt", "StatelessRandomNormalV2"} <= shaped
    assert not {"RandomShuffle", "RandomCrop", "StatelessWhile"} & shaped


@pytest.mark.parametrize("op_type", ["XlaLaunch", "RemoteCall"])
def test_engines_are_said_in_words(op_type: str) -> None:
    assert of(op_type).engine
    assert not of("PartitionedCall").engine
