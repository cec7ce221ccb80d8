"""What the quadrant counter counts and for which boards, said without loading its kernels."""

LEAST, MOST = 2, 28
"""Smallest and greatest board."""
TALLIES = ("m1", "m2", "m3", "m4", "off_centre", "east", "west", "groups", "survivors")
"""Kept solutions by m, those of odd n without a queen in the centre, and figures to check."""
FIGURES = TALLIES[5:]
"""Half boards of either side, groups, and half boards that survive a group's common diagonals."""
ORDERS = ("value", "reversed", "negated")
"""Total orders of sets: as binary numbers, with the bits reversed, from the greatest to the least."""
WORDS = 3
"""Words a row."""
