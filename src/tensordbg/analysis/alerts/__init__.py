"""Alerts: what is wrong with how a program runs rather than with its numbers."""
