"""Frontrow: exact search of big spaces on a laptop or a Ray cluster."""
