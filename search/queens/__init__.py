"""Frontrow: search/queens."""
