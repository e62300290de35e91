"""A `train` of Transformers' Trainer that tensordbg records, with a report at the end."""

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from tensordbg.transformers import Callback

torch.manual_seed(0)
sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
model = BertForSequenceClassification(BertConfig(vocab_size=50, **sizes))
data = [{"input_ids": torch.randint(50, (6,)), "labels": torch.tensor(i % 2)} for i in range(8)]
# The learning rate is far too high.
arguments = TrainingArguments(
    output_dir="output", max_steps=6, per_device_train_batch_size=4, learning_rate=1e38, max_grad_norm=0.0,
    use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True, optim="sgd", lr_scheduler_type="constant",
)  # fmt: skip
callback = Callback()
Trainer(model, arguments, train_dataset=data, callbacks=[callback]).train()
