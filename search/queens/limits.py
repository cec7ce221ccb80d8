"""What the quadrant counter counts and for which boards, said without loading its kernels."""

LEAST, MOST = 2, 28
"""Smallest and greatest board."""
TALLIES = ("m1", "m2", "m3", "m4", "off_centre", "east", "west", "groups", "survivors")
"""Kept solutions by m, those of odd n without a queen in the centre, and figures to check."""
FIGURES = TALLIES[5:]
"""Half boards of either side, groups, and half boards that survive a group's common diagonals."""
ORDERS = ("value", "reversed", "negated")
"""Total orders of sets: as binary numbers, with the bits reversed, from the greatest to the least."""
WORKER_MB = {22: 210, 23: 240, 24: 350, 25: 400, 26: 650, 27: 650, 28: 1100}
"""What a process with one worker takes at most, in MB; docs/quadrants.md."""
WORDS = 3
"""Words a row."""
