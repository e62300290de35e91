"""The check in code: what raises, where, and what is let pass."""

from __future__ import annotations

import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator

import pytest

import tensordbg.torch
from tensordbg.errors import UsageError

torch = pytest.importorskip("torch")
INF = float("inf")


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    tensordbg.torch.enable_check_numerics()
    yield
    tensordbg.torch.disable_check_numerics()


def raised(run: Callable[[], object]) -> tuple[str, str]:
    """The message, and the text of the line of this file that raised."""
    with pytest.raises(tensordbg.torch.BadNumberError) as found:
        run()
    lines = [
        frame.line or "" for frame in traceback.extract_tb(found.value.__traceback__) if frame.filename == __file__
    ]
    return str(found.value), lines[-1]


def after_a_call() -> None:
    bad = torch.log(torch.zeros(3))
    torch.ones(3) + bad


def after_an_operator() -> None:
    zeros = torch.zeros(3)
    bad = zeros / zeros
    bad.size()


def in_place() -> None:
    zeros = torch.ones(3)
    zeros -= 1
    zeros /= torch.zeros(3)
    zeros += 1


def with_out() -> None:
    out = torch.empty(3)
    torch.log(torch.zeros(3), out=out)
    out += 1


@pytest.mark.parametrize(
    ("run", "op_type", "line"),
    [
        (after_a_call, "aten::log", "bad = torch.log(torch.zeros(3))"),
        (after_an_operator, "aten::div", "bad = zeros / zeros"),
        (in_place, "aten::div_", "zeros /= torch.zeros(3)"),
        (with_out, "aten::log", "torch.log(torch.zeros(3), out=out)"),
    ],
)
def test_it_raises_in_the_line_of_the_operation(run: Callable[[], object], op_type: str, line: str) -> None:
    message, where = raised(run)
    assert f'output 0 of eagerly-executing op "{op_type}" (# of outputs: 1) !!!' in message
    assert where == line


def test_a_gradient_names_its_forward_line() -> None:
    weight = torch.zeros(3, requires_grad=True)
    loss = torch.sqrt(weight).sum()
    message, where = raised(lambda: loss.backward())
    assert "gradient of aten::sqrt, test_checking.py:" in message
    assert "loss = torch.sqrt(weight).sum()" in message
    assert where == "message, where = raised(lambda: loss.backward())"


def test_a_thread_raises_by_itself() -> None:
    found: list[str] = []

    def work() -> None:
        found.append(raised(after_a_call)[1])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["bad = torch.log(torch.zeros(3))"]


def test_the_row_and_the_module_are_told() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())
    batch = torch.ones(8, 4)
    batch[5, 1] = float("nan")
    message, _ = raised(lambda: model(batch))
    assert "First bad element: [5, 0], in row 5 of 8" in message
    assert "Module: 0\n" in message
    assert "1 NaN of 32; the first at [5, 1], in row 5" in message


def softmax_of_a_masked_row() -> None:
    torch.softmax(torch.full((2, 2), -INF), -1)


def difference_of_infinities() -> None:
    infinite = torch.full((2,), INF)
    infinite - infinite


def mean_of_a_placeholder() -> None:
    torch.full((2,), float("nan")).mean()


@pytest.mark.parametrize("run", [softmax_of_a_masked_row, difference_of_infinities, mean_of_a_placeholder])
def test_a_nan_that_is_made_of_what_is_meant_raises(run: Callable[[], object]) -> None:
    assert "NaN" in raised(run)[0]


def masks() -> object:
    causal = torch.full((4, 4), -INF).triu(1)
    scores = torch.randn(2, 4, 4) + causal
    scores = scores.masked_fill(torch.eye(4).bool() & False, -INF)
    return torch.softmax(scores, -1), torch.logsumexp(causal, -1), torch.nn.functional.log_softmax(scores, -1)


def numbers_of_the_program() -> object:
    best = torch.tensor(INF)
    best = torch.minimum(best, torch.tensor(3.0))
    kept = torch.full((3,), float("nan"))
    kept[1] = 2.0
    return best + 1, torch.nanmean(kept), kept.clone().to(torch.float64)


def questions() -> object:
    bad = torch.tensor([float("nan"), INF, 1.0])
    return str(bad), bad.isfinite(), bad.isnan(), torch.isinf(bad), torch.nan_to_num(bad), bad.isclose(bad)


def what_nobody_wrote() -> object:
    room = torch.empty(1000)
    room[:3] = 2.0
    return room[:3] * 2, torch.empty(3).uniform_(), torch.empty_like(room).copy_(torch.zeros(1000))


def truncated() -> object:
    weights = torch.full((64, 64), 0.0)
    return [torch.nn.init.trunc_normal_(weights, std=0.02) for _ in range(20)]


def attention() -> object:
    x = torch.randn(2, 6, 8, requires_grad=True)
    padded = torch.zeros(2, 6, dtype=torch.bool)
    padded[1, 3:] = True
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    causal = torch.nn.Transformer.generate_square_subsequent_mask(6) != 0
    layer(x, src_mask=causal, src_key_padding_mask=padded).sum().backward()
    return torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).sum().backward()


def transforms() -> object:
    square = torch.func.vmap(torch.func.grad(lambda x: (x * x).sum()))
    return square(torch.ones(3, 2))


def shapes_alone() -> object:
    torch.use_deterministic_algorithms(mode=True)  # then memory that nobody has written holds NaN
    try:
        return torch.mm(torch.ones(3, 4), torch.ones(4, 2, device="meta")).isnan().all().item()
    finally:
        torch.use_deterministic_algorithms(mode=False)


WITH_ZERO = torch.tensor([0.5, 0.0])


def chosen() -> object:
    logs = torch.log(WITH_ZERO)
    kept = WITH_ZERO.clone()
    kept[WITH_ZERO > 0] = logs[WITH_ZERO > 0]
    twice = (logs * 2).masked_fill(logs == -INF, 0.0)
    one = torch.where(WITH_ZERO > 0, logs, 0.0).sum().item()
    return one, kept, twice.tolist(), torch.nan_to_num(1 / WITH_ZERO).numpy(), logs.masked_select(WITH_ZERO > 0).max()


@pytest.mark.parametrize(
    "run",
    [
        masks,
        numbers_of_the_program,
        questions,
        what_nobody_wrote,
        truncated,
        attention,
        transforms,
        chosen,
        shapes_alone,
    ],
)
def test_what_is_meant_passes(run: Callable[[], object]) -> None:
    run()


@pytest.mark.parametrize(
    "take",
    [
        lambda chosen: chosen.item(),
        lambda chosen: chosen.numpy(),
        lambda chosen: chosen.tolist(),
        lambda chosen: chosen > 0,
        lambda chosen: torch.zeros(()).copy_(chosen),
        lambda chosen: str(chosen),
        lambda chosen: (chosen * torch.ones((), requires_grad=True)).backward(),
        lambda chosen: torch.exp(chosen).item(),
    ],
)
def test_what_is_chosen_and_taken_names_where_it_was_made(take: Callable[[object], object]) -> None:
    def choose() -> object:
        logs = torch.log(WITH_ZERO)
        return torch.where(WITH_ZERO < 1, logs, 0.0).sum()

    chosen = choose()
    message, where = raised(lambda: take(chosen))
    assert where != "logs = torch.log(WITH_ZERO)"
    assert 'op "aten::log"' in message
    assert "choose: logs = torch.log(WITH_ZERO)" in message


def test_the_gradient_of_what_is_not_chosen_is_found() -> None:
    weight = WITH_ZERO.clone().requires_grad_()
    loss = torch.where(weight > 0, torch.log(weight), 0.0).sum()
    assert "gradient of aten::log" in raised(lambda: loss.backward())[0]


def test_what_comes_from_outside_as_a_mask_passes() -> None:
    tensordbg.torch.disable_check_numerics()
    made_before = torch.ones(3, 3).tril().log()
    tensordbg.torch.enable_check_numerics()
    torch.softmax(torch.randn(3, 3) + made_before, -1)


def test_a_debugger_goes_on_behind_it() -> None:
    """Python's own sign that an exception waits is gone with it: while that stays, a traced line of 3.11 never ends."""
    program = """
import faulthandler, sys, torch, tensordbg.torch
faulthandler.dump_traceback_later(60, exit=True)
tensordbg.torch.enable_check_numerics()
infinite = torch.full((2,), float("inf"))
try:
    infinite - infinite
except tensordbg.torch.BadNumberError as error:
    assert error.__traceback__.tb_next is None
tensordbg.torch.disable_check_numerics()
def traced():
    number = 1
    number += 1
    return number
sys.settrace(lambda *_: lambda *_: None)
traced()
sys.settrace(None)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_inside_vmap_too() -> None:
    assert "aten::log" in raised(lambda: torch.func.vmap(torch.log)(torch.zeros(3, 2)))[0]


def test_rules_let_pass() -> None:
    tensordbg.torch.enable_check_numerics(allow=[{"op": "aten::log"}])
    assert torch.log(torch.zeros(2))[0] == -INF
    tensordbg.torch.enable_check_numerics(allow=[{"line": "test_checking.py", "nan": True}])
    difference_of_infinities()
    tensordbg.torch.enable_check_numerics()
    raised(difference_of_infinities)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_generated_code_names_the_lines_of_the_program(backend: str) -> None:
    def forward(x: object) -> object:
        shifted = x - 1
        return torch.log(shifted) + 1

    def backward(x: object) -> object:
        doubled = x * 2
        return torch.sqrt(doubled).sum() + 1

    message, _ = raised(lambda: torch.compile(forward, backend=backend)(torch.ones(3)))
    assert "forward: return torch.log(shifted) + 1" in message
    loss = torch.compile(backward, backend=backend)(torch.zeros(3, requires_grad=True))
    message, where = raised(lambda: loss.backward())
    assert "sqrt, test_checking.py:" in message
    assert "backward: return torch.sqrt(doubled).sum() + 1" in message
    assert where == "message, where = raised(lambda: loss.backward())"


def test_code_that_inductor_made_is_told_from_that_of_the_program() -> None:
    made = compile("torch.log(torch.zeros(3))", "/tmp/torchinductor_me/ab/cab.py", "exec")
    message, _ = raised(lambda: exec(made, {"torch": torch}))
    assert 'message, _ = raised(lambda: exec(made, {"torch": torch}))\n' in message
    assert "with TORCHDYNAMO_DISABLE=1 the first such operation is named" in message


def test_a_fault_of_ours_ends_the_checking_and_lets_the_program_be(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tensordbg.backends.torch.check.checking.in_program", lambda *_: 1 // 0)
    after_a_call()
    assert "checking stopped: looking at an operation failed with ZeroDivisionError(" in capfd.readouterr().err


def test_a_setting_that_is_none() -> None:
    with pytest.raises(UsageError, match="stack_height_limit is -1, but must be a number from 0 on"):
        tensordbg.torch.enable_check_numerics(stack_height_limit=-1)


def test_it_ends() -> None:
    tensordbg.torch.disable_check_numerics()
    after_a_call()
    after_an_operator()


def scaled(scale: float) -> object:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    for _ in range(3):
        optimizer.zero_grad()
        scaler.scale((weight.half() * 30).float().sum()).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([weight], 1.0)
        scaler.step(optimizer)
        scaler.update()
    return weight


def test_an_overflow_that_a_scaler_catches_passes() -> None:
    assert bool(scaled(2.0**12).isfinite().all())


def test_one_that_the_program_hands_to_its_optimizer_raises() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
    scaler.scale((weight.half() * 30).float().sum()).backward()
    message, where = raised(lambda: optimizer.step())
    assert "gradient of aten::mul, test_checking.py:" in message
    assert where == "message, where = raised(lambda: optimizer.step())"
    assert weight.tolist() == [1.0, 1.0]
