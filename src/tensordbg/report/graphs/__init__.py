"""Functions, their graphs and layers as text."""
