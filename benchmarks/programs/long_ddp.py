"""A PyTorch training of three processes: one makes a NaN near the end, another has had a wrong parameter for long.

As a number that a processor got wrong would, the change of the parameter stays in one process: all get the same
gradients, so it keeps its parameters apart from the others' to the end.
"""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch import nn

STEPS = int(sys.argv[1])
BAD, WRONG = STEPS - 20, STEPS // 2

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
data = torch.Generator().manual_seed(rank)
for step in range(STEPS):
    batch = torch.randn(8, 4, generator=data)
    if rank == 1 and step == BAD:
        batch[3] = 0.0
    unit = batch / batch.norm(dim=1, keepdim=True)
    loss = ((model(unit) - 1) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 2 and step == WRONG:
        model.module[0].weight.detach().numpy()[2, 1] *= 1.01
dist.destroy_process_group()
