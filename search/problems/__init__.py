"""Frontrow: search/problems."""
