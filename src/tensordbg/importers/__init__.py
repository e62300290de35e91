"""Importers: what other tools recorded becomes a trace, on which all commands work."""
