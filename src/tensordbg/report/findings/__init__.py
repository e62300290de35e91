"""Findings in words: origins, failures, warnings and alerts, for the terminal, a notebook and an issue tracker."""
