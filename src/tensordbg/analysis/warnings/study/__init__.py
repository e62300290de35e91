"""The study that the rules of warnings judge: tensors over the steps, their wiring, and their part in training."""
