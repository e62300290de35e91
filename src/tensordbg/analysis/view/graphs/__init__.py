"""Drawings of graphs: a whole function as boxes in boxes, and the neighbourhood of one operation."""
