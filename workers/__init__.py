"""Frontrow: workers."""
