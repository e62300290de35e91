"""A small training by PyTorch's DDP, started once for each process: by Slurm's srun, by torchrun, or by Kubernetes.

One process divides by zero in its tenth step, so that there is something to find; `--fixed` takes that away.
"""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn

STEPS, BAD = 40, 10


def number(*names):
    """The first of some variables of the environment that is set."""
    return int(next(os.environ[name] for name in names if name in os.environ))


def main():
    rank = number("RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX")
    dist.init_process_group("gloo", rank=rank, world_size=number("WORLD_SIZE", "SLURM_NTASKS"))
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.Generator().manual_seed(rank)
    for step in range(STEPS):
        batch = torch.randn(8, 4, generator=data)
        if rank == 1 and step == BAD and "--fixed" not in sys.argv:
            batch[3] = 0.0
        loss = model(batch / batch.norm(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
