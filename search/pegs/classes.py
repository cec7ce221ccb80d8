"""Position classes: what no jump can change.

A jump changes three holes, so modulo 2 it adds the vector of these three. Two positions of which one can be
reached from the other are therefore alike modulo the span of all jumps over GF(2): the rule of three of
M. Reiss (1857), by way of N. G. de Bruijn's "A solitaire game and its relation to a finite field" (1972), for
any board. Put the other way round, a set of holes of which every jump changes an even number keeps the parity
of its pegs.
"""

from collections.abc import Sequence


def conserved(jumps: Sequence[int], holes: int) -> list[int]:
    """Sets of holes, as bits, whose parity of pegs no jump changes; their sums are all there are.

    Args:
        jumps: the holes that each jump changes, as bits.
        holes: how many there are.

    Cost: the jumps times the rank of their span, at most `holes`.
    """
    pivots: dict[int, int] = {}
    for jump in jumps:
        rest = _reduced(jump, pivots)
        if rest:
            pivot = rest.bit_length() - 1
            for other, vector in pivots.items():
                if vector >> pivot & 1:
                    pivots[other] = vector ^ rest
            pivots[pivot] = rest
    free = [hole for hole in range(holes) if hole not in pivots]
    return [
        sum((1 << pivot for pivot, vector in pivots.items() if vector >> hole & 1), 1 << hole)
        for hole in free
    ]


def _reduced(vector: int, pivots: dict[int, int]) -> int:
    for pivot, other in pivots.items():
        if vector >> pivot & 1:
            vector ^= other
    return vector


def witness(sets: Sequence[int], start: int, goal: int) -> int | None:
    """A conserved set, of the fewest holes, whose parity differs in start and goal; None if none does."""
    differing = [held for held in sets if (held & (start ^ goal)).bit_count() % 2]
    return min(differing, key=int.bit_count, default=None)
