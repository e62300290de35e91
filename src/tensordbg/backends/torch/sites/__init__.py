"""The sites of operations, and how they are numbered."""
