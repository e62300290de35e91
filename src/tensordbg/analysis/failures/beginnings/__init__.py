"""Finds where the shape, the type or the number came into being on which an operation failed."""
