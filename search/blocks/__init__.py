"""Sliding block puzzles: pictures of them, and the kernels that move pieces."""
