"""Shortest solutions of sliding puzzles: depth first with rising bounds (IDA*), its heuristics and automaton."""
