"""Causes of bad results: small rules over the statistics of what went into an operation and what came out."""
