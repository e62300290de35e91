"""Errors of PyTorch as users meet them: which operation it was, what it was given, and where that came from."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"


def said(folder: Path, text: str) -> str:
    """What `tdbg run` says behind the program's own traceback, on one line."""
    program = folder / "train.py"
    program.write_text(HEAD + textwrap.dedent(text))
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(folder / "traces"), str(program)]
    done = programs.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 1, done.stderr
    assert "Traceback (most recent call last)" in done.stderr
    return " ".join(done.stderr.split())


CASES = {
    "a product": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(20, 10), nn.ReLU())
                self.head = nn.Linear(12, 5)

            def forward(self, x):
                h = self.body(x)
                return self.head(h)

        Net()(torch.randn(32, 20))
        """,
        (
            "raised RuntimeError in aten::addmm, train.py:14: mat1 and mat2 shapes cannot be multiplied (32x10",
            "its inputs are head.bias float32[5], h float32[32, 10] and aten::t:0 of head.weight float32[12, 5]",
            "in forward(), in step 0, layer head",
            "shape aten::addmm:0 in layer body.0 made [32, 10] of [10], [32, 20] and [10, 20]",
            "train.py:13 h = self.body(x)",
        ),
    ),
    "a view on the way": (
        """
        conv, head = nn.Conv2d(1, 4, 3), nn.Linear(100, 5)
        h = conv(torch.randn(2, 1, 6, 6)).relu()
        h = h.flatten(1)
        head(h)
        """,
        (
            "h float32[2, 64]",
            "shape aten::view:0 made [2, 64] of [2, 4, 4, 4]",
            "h.flatten(1)",
        ),
    ),
    "gradients of another shape": (
        """
        class Mean(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.n = x.shape[1]
                return x.mean(1)

            @staticmethod
            def backward(ctx, g):
                return g.unsqueeze(0).expand(ctx.n, -1) / ctx.n

        Mean.apply(torch.randn(4, 3, requires_grad=True)).sum().backward()
        """,
        ("raised RuntimeError, train.py:12: Function MeanBackward returned an invalid gradient", "in Mean.backward()"),
    ),
    "in what PyTorch calls": (
        """
        left, w, right = torch.randn(4, 6), torch.randn(6, 5, 3), torch.randn(4, 6)
        torch.einsum("bi,ijk,bj->bk", left, w, right)
        """,
        ("train.py:7: ", "its inputs are left float32[4, 6], w float32[6, 5, 3] and right float32[4, 6]"),
    ),
    "a state that is carried over": (
        """
        lstm = nn.LSTM(4, 8)
        opt = torch.optim.SGD(lstm.parameters(), 0.1)
        state = (torch.zeros(1, 5, 8), torch.zeros(1, 5, 8))
        for step in range(3):
            out, state = lstm(torch.randn(7, 5, 4), state)
            opt.zero_grad()
            out.pow(2).mean().backward(retain_graph=True)
            opt.step()
        """,
        ("which its gradient needs as it was 1 run before the last: what is carried over", "train.py:13 opt.step()"),
    ),
    "while compiling": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(288, 10)

            def forward(self, x):
                return self.fc(x.flatten(1))

        torch.compile(Net(), backend="eager")(torch.rand(2, 8, 8))
        """,
        (
            "raised TorchRuntimeError in layer Net, train.py:12: RuntimeError: a and b must have same",
            "got RuntimeError('a and b must",  # in the program's own traceback, as without us
        ),
    ),
    "parts of one tensor": (
        """
        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = nn.Linear(16, 48)

            def forward(self, batch):
                q, k, v = self.qkv(batch["x"]).chunk(3, dim=-1)
                return (q @ k).softmax(-1) @ v

        Attention()({"x": torch.randn(2, 5, 16)})
        """,
        ("aten::_reshape_alias:0 of q float32[2, 5, 16] and aten::_reshape_alias:0 of k float32[2, 5, 16]",),
    ),
    "what comes out of a dictionary": (
        """
        def fuse(batch):
            return torch.cat([batch["left"] * 2, batch["right"]], dim=1)

        fuse({"left": torch.randn(4, 3, 2), "right": torch.randn(4, 3)})
        """,
        ("its inputs are aten::mul:0 float32[4, 3, 2] and batch['right'] float32[4, 3]",),
    ),
    "a list of which no tensor can be made": (
        """
        def batch(rows):
            return torch.tensor(rows)

        nn.Embedding(10, 4)(batch([[4, 8, 2], [7, 1], [9, 3, 3, 5]]))
        """,
        (
            "raised ValueError, train.py:7: expected sequence of length 3 at dim 1 (got 2); its input rows is 3 lists",
            "its input rows is 3 lists of 3, 2 and 4 elements",
            "train.py:7, in batch()",
        ),
    ),
    "channels": (
        """
        net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(6, 8, 3))
        net(torch.randn(4, 3, 10, 10))
        """,
        (
            "raised RuntimeError in aten::convolution, train.py:7",
            "shape aten::convolution:0 in layer 0 made [4, 8, 8, 8] of [4, 3, 10, 10], [8, 3, 3, 3] and [8]",
        ),
    ),
    "broadcasting": (
        """
        x = torch.randn(8, 6)
        m = x.mean(0)[:4]
        print(x * 2 - m)
        """,
        ("raised RuntimeError in aten::sub, train.py:8", "shape aten::slice:0 made [4] of [6]", "m = x.mean(0)[:4]"),
    ),
    "a size asked for": (
        """
        h = F.max_pool2d(torch.randn(4, 3, 10, 10), 2)
        h.view(4, 300)
        """,
        (
            "raised RuntimeError in aten::view, train.py:7: shape '[4, 300]' is invalid for input of size 300",
            "shape aten::max_pool2d_with_indices:0 made [4, 3, 5, 5] of [4, 3, 10, 10]",
        ),
    ),
    "statistics": (
        "nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(10))(torch.randn(4, 6))",
        ("in layer 0 made [4, 8] of [8], [4, 6] and [8, 6]", "layer 1"),
    ),
    "Python code of PyTorch": (
        """
        net = nn.LSTM(10, 20, batch_first=True)
        x = torch.randn(4, 7, 10)
        x = torch.cat([x, x[..., :2]], -1)
        net(x)
        """,
        (
            "raised RuntimeError in layer LSTM, train.py:9: input.size(-1) must be equal to input_size",
            "shape aten::cat:0 made [4, 7, 12] of [4, 7, 10] and [4, 7, 10]",
        ),
    ),
    "an embedding": (
        """
        emb = nn.Embedding(10, 4)
        ids = torch.tensor([1, 2, 7])
        twice = ids * 2
        emb(twice)
        """,
        (
            "raised IndexError in aten::embedding, train.py:9: index out of range in self; its input twice is",
            "value aten::mul:0 made 14 of 1 to 7 and 2 train.py:8 twice = ids * 2",
        ),
    ),
    "an index": (
        """
        x = torch.arange(12.).reshape(3, 4)
        i = torch.tensor([0, 1]) + 2
        x[i]
        """,
        ("raised IndexError in aten::index, train.py:8", "value aten::add:0 made 3 of 0 to 1 and 2 train.py:7"),
    ),
    "a label": (
        """
        y = torch.arange(8) % 3
        y = y + 1
        F.cross_entropy(nn.Linear(6, 3)(torch.randn(8, 6)), y)
        """,
        (
            "raised IndexError in aten::nll_loss_forward, train.py:8: Target 3 is out of bounds",
            "value aten::add:0 made 3 of 0 to 2 and 1 train.py:7 y = y + 1",
        ),
    ),
    "a label's type": (
        """
        y = torch.arange(8) % 3
        y = y.float()
        F.cross_entropy(nn.Linear(6, 3)(torch.randn(8, 6)), y)
        """,
        ("type aten::_to_copy:0 made float32 of int64 train.py:7 y = y.float()",),
    ),
    "doubles": (
        """
        import numpy as np
        x = torch.from_numpy(np.random.rand(8, 6))
        nn.Linear(6, 3)(x)
        """,
        ("x float64[8, 6] and aten::t:0 of weight float32[6, 3]", "type x came in from Python with float64"),
    ),
    "an index among several": (
        """
        items = nn.EmbeddingBag(40, 4)
        flat = torch.arange(30)
        flat[11] = 42
        items(flat, torch.tensor([0, 10]))
        """,
        ("value aten::copy_:0 made 42 of 0 to 29 and 42 train.py:8 flat[11] = 42",),
    ),
    "a matrix": (
        """
        x = torch.zeros(3, 2)
        k = x @ x.T
        torch.linalg.cholesky(k)
        """,
        (
            "value aten::linalg_cholesky_ex was given aten::mm:0 [3, 3], which is not positive definite",
            "train.py:7 k = x @ x.T",
        ),
    ),
    "a loss without a slope": (
        """
        right = nn.Linear(6, 3)(torch.randn(8, 6)).argmax(1)
        loss = (right == 1).float().mean()
        loss.backward()
        """,
        ("type aten::argmax:0 made int64 of float32, and no gradient goes through that train.py:6",),
    ),
    "written over": (
        """
        p = torch.relu(nn.Linear(6, 3)(torch.randn(8, 6))).exp()
        q = p.sum()
        p += 1
        q = q + p.sum()
        q.backward()
        """,
        (
            "raised RuntimeError in ExpBackward0, train.py:10",
            "of the gradient of aten::exp:0 train.py:6",
            "writes aten::add_:0 wrote over aten::exp:0, which its gradient needs as it was train.py:8 p += 1",
        ),
    ),
    "a parameter written by its optimizer": (
        """
        net = nn.Linear(6, 3)
        opt = torch.optim.SGD(net.parameters(), lr=.1)
        loss = (torch.tanh(net(torch.randn(4, 6))) @ net.weight).sum()
        loss.backward(retain_graph=True)
        opt.step()
        loss.backward()
        """,
        ("wrote over weight, which its gradient needs as it was train.py:10 opt.step()",),
    ),
    "a leaf": (
        """
        w = torch.zeros(3, requires_grad=True)
        w += 1
        """,
        ("raised RuntimeError in aten::add_, train.py:7: a leaf Variable", "its input w is [0, 0, 0]"),
    ),
    "backward twice": (
        """
        loss = (nn.Linear(6, 3)(torch.randn(8, 6)) ** 2).mean()
        loss.backward()
        print(1)
        loss.backward()
        """,
        (
            "raised RuntimeError in PowBackward0, train.py:9: Trying to backward through the graph a second time",
            "before a backward pass went through the graph here",
            "train.py:7 loss.backward()",
        ),
    ),
    "no graph": (
        """
        loss = nn.Linear(6, 3)(torch.randn(8, 6)).detach().sum()
        loss.backward()
        """,
        (
            "raised RuntimeError, train.py:7: element 0 of tensors does not require grad",
            "its input loss is",
            "cut `.detach()` on this line cuts off what the loss was computed from train.py:6",
        ),
    ),
    "numbers that left": (
        """
        out = nn.Linear(6, 3)(torch.randn(8, 6))
        numbers = torch.tensor(out.tolist())
        (numbers ** 2).mean().backward()
        """,
        (
            "cut aten::addmm:0 of train.py:6 left PyTorch as an array and came back as Input:0: no gradient goes",
            "through that train.py:7 numbers = torch.tensor(out.tolist())",
        ),
    ),
    "a loss that Python computed": (
        """
        out = nn.Linear(6, 3)(torch.randn(8, 6))
        loss = torch.tensor(sum(row[0] ** 2 for row in out.tolist()))
        loss.backward()
        """,
        ("cut Input:0 came in from Python as a number, with nothing behind it that is trained train.py:7",),
    ),
    "gradients left off behind a validation": (
        """
        net = nn.Linear(6, 3)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(2):
            loss = (net(torch.randn(8, 6)) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            torch.set_grad_enabled(False)
        """,
        ("the loss was computed from bias here, and no gradient was noted", "train.py:9 loss = (net("),
    ),
    "no gradients asked for": (
        """
        net = nn.Linear(6, 3)
        with torch.no_grad():
            out = net(torch.randn(8, 6))
        (out ** 2).mean().backward()
        """,
        ("here, and no gradient was noted: look for `torch.no_grad()`, or parameters that", "train.py:8 out = net("),
    ),
    "an argument left out": (
        """
        class Mask(nn.Module):
            def forward(self, x, mask):
                return x * mask

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.att = Mask()

            def forward(self, x):
                return self.att(x)

        Net()(torch.arange(3.))
        """,
        (
            "raised TypeError in layer att, train.py:16: Mask.forward() missing 1 required positional argument: 'mask'",
            "its input x is [0, 1, 2]",
        ),
    ),
    "an item": (
        """
        class Rows(torch.utils.data.Dataset):
            def __len__(self): return 10
            def __getitem__(self, i): return torch.zeros(3), [1, 2, 3][i]

        for x, y in torch.utils.data.DataLoader(Rows(), batch_size=2): x.sum()
        """,
        ("raised IndexError, train.py:8: list index out of range", "data this call was for item 3 of Rows"),
    ),
    "an item in a worker": (
        """
        class Rows(torch.utils.data.Dataset):
            def __len__(self): return 10
            def __getitem__(self, i): return torch.zeros(3), [1, 2, 3][i]

        for x, y in torch.utils.data.DataLoader(Rows(), batch_size=2, num_workers=1): x.sum()
        """,
        (
            "raised IndexError, train.py:10: list index out of range (in DataLoader worker process 0)",
            "python __getitem__() raised IndexError: list index out of range",
            "data this call was for item 3 of Rows",
        ),
    ),
    "items of several sizes in a worker": (
        """
        class Rows(torch.utils.data.Dataset):
            def __len__(self): return 10
            def __getitem__(self, i): return torch.ones(5 if i != 7 else 4)

        rows, _ = torch.utils.data.random_split(Rows(), [9, 1])
        for x in torch.utils.data.DataLoader(rows, batch_size=3, shuffle=True, num_workers=1): x.sum()
        """,
        ("data this call was for item 7 of Rows, which has [4] where others have [5] train.py:8 def __getitem__",),
    ),
    "items of several sizes": (
        """
        class Rows(torch.utils.data.Dataset):
            def __len__(self): return 10
            def __getitem__(self, i):
                row = torch.ones(5)
                return row[:3 if i < 3 else 2]

        for x in torch.utils.data.DataLoader(Rows(), batch_size=2): x.sum()
        """,
        ("raised RuntimeError in aten::stack, train.py:12", "shape aten::slice:0 made [2] of [5] train.py:10"),
    ),
    "a product in a backward pass": (
        """
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g):
                return (g * 2) @ ctx.saved_tensors[0]

        Square.apply(torch.randn(3, 4, requires_grad=True)).sum().backward()
        """,
        ("raised RuntimeError in aten::mm, train.py:14", "in backward()"),
    ),
    "raised for another": (
        """
        a = torch.randn(3, 4)
        try:
            a @ a
        except RuntimeError as error:
            raise ValueError("bad shapes") from error
        """,
        ("raised ValueError in aten::mm, train.py:8: bad shapes",),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_raised_and_where_that_came_from(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    told = said(tmp_path, text)
    for words in expected:
        assert words in told, told


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.randn(3)\nraise ValueError('mine')",
        """
        a = torch.randn(3, 4)
        for k in range(100):
            try:
                a @ a
            except RuntimeError:
                pass
        raise ValueError("mine")
        """,
        """
        def load(n):
            if n == 2:
                raise KeyError(n)
            return torch.ones(n) * 2
        print([load(n) for n in range(5)])
        """,
    ],
)
def test_an_error_of_the_programs_own_is_not_explained(tmp_path: Path, text: str) -> None:
    assert " raised " not in said(tmp_path, text)
