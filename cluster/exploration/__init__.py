"""Explorations: layers of a graph over sharded tables, checkpoints, shortest ways."""
