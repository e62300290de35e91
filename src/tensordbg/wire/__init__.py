"""The dataclasses of the analysis as JSON, for programs."""
