"""Findings of a run: errors, origins, warnings and alerts, listed with titles and kept until its traces grow."""
