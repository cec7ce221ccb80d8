"""One command a table; each compares within one run, since times of different runs do not compare."""
