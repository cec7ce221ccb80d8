"""Totals that a stranger can check: exports, audits, second computations."""
