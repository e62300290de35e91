"""Measuring tensors on NVIDIA's GPUs where they lie: kernels, and when they are begun with."""
