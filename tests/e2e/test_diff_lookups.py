"""`tdbg diff` of tables whose rows are looked up: Keras beside PyTorch, whose gradients may leave rows out.

One step is recorded: nothing reads again what the gradient is for; behind a normalization it has no sum to know it by.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(9)
TABLE, HEAD = (_DRAWN.normal(size=size).astype("float32") for size in ((12, 8), (8, 3)))
ROWS, LABELS = _DRAWN.integers(0, 12, (6, 5)), _DRAWN.integers(0, 3, 6)
ROWS[:, 3:] = 0
ONCE = np.arange(10).reshape(2, 5)
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
FORMS = [False, True]
COMPILED = ["eager", "compiled"]


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Path]:
    """Traces of one step in Keras, with a normalization behind the table and without; padding masked; each row once."""
    folder = tmp_path_factory.mktemp("lookups")
    found: dict[Any, Path] = {each: in_keras(folder / str(each), normalized=each) for each in FORMS}
    found["masked"] = in_keras(folder / "masked", masked=True)
    found["once"] = in_keras(folder / "once", rows=ONCE)
    return found


def in_keras(folder: Path, *, normalized: bool = False, masked: bool = False, rows: Any = ROWS) -> Path:
    keras: Any = pytest.importorskip("keras")
    layers = [keras.layers.Input((5,), dtype="int32"), keras.layers.Embedding(12, 8, mask_zero=masked)]
    layers += [keras.layers.LayerNormalization()] if normalized else []
    layers += [keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(3, use_bias=False)]
    model = keras.Sequential(layers)
    model.layers[0].set_weights([TABLE])
    model.layers[-1].set_weights([HEAD])
    model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tensordbg.record(folder):
        model.fit(rows.astype("int32"), LABELS[: len(rows)], batch_size=6, verbose=0, shuffle=False)
    return folder


def in_torch(
    folder: Path,
    form: str = "eager",
    *,
    normalized: bool = False,
    masked: bool = False,
    rows: Any = ROWS,
    **settings: Any,
) -> Path:
    table = torch.nn.Embedding(12, 8, **settings)
    table.weight.data = torch.tensor(TABLE)
    norm, head = torch.nn.LayerNorm(8, eps=1e-3), torch.nn.Parameter(torch.tensor(HEAD))
    given, labels = torch.tensor(rows), torch.tensor(LABELS[: len(rows)])

    def loss() -> Any:
        found = norm(table(given)) if normalized else table(given)
        weights = (given != 0).float()[:, :, None] if masked else torch.ones(len(rows), 5, 1)
        return F.cross_entropy((found * weights).sum(1) / weights.sum(1) @ head, labels)

    optimizer = torch.optim.SGD([table.weight, *norm.parameters(), head], 0.1)
    with tensordbg.record(folder):
        (torch.compile(loss) if form == "compiled" else loss)().backward()
        optimizer.step()
    return folder


@pytest.mark.parametrize("normalized", FORMS)
@pytest.mark.parametrize("form", COMPILED)
def test_a_right_port_is_the_same(references: dict[Any, Path], tmp_path: Path, form: str, normalized: bool) -> None:
    other = in_torch(tmp_path / "b", form, normalized=normalized)
    assert tensordbg.diff(references[normalized], other).status == "same"


@pytest.mark.parametrize("normalized", FORMS)
@pytest.mark.parametrize(
    ("form", "settings", "expected"),
    [
        ("eager", {"padding_idx": 0}, ("padding_idx", None, 0)),
        ("compiled", {"padding_idx": 0}, ("padding_idx", None, 0)),
        ("eager", {"scale_grad_by_freq": True}, ("scale_grad_by_freq", False, True)),
    ],
)
def test_gradients_that_are_taken_otherwise_are_named(
    references: dict[Any, Path], tmp_path: Path, form: str, normalized: bool, settings: dict[str, Any], expected: Any
) -> None:
    result = tensordbg.diff(references[normalized], in_torch(tmp_path / "b", form, normalized=normalized, **settings))
    assert difference(result) == expected


def difference(result: Comparison) -> tuple[str, object, object]:
    assert result.status == "diverged"
    assert result.first is not None
    (told,) = result.first.difference
    return told.attribute, told.a, told.b


def test_the_run_that_takes_all_rows_is_named(references: dict[Any, Path], tmp_path: Path) -> None:
    result = tensordbg.diff(in_torch(tmp_path / "a", padding_idx=0), references[False])
    assert difference(result) == ("padding_idx", 0, None)
    assert result.first is not None
    assert "aten::embedding of A takes no gradient of row 0 of its table, which 13 of 30" in result.first.explanation


def test_a_row_whose_gradient_is_masked_may_be_left_out(references: dict[Any, Path], tmp_path: Path) -> None:
    other = in_torch(tmp_path / "b", masked=True, padding_idx=0)
    assert tensordbg.diff(references["masked"], other).status == "same"


@pytest.mark.parametrize("settings", [{"padding_idx": 11}, {"scale_grad_by_freq": True}])
def test_settings_that_no_row_is_asked_for_with_change_nothing(
    references: dict[Any, Path], tmp_path: Path, settings: dict[str, Any]
) -> None:
    assert tensordbg.diff(references["once"], in_torch(tmp_path / "b", rows=ONCE, **settings)).status == "same"


def test_an_adam_of_keras_that_squares_what_comes_back_to_a_row_one_by_one(tmp_path: Path) -> None:
    """Rows that a batch looks up several times get smaller steps in Keras, with all settings equal."""
    keras: Any = pytest.importorskip("keras")
    table, head = keras.layers.Embedding(12, 8), torch.nn.Parameter(torch.tensor(HEAD))
    layers = [keras.layers.Input((5,), dtype="int32"), table, keras.layers.GlobalAveragePooling1D()]
    model = keras.Sequential([*layers, keras.layers.Dense(3, use_bias=False)])
    model.set_weights([TABLE, HEAD])
    model.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tensordbg.record(tmp_path / "a"):
        model.fit(ROWS.astype("int32"), LABELS, batch_size=len(ROWS), epochs=2, verbose=0, shuffle=False)
    rows = torch.nn.Parameter(torch.tensor(TABLE))
    optimizer = torch.optim.Adam([rows, head], 0.01, eps=1e-7)
    with tensordbg.record(tmp_path / "b"):
        for _ in range(2):
            optimizer.zero_grad()
            pooled = F.embedding(torch.tensor(ROWS), rows).mean(1)
            F.cross_entropy(pooled @ head, torch.tensor(LABELS)).backward()
            optimizer.step()
    found = tensordbg.diff(tmp_path / "a", tmp_path / "b").first
    assert found is not None
    assert found.explanation.endswith(
        "the optimizer of A squares what comes back to a row one by one, before adding up"
    )
    assert found.suggestion.startswith("have A add it up before")
