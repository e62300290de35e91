"""The graphs of functions, where it was asked for that they are kept: as Python built them, and as they run."""
