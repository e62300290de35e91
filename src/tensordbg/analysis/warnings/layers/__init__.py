"""Warnings about layers: units that are dead or at their limits, and layers in the wrong mode."""
