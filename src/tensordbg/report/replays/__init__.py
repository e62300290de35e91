"""Captured steps and their replays as text."""
