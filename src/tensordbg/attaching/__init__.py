"""Findings, warnings and the report of a trace, attached to a run of Weights & Biases, MLflow or TensorBoard."""
