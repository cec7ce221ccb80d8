"""Counting, listing and drawing n queens."""
