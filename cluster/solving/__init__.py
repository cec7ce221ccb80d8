"""Shortest solutions: the job, how it is searched, what it comes to."""
