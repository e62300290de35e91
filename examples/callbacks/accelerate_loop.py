"""A loop with Accelerate that tensordbg records, with a report at the end."""

import torch
from accelerate import Accelerator

from tensordbg.accelerate import Tracker

torch.manual_seed(0)
tracker = Tracker()
accelerator = Accelerator(cpu=True, log_with=[tracker])
accelerator.init_trackers("training")
model = torch.nn.Linear(4, 2)
data = torch.utils.data.DataLoader(torch.randn(32, 4), batch_size=8)
model, optimizer, data = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1), data)
for x in data:
    optimizer.zero_grad()
    loss = -torch.log(torch.relu(model(x))).mean()  # a zero behind `relu` is an infinite loss
    accelerator.backward(loss)
    optimizer.step()
accelerator.end_training()
