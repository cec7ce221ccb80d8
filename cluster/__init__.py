"""Frontrow: cluster."""
