"""PyTorch programs that train well."""
