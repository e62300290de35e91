"""What `why` says of PyTorch programs: small ones as users have them, each with its cause, and such as only look bad.

All run in one process, each into a recording of its own.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.finding import Origin, WhyResult
from tests import programs

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)
nn, F = torch.nn, torch.nn.functional

Program = Callable[[], Any]
PROGRAMS: dict[str, tuple[Program, str]] = {}
"""Each with what it should be found to be: a cause, or nothing."""

HEAD = """
import tensordbg, torch, torch.nn.functional as F
from torch import nn
torch.set_num_threads(1)
"""


def program(found: str) -> Callable[[Program], Program]:
    def note(function: Program) -> Program:
        PROGRAMS[function.__name__] = (function, found)
        return function

    return note


@program("log_of_zero")
def logarithm_of_a_softmax() -> None:
    layer, x = nn.Linear(8, 3), torch.randn(32, 8)
    loss = -torch.log(torch.softmax(layer(x) * 400, -1)).mean()
    loss.backward()
    print(loss.item())


@program("log_of_negative")
def logarithm_to_base_2() -> None:
    print(torch.log2(torch.tensor([1.0, -3.0])).sum().item())


@program("log_of_negative")
def logarithm_of_one_plus() -> None:
    print(torch.log1p(torch.tensor([1.0, -3.0])).sum().item())


@program("division_by_zero")
def zero_by_zero() -> None:
    print((torch.tensor([0.0, 1.0]) / torch.zeros(2)).sum().item())


@program("division_by_zero")
def division_by_a_number_of_the_text() -> None:
    print((torch.tensor([0.0, 1.0]) / 0.0).sum().item())


@program("division_by_zero")
def in_place_and_of_a_list() -> None:
    several = [torch.ones(2), torch.ones(3)]
    torch._foreach_div_(several, [torch.ones(2), torch.zeros(3)])
    print(several[1].sum().item())


@program("division_by_zero")
def unit_vectors_of_zeros() -> None:
    x = torch.zeros(4, 3, requires_grad=True)
    unit = x / x.norm(dim=1, keepdim=True)
    unit.sum().backward()
    print(unit.sum().item())


@program("division_by_zero")
def epsilon_of_adam_in_half_precision() -> None:
    parameter = nn.Parameter(torch.randn(4).half())
    optimizer = torch.optim.Adam([parameter], lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        (parameter[:2] * 1e-4).sum().backward()
        optimizer.step()
    print(parameter.tolist())


@program("infinite_gradient")
def slope_of_a_root_at_zero() -> None:
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    distance = torch.sqrt(((a[:, None] - a[None]) ** 2).sum(-1))
    distance.sum().backward()
    print(a.grad.sum().item())


@program("infinite_gradient")
def slope_in_the_branch_not_taken() -> None:
    x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
    torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x)).sum().backward()
    print(x.grad.tolist())


@program("infinite_gradient")
def slope_of_a_power_at_zero() -> None:
    x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
    (x**0.5).sum().backward()
    print(x.grad.tolist())


@program("root_of_negative")
def variance_by_the_difference_of_squares() -> None:
    print(torch.sqrt(torch.tensor([1.0, -1e-7])).sum().item())


@program("root_of_negative")
def reciprocal_root() -> None:
    print(torch.tensor([1.0, -2.0]).rsqrt_().sum().item())


@program("pow_domain")
def power_of_a_negative_number() -> None:
    print((torch.tensor([1.0, -8.0]) ** (1 / 3)).sum().item())


@program("exp_overflow")
def softmax_by_hand() -> None:
    x = torch.tensor([1.0, 50.0, 100.0], requires_grad=True)
    p = torch.exp(x) / torch.exp(x).sum()
    p[0].backward()
    print(p.sum().item())


@program("fully_masked_softmax")
def key_padding_mask_of_a_whole_row() -> None:
    attention = nn.MultiheadAttention(16, 4, batch_first=True)
    x, padding = torch.randn(3, 5, 16), torch.zeros(3, 5, dtype=torch.bool)
    padding[1] = True
    print(attention(x, x, x, key_padding_mask=padding)[0].sum().item())


@program("fully_masked_softmax")
def masked_scores() -> None:
    q = torch.randn(2, 5, 8, requires_grad=True)
    keep = torch.ones(2, 5, 5, dtype=torch.bool).tril()
    keep[1, 0] = False
    weights = torch.softmax((q @ q.transpose(1, 2)).masked_fill(~keep, float("-inf")), -1)
    loss = (weights @ q).pow(2).mean()
    loss.backward()
    print(loss.item())


@program("zero_times_inf")
def mask_of_infinities() -> None:
    x = torch.tensor([1.0, 5.0, 2.0])
    scores = x.masked_fill(x > 4, float("-inf"))
    print((scores * (x < 4).float()).sum().item())


@program("inf_minus_inf")
def infinities_that_cancel() -> None:
    low = torch.full((3,), float("-inf"))
    print((low - low).sum().item())


@program("no_label_counts")
def every_label_ignored() -> None:
    w, x = torch.randn(8, 5, requires_grad=True), torch.randn(4, 8)
    loss = F.cross_entropy(x @ w, torch.full((4,), -100))
    loss.backward()
    print(loss.item())


@program("deviation_of_one")
def standard_deviation_of_one_row() -> None:
    x = torch.randn(1, 8, requires_grad=True)
    z = (x - x.mean(0)) / (x.std(0) + 1e-5)
    z.sum().backward()
    print(z.sum().item())


@program("reduction_of_nothing")
def mean_of_nothing() -> None:
    x = torch.randn(4)
    print(x[x > 100].mean().item())


@program("half_precision_overflow")
def product_in_half_precision() -> None:
    a, b = torch.randn(8, 64).half() * 200, torch.randn(64, 8).half() * 200
    print((a @ b).sum().item())


@program("cast_overflow")
def cast_to_half_precision() -> None:
    print((torch.ones(3) * 1e5).half().sum().item())


@program("diverging_values")
def learning_rate_too_large() -> None:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=30.0)
    x, y = torch.randn(64, 8), torch.randn(64, 1)
    for _ in range(40):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    print(loss.item())


@program("arithmetic_overflow")
def one_update_too_large() -> None:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e20)
    x, y = torch.randn(64, 8), torch.randn(64, 1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    print(loss.item())


@program("factor_not_finite")
def learning_rate_that_a_schedule_makes_infinite() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / epoch if epoch else float("inf"))
    loss = model(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(model.weight.sum().item())


@program("factor_not_finite")
def learning_rate_of_adam_that_a_warmup_makes_infinite() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, foreach=False)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / step if step else float("inf"))
    loss = model(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(model.weight.sum().item())


@program("diverging_values")
def loss_that_overflows_steps_before_the_weights() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.9)
    x = torch.randn(64, 3) * torch.tensor([1.0, 100.0, 1000.0])
    for _ in range(20):
        optimizer.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        optimizer.step()
    print(loss.item())


@program("diverging_values")
def schedule_that_raises_the_rate() -> None:
    model, x = nn.Linear(4, 1), torch.rand(64, 4)
    optimizer = torch.optim.SGD(model.parameters(), 0.001)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1e4 if step >= 7 else 1)
    for _ in range(40):
        optimizer.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(loss.item())


@program("shrinking_divisor")
def temperature_that_decays() -> None:
    weight, temperature = nn.Parameter(torch.eye(4)), nn.Parameter(torch.tensor(0.1))
    x, y = torch.eye(4) + 0.1, torch.arange(4)
    decayed = {"params": [temperature], "weight_decay": 7.0}
    optimizer = torch.optim.SGD([{"params": [weight]}, decayed], lr=0.1)
    for _ in range(50):
        z = F.normalize(x @ weight, dim=1)
        loss = F.cross_entropy(z @ z.T / temperature, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


@program("singular_matrix")
def determinant_of_a_singular_matrix() -> None:
    print(torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))[1].item())


@program("log_of_zero")
def losses_that_are_summed_in_python() -> None:
    chances, history, total = torch.tensor([0.0, 0.5]), torch.zeros(4), torch.ones(2)
    for step in range(4):
        loss = -torch.log(chances * 0.5**step).sum()
        history[step] = loss.item()
        total = total + loss.item()
    print(history.sum().item(), total.sum().item())


@program("nothing")
def labels_that_fit_in_their_sequences() -> None:
    log_probabilities = torch.randn(6, 2, 5, requires_grad=True).log_softmax(-1)
    lengths = torch.tensor([6, 6]), torch.tensor([3, 2])
    loss = nn.CTCLoss()(log_probabilities, torch.randint(1, 5, (2, 9)), *lengths)
    loss.backward()
    print(loss.item())


@program("impossible_alignment")
def labels_longer_than_their_sequences() -> None:
    log_probabilities = torch.randn(6, 2, 5, requires_grad=True).log_softmax(-1)
    lengths = torch.tensor([6, 6]), torch.tensor([3, 9])
    loss = nn.CTCLoss()(log_probabilities, torch.randint(1, 5, (2, 9)), *lengths)
    loss.backward()
    print(loss.item())


@program("function_domain")
def angle_of_rounded_unit_vectors() -> None:
    print(torch.acos(torch.tensor([1.0000001, 0.5])).sum().item())


@program("bad_input_data")
def bad_row_of_the_data() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, float("nan")]])
    rows = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x), batch_size=1)
    print([nn.Linear(2, 1)(row).sum().item() for (row,) in rows])


@program("bad_variable")
def weights_that_were_loaded_bad() -> None:
    import numpy as np

    layer = nn.Linear(3, 2)
    loaded = {"weight": np.ones((2, 3)), "bias": np.array([0.0, np.nan])}
    layer.load_state_dict({name: torch.from_numpy(each) for name, each in loaded.items()})
    print(layer(torch.ones(4, 3)).square().mean().item())


@program("division_by_zero")
def weight_norm_of_zeros() -> None:
    layer = torch.nn.Linear(3, 2)
    torch.nn.init.zeros_(layer.weight)
    torch.nn.utils.parametrizations.weight_norm(layer)
    print(layer(torch.ones(1, 3)).sum().item())


@program("non_finite_constant")
def infinity_in_the_text() -> None:
    print((torch.ones(3) * float("inf")).sum().item())


@program("nothing")
def causal_mask() -> None:
    mask = torch.full((5, 5), float("-inf")).triu(1)
    q = torch.randn(2, 5, 8, requires_grad=True)
    loss = (torch.softmax(q @ q.transpose(1, 2) + mask, -1) @ q).mean()
    loss.backward()
    print(loss.item())


@program("nothing")
def attention_with_a_mask_of_booleans() -> None:
    q = torch.randn(2, 4, 5, 8, requires_grad=True)
    out = F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(5, 5, dtype=torch.bool).tril())
    out.sum().backward()
    print(out.sum().item())


@program("nothing")
def scale_that_catches_an_overflow() -> None:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**20)
    x, y = torch.randn(64, 8) * 10, torch.randn(64, 1)
    for _ in range(12):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = ((model(x) - y).float() ** 2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(loss.item())


@program("nothing")
def best_so_far() -> None:
    best = float("inf")
    for value in torch.randn(3):
        best = min(best, value.item())
    print(best)


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("causes")
    texts = [HEAD]
    for name, (function, _) in PROGRAMS.items():
        body = textwrap.indent(inspect.getsource(function).partition("\n")[2], "    ")
        texts.append(f"torch.manual_seed(0)\nwith tensordbg.record({str(folder / name)!r}):\n{body}\n    {name}()\n")
    (folder / "programs.py").write_text("\n".join(texts))
    done = programs.run(
        [sys.executable, str(folder / "programs.py")], capture_output=True, check=False, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr
    return folder


def why(folder: Path, name: str) -> WhyResult:
    return tensordbg.open(folder / name).why()


def first(folder: Path, function: Program) -> Origin:
    return why(folder, function.__name__).origins[0]


@pytest.mark.parametrize("name", [name for name, (_, found) in PROGRAMS.items() if found != "nothing"])
def test_the_cause_is_named(traces: Path, name: str) -> None:
    found = [origin for origin in why(traces, name).origins if origin.consequential]
    assert [origin.cause for origin in found] == [PROGRAMS[name][1]], "one trouble is one entry"
    assert found[0].source is not None
    assert found[0].source.file.endswith("programs.py")


@pytest.mark.parametrize("name", [name for name, (_, found) in PROGRAMS.items() if found == "nothing"])
def test_what_only_looks_bad_is_no_trouble(traces: Path, name: str) -> None:
    assert [origin.cause for origin in why(traces, name).origins if origin.consequential] == []


def test_the_softmax_behind_a_logarithm_is_seen(traces: Path) -> None:
    assert "is the output of a softmax" in first(traces, logarithm_of_a_softmax).suggestion


def test_a_gradient_is_told_with_its_forward_operation(traces: Path) -> None:
    found = first(traces, slope_of_a_root_at_zero)
    assert found.explanation.endswith("the slope of a square root is infinite there.")
    assert "under the root" in found.suggestion


def test_an_epsilon_that_half_precision_loses_is_told(traces: Path) -> None:
    assert "1e-8 is below its smallest number" in first(traces, epsilon_of_adam_in_half_precision).suggestion


def test_places_of_rows_are_no_data_far_from_1(tmp_path: Path) -> None:
    layer, x = torch.nn.Linear(6, 1), torch.randn(400, 6)
    optimizer = torch.optim.SGD(layer.parameters(), lr=40.0)
    with tensordbg.record(tmp_path) as recording:
        for _ in range(40):
            rows = torch.randint(100, 400, (32,))
            loss = ((layer(x[rows]) - 1) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    told = tensordbg.open(recording.path).why().origins[0]
    assert (told.cause, "holds numbers" in told.explanation) == ("diverging_values", False)
    assert told.suggestion.startswith("Training diverges. Lower the learning rate")


def test_data_far_from_1_is_told_before_the_learning_rate(traces: Path) -> None:
    unscaled = first(traces, loss_that_overflows_steps_before_the_weights)
    assert "so gradients are large" in unscaled.explanation
    assert unscaled.suggestion.startswith("Training diverges: scale the data to about 1")
    scaled = first(traces, learning_rate_too_large)
    assert "holds numbers" not in scaled.explanation
    assert scaled.suggestion.startswith("Training diverges. Lower the learning rate")


def test_a_rate_that_was_raised_is_told(traces: Path) -> None:
    found = first(traces, schedule_that_raises_the_rate)
    assert "The learning rate went from 0.001 to 10 in step 7, and then" in found.explanation


def test_the_divisor_that_shrank_is_told_and_not_the_learning_rate(traces: Path) -> None:
    found = first(traces, temperature_that_decays)
    assert "The divisor temperature shrank iteration by iteration: " in found.explanation
    assert "`loss = F.cross_entropy(z @ z.T / temperature, y)`" in found.explanation
    assert "learn its logarithm" in found.suggestion


def test_the_update_that_was_too_large_is_named(traces: Path) -> None:
    explanation = first(traces, one_update_too_large).explanation
    assert "The variable weight had grown from" in explanation
    assert "`optimizer.step()`" in explanation
    assert "lower the learning rate" in first(traces, one_update_too_large).suggestion


def test_the_mask_that_begins_it_is_named(traces: Path) -> None:
    assert "(the mask: " in first(traces, masked_scores).explanation


def test_the_ignored_label_is_told(traces: Path) -> None:
    assert "all 4 labels are -100, which is ignored" in first(traces, every_label_ignored).explanation


def test_a_number_of_the_text_is_an_operand(traces: Path) -> None:
    found = first(traces, power_of_a_negative_number)
    assert "exponent 0.3333" in found.explanation
