"""One event: what it was computed from, what from it, and its elements."""
