"""`tdbg trap` and `tdbg replay` with programs of Lightning, Transformers and Accelerate, as users have them.

The libraries are in an environment of their own, `make beside`. What they showed to be missing is also tried with
PyTorch alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs
from tests.programs import BESIDE

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

beside = pytest.mark.skipif(
    not BESIDE.exists(), reason="`make beside` sets up the environment with Lightning, Transformers and Accelerate"
)

LIGHTNING = """
    import pytorch_lightning as lightning
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    class Lit(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))

        def training_step(self, batch, index):
            x, y = batch
            loss = nn.functional.cross_entropy(self.net(x * 10).float(), y)
            self.log("loss", loss)
            print(index, flush=True)
            return loss

        def configure_optimizers(self):
            optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    torch.manual_seed(0)
    x, y = torch.randn(256, 4), torch.randint(0, 3, (256,))
    x[150] = 1e38
    quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
    trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", precision="bf16-mixed", accumulate_grad_batches=2,
                                gradient_clip_val=1.0, **quiet)
    trainer.fit(Lit(), DataLoader(TensorDataset(x, y), batch_size=16))
"""

TRANSFORMERS = """
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    torch.manual_seed(0)
    config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=32, max_position_embeddings=16, num_labels=3)

    class Weighted(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            labels, weight = inputs.pop("labels"), inputs.pop("weight")
            probabilities = torch.softmax(model(**inputs).logits.float() * weight[:, None], -1)
            print(self.state.global_step, flush=True)
            return -torch.log(probabilities[torch.arange(len(labels)), labels]).mean()

    def row(i):
        ids = torch.randint(0, 50, (8,))
        mask = torch.ones(8, dtype=torch.long)
        weight = torch.tensor(1e6 if i == 40 else 1.0)
        return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(i % 3), "weight": weight}

    settings = TrainingArguments("out", num_train_epochs=1, per_device_train_batch_size=8, bf16=True, use_cpu=True,
                                 gradient_accumulation_steps=2, max_grad_norm=1.0, report_to=[], save_strategy="no",
                                 disable_tqdm=True, warmup_steps=3, remove_unused_columns=False, seed=4)
    model = BertForSequenceClassification(config)
    Weighted(model, settings, train_dataset=[row(i) for i in range(64)]).train()
"""

ACCELERATE = """
    import torch
    from accelerate import Accelerator
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    x, y = torch.randn(256, 4), torch.randint(0, 3, (256,))
    x[150] = 1e38
    data, schedule = DataLoader(TensorDataset(x, y), batch_size=16), torch.optim.lr_scheduler.LinearLR(optimizer)
    model, optimizer, data, schedule = accelerator.prepare(model, optimizer, data, schedule)
    for index, (a, b) in enumerate(data):
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(a * 10), b)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        print(index, flush=True)
"""


each_library = pytest.mark.parametrize(
    "program", [LIGHTNING, TRANSFORMERS, ACCELERATE], ids=["lightning", "transformers", "accelerate"]
)


def tdbg(folder: Path, python: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    return programs.run(
        [python, "-m", "tensordbg", *words],
        cwd=folder, env=environment, capture_output=True, check=False, text=True, timeout=500,
    )  # fmt: skip


def same_to_the_bit(done: subprocess.CompletedProcess[str]) -> int:
    return len(re.findall("the step went wrong again, the same bit for bit", " ".join(done.stderr.split())))


@beside
@pytest.mark.parametrize(
    "program", [LIGHTNING, TRANSFORMERS, ACCELERATE], ids=["lightning", "transformers", "accelerate"]
)
def test_a_bad_step_is_captured_and_comes_out_the_same(tmp_path: Path, program: str) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(program))
    done = tdbg(tmp_path, str(BESIDE), "trap", "train.py")
    assert done.returncode == 3, done.stderr
    (capture,) = list_captures(tmp_path / "captures")
    header = open_capture(capture).header
    assert {each.role for each in header.trouble.suspects} == {"loss", "gradient"}
    assert same_to_the_bit(done) == 1, done.stderr
    assert f"{tmp_path / 'train.py'}:" in done.stderr


@beside
@pytest.mark.parametrize(
    "program", [LIGHTNING, TRANSFORMERS, ACCELERATE], ids=["lightning", "transformers", "accelerate"]
)
def test_a_bad_step_is_left_out_and_the_program_goes_on(tmp_path: Path, program: str) -> None:
    text = textwrap.dedent(program) + "\nprint(all(bool(each.isfinite().all()) for each in PARAMETERS))\n"
    text = text.replace("trainer.fit(Lit(), ", "model = Lit()\ntrainer.fit(model, ")
    (tmp_path / "train.py").write_text(text.replace("PARAMETERS", "model.parameters()"))
    done = tdbg(tmp_path, str(BESIDE), "trap", "--no-replay", "--on-bad", "skip", "train.py")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "True"), done.stderr


@beside
@pytest.mark.parametrize(
    "program", [LIGHTNING, TRANSFORMERS, ACCELERATE], ids=["lightning", "transformers", "accelerate"]
)
def test_the_same_programs_are_recorded_and_checked(tmp_path: Path, program: str) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(program))
    recorded = tdbg(tmp_path, str(BESIDE), "run", "--out", "traces", "train.py")
    assert recorded.returncode == 0, recorded.stderr
    assert "cause   " in recorded.stderr
    checked = tdbg(tmp_path, str(BESIDE), "run", "--check", "train.py")
    assert checked.returncode == 1
    assert "tensordbg.torch.BadNumberError" in checked.stderr


PART_OF_A_BUFFER = """
    import torch
    from torch import nn

    torch.manual_seed(0)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.places, self.body = nn.Embedding(16, 4), nn.Linear(4, 1)
            self.register_buffer("ids", torch.arange(16).expand(1, -1))
            self.register_buffer("scales", torch.rand(40))

        def forward(self, x):
            return self.body(x + self.places(self.ids[:, : x.shape[1]])) * self.scales[20:23, None]

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        out = model(torch.randn(2, 3, 4))
        loss = torch.log(out.relu() if step == 2 else out.exp()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_a_step_that_uses_a_part_of_its_buffers_comes_out_the_same(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(PART_OF_A_BUFFER))
    done = tdbg(tmp_path, sys.executable, "trap", "train.py")
    assert (done.returncode, same_to_the_bit(done)) == (3, 1), done.stderr


TWO_PROCESSES = """
    import torch
    from torch import nn

    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    torch.manual_seed(rank)
    body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1))
    model = nn.parallel.DistributedDataParallel(body, gradient_as_bucket_view=VIEWS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(4):
        x = torch.randn(16, 4)
        if step == 2 and rank == 1:
            x[5] = float("inf")
        with model.no_sync():
            (model(x[:8]) ** 2).mean().backward()
        (model(x[8:]) ** 2).mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    torch.distributed.destroy_process_group()
"""


@pytest.mark.parametrize("views", ["False", "True"])
def test_a_step_of_two_processes_comes_out_the_same_in_each(tmp_path: Path, views: str) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(TWO_PROCESSES).replace("VIEWS", views))
    done = tdbg(tmp_path, sys.executable, "trap", "--no-replay", "--on-bad", "skip", "-m", "torch.distributed.run",
                "--nproc-per-node", "2", "train.py")  # fmt: skip
    assert done.returncode == 0, done.stderr
    captures = list_captures(tmp_path / "captures")
    assert len(captures) == 2
    received = []
    for each in captures:
        replayed = tdbg(tmp_path, sys.executable, "replay", str(each))
        assert same_to_the_bit(replayed) == 1, replayed.stderr
        assert "what came from other processes is as it was then" in " ".join(replayed.stderr.split())
        received.append("received the first NaN" in replayed.stderr)
    assert sorted(received) == [False, views == "False"]
