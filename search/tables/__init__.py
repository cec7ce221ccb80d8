"""Visited tables: how the states that were met are kept."""
