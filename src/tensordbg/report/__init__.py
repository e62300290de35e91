"""Text and tables for the terminal, from the dataclasses of the analysis."""
