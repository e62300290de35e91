"""Makes the capture that lies beside it; for a machine with a GPU of NVIDIA's.

    python step.py FOLDER

A step of layers for which a GPU has kernels of its own: attention in float16, cells and layers of LSTM and GRU, and
batch normalization. A label is NaN. `norms.json` gets what the step computes there when the label is 0.5 instead.
"""

import json
import sys
from pathlib import Path

import torch
from torch import nn

import tensordbg
from tensordbg.backends.torch.replay.replayer import Replayer
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.plan import ReplayPlan


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(6, 96)
        self.normal = nn.BatchNorm1d(32)
        self.lstm_cell = nn.LSTMCell(32, 8)
        self.gru_cell = nn.GRUCell(8, 8)
        self.lstm = nn.LSTM(8, 8, 2, batch_first=True)
        self.gru = nn.GRU(8, 8, bidirectional=True)
        self.leave = nn.Linear(16, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cuda", dtype=torch.float16):
            query, key, value = self.enter(x).reshape(-1, 8, 3, 4, 8).permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = self.normal(seen.transpose(1, 2).flatten(2).mean(1).float())
        x, _ = self.lstm_cell(x)
        x = self.gru_cell(x)
        x, _ = self.lstm(x[:, None].expand(-1, 3, -1))
        x, _ = self.gru(x)
        return self.leave(x[:, -1])


def main() -> None:
    torch.manual_seed(0)
    net = Net().cuda()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, fused=True)
    with tensordbg.trap(sys.argv[1], on_bad="skip") as trap:
        for step in range(2):
            x, labels = torch.randn(4, 8, 6, device="cuda"), torch.randn(4, 3, device="cuda")
            if step == 1:
                labels[2, 1] = torch.nan
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), labels)
            loss.backward()
            optimizer.step()
    (place,) = trap.captures
    replayer = Replayer(open_capture(place), ReplayPlan(str(place), changes=("set labels=0.5",)))
    norms = {each.name: each.norm for each in replayer.run(replayer.arguments)}
    (Path(sys.argv[1]) / "norms.json").write_text(json.dumps(norms, indent=1))


if __name__ == "__main__":
    main()
