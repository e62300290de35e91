"""Attributes of a site: how its operation was asked to compute."""
