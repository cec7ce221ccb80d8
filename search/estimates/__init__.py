"""Estimates before a run: sampled units, random probes, intervals that hold."""
