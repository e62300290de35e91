"""Executions over time: when and where they ran, by themselves or counted in bins."""
