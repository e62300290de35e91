"""Answers about a trace, as pure functions from its tables to dataclasses; knows no framework."""
