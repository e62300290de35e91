"""Warnings about gradients and the updates that are made of them."""
