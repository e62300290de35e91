"""The backends: each hooks into one framework, which is imported nowhere else."""
