"""A `fit` of Lightning that tensordbg records, with a report at the end."""

import warnings

import torch

try:
    import lightning.pytorch as pl
except ImportError:
    import pytorch_lightning as pl

from tensordbg.lightning import Callback

warnings.filterwarnings("ignore")


class Model(pl.LightningModule):
    """One layer."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def training_step(self, batch):
        (x,) = batch
        return -torch.log(torch.relu(self.layer(x))).mean()  # a zero behind `relu` is an infinite loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(0)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 4)), batch_size=8)
quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
callback = Callback()
pl.Trainer(max_epochs=1, accelerator="cpu", callbacks=[callback], **quiet).fit(Model(), data)
