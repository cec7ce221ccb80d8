"""Additive pattern databases of sliding puzzles: the least moves of some tiles, whatever the others do.

A pattern is some tiles, and its table holds for every placement of them the least number of their own moves
to their goal cells, wherever the blank is (Korf and Felner 2002). Tables of disjoint patterns add up to a
lower bound, of the same parity as the moves that are left. Placements with the blank in different free
regions share an entry, the least, so the bound is admissible but not consistent: one move can change it by 7
and more, as on some boards of 3x3. A best-first search has to take up again what it reaches by a shorter way.

A table is named by goal cells and not by tiles, and turned or reflected patterns share one (`pattern.py`). It
has one of two layouts, the same for all tables of a partition:

- `cells`: ``n^k`` entries for k tiles on n cells. The index is the sum of ``n^j * image[cell]`` over the
  pattern's tiles, j being a tile's number among them. Moving a tile adds a constant, wherever it is.
- `places`: ``C(n, k) * k!`` entries, only what can be. The index is ``order * C(n, k) + rank(set of cells)``,
  where order is a number of the tiles as they follow each other by cell. `places.py` has the arithmetic; what
  a search carries for a pattern is a key of both, ``set | order << 40``.

`lookup.py` has the arrays that kernels take, `partition.py` how partitions are named and chosen, `build.py`
how tables are made.
"""
