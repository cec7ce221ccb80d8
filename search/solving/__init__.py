"""Shortest solutions of sliding puzzles: search with rising bounds (IDA*), its heuristics and automaton."""
