"""What the quadrant counter counts and for which boards, said without loading its kernels."""

LEAST, MOST = 2, 28
"""Smallest and greatest board."""
TALLIES = ("m1", "m2", "m3", "m4", "off_centre", "east", "west", "groups", "survivors")
"""Kept solutions by m, those of odd n without a queen in the centre, and figures to check."""
FIGURES = TALLIES[5:]
"""Half boards of either side, groups, and half boards that survive a group's common diagonals."""
ORDERS = ("value", "reversed", "negated")
"""Total orders of sets: as binary numbers, with the bits reversed, from the greatest to the least."""
WORKER_MB = {22: 210, 23: 200, 24: 350, 25: 380, 26: 850, 27: 660, 28: 1000}
"""What a process with one worker was seen to take at most, in MB, over the heaviest units of every k and with
the split of all units in memory; docs/quadrants.md."""
WORDS = 3
"""Words a row."""
