"""Frontrow: search."""
