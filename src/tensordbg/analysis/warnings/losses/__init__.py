"""Warnings about losses: how they are written, and how they go."""
