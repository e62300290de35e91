"""Trouble without a NaN: small rules over how the statistics of tensors went from step to step."""
