"""`tdbg run --check` with PyTorch programs as users have them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HEAD = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\ntorch.set_num_threads(1)\n"


def run(folder: Path, text: str, *, checked: bool = True) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(HEAD + textwrap.dedent(text))
    start = ["-m", "tensordbg", "run", "--check"] if checked else []
    return programs.run(
        [sys.executable, *start, "train.py"], cwd=folder, capture_output=True, check=False, text=True, timeout=500
    )


def line_of(text: str, words: str) -> int:
    lines = (HEAD + textwrap.dedent(text)).splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


LOSS = """
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
    for step in range(3):
        optimizer.zero_grad()
        probs = torch.softmax(model(x) * 400, -1)
        loss = -torch.log(probs[torch.arange(32), y]).mean()
        loss.backward()
        optimizer.step()
"""

SLOPE = """
    class Distance(nn.Module):
        def forward(self, a, b):
            return torch.sqrt(((a - b) ** 2).sum(-1))

    model = nn.Linear(4, 4)
    distance = Distance()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for step in range(4):
        x = torch.randn(5, 4)
        if step == 2:
            x[3] = x[1]
        z = model(x)
        loss = distance(z, z[[1, 2, 3, 1, 2]]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step)
"""


def place_in(said: str) -> str:
    """The line of the end that tells where."""
    (line,) = (each for each in said.splitlines() if each.startswith("tdbg: at "))
    return line


def test_the_loss_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, LOSS)
    assert done.returncode == 1
    assert f"(L{line_of(LOSS, 'torch.log')}) <module>: loss = -torch.log(" in place_in(done.stderr)
    allowed = f'let it pass with allow = [{{line = "train.py:{line_of(LOSS, "torch.log")}"}}]'
    assert allowed in done.stderr.splitlines()[-1]
    assert f'train.py", line {line_of(LOSS, "torch.log")}, in <module>' in done.stderr


def test_a_gradient_is_named_by_its_forward_line(tmp_path: Path) -> None:
    done = run(tmp_path, SLOPE)
    assert (done.returncode, done.stdout) == (1, "0\n1\n")
    line = line_of(SLOPE, "torch.sqrt")
    assert f"gradient of aten::sqrt, train.py:{line}: 1 Inf\n" in done.stderr
    assert f"(L{line}) forward: return torch.sqrt(" in place_in(done.stderr)


WELL = """
    import sys
    import threading

    seen = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
    net = nn.Sequential(seen, nn.Flatten(), nn.Linear(36, 3))
    rnn, head = nn.LSTM(4, 8), nn.Linear(8, 1)
    judge = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(), nn.Dropout(), nn.Linear(8, 1))
    first = torch.optim.Adam([*net.parameters(), *rnn.parameters(), *head.parameters()], foreach=True)
    second = torch.optim.LBFGS(judge.parameters(), max_iter=2)
    for step in range(3):
        image, series = torch.randn(6, 1, 8, 8), torch.randn(5, 6, 4)
        for part in image.chunk(2):
            made = net(part)
            chosen = torch.distributions.Categorical(logits=made).sample()
            loss = nn.functional.cross_entropy(made, chosen) - judge(made).mean()
            labels, lengths = torch.ones(6, 3, dtype=torch.long), torch.tensor([3] * 6)
            written = nn.functional.ctc_loss(rnn(series)[0].log_softmax(-1), labels, lengths + 2, lengths)
            (loss + written + head(rnn(series)[0][-1]).square().mean()).backward()

        def closure():
            second.zero_grad()
            real = nn.functional.softplus(-judge(torch.randn(6, 3))).mean()
            real.backward()
            return real

        second.step(closure)
        first.step()
        first.zero_grad()
        print([float(p.double().sum()).hex() for p in (*net.parameters(), *rnn.parameters(), *judge.parameters())])
    sys.exit(7)
"""


def test_a_program_without_trouble_computes_the_same(tmp_path: Path) -> None:
    done, plain = run(tmp_path, WELL), run(tmp_path, WELL, checked=False)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) == (7, plain.stdout)
    assert plain.stdout
    assert not [line for line in done.stderr.splitlines() if line.startswith("tdbg: ") and "building" not in line]


WORKERS = """
    import numpy
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, row):
            return torch.log(torch.ones(2) * (row - 5))

    if __name__ == "__main__":
        for batch in DataLoader(Rows(), 4, num_workers=1, multiprocessing_context="fork"):
            print(len(batch), flush=True)
"""


def test_a_worker_of_a_loader_hands_it_on(tmp_path: Path) -> None:
    done = run(tmp_path, WORKERS)
    assert done.returncode == 1
    assert "BadNumberError: Caught BadNumberError in DataLoader worker process 0." in done.stderr
    assert 'op "aten::log"' in done.stderr


def test_rules_of_the_project_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tensordbg]\nallow = [{op = "aten::log", nan = true}]\n')
    done = run(tmp_path, "print(torch.log(torch.tensor([0.0, -1.0])) + 1)")
    assert (done.returncode, done.stdout) == (0, "tensor([-inf, nan])\n")


def test_without_a_compiler_the_program_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\nprint('ran')\n")
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "tensordbg", "run", "--check", "train.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=500,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("tdbg: error: there is no C++ compiler (c++, g++ or clang++), with ")


def test_without_a_compiler_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-compiler-here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = run(tmp_path, LOSS)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "tdbg: error: CXX=no-compiler-here is no command, with which the check of PyTorch is built; "
    )
    assert line.endswith("`tdbg run` without --check records the program without a compiler, too")
