"""Sliding puzzles: shapes and boards, rows and moves, ranks and sweeps, symmetries."""
