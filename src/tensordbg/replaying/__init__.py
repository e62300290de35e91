"""Replays: runs captured steps again, by themselves or by their own program; knows no framework."""
