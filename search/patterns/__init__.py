"""Additive pattern databases of sliding puzzles: the least moves that some tiles take, whatever the rest does.

A pattern is some tiles, and its table holds for every placement of them the least number of their own moves to
their goal cells, wherever the blank is (Korf and Felner 2002). Tables of disjoint patterns add up to a lower
bound. Since placements with the blank in different free regions share an entry, the bound may fall or rise by
more than one from a board to the next: it is admissible, but not consistent (Zahavi, Felner, Schaeffer and
Sturtevant 2007). Its parity is always that of the moves that are left.

A table is named by goal cells and not by tiles, and turned or reflected patterns share one (`pattern.py`). It
has one of two layouts, the same for all tables of a partition:

- `cells`: ``n^k`` entries for k tiles on n cells. The index is the sum of ``n^j * image[cell]`` over the
  pattern's tiles, j being a tile's place among them; moving a tile adds a constant to it, whichever cell it is on.
- `places`: ``C(n, k) * k!`` entries, only what can be. The index is ``rank(set of cells) * k! + order``, where
  order is the lexicographic rank of the tiles as they follow each other by cell. `places.py` has the
  arithmetic; what a search carries for a pattern is a key of both, ``set | order << 40``.

`lookup.py` has the arrays that kernels take, `partition.py` how partitions are named and chosen, `build.py` how
tables are made.
"""
