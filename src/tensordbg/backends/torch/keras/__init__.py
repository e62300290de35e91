"""Keras on PyTorch: what its layers and optimizers do otherwise than PyTorch's own."""
