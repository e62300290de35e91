"""Warnings about the size of numbers: growing, shrinking, and at the ends of what their type can hold."""
