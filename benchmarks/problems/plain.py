"""The tree of unbalanced.py in plain Python, on tuples."""

from frontrow import CountingTree, parameter

MASK = 2**64 - 1


def mixed(value):
    """Scatter 64 bits (the finisher of splitmix64; Steele, Lea and Flood, OOPSLA 2014)."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


class Plain(CountingTree):
    """Nodes are (size of the subtree, high and low half of the seed, depth)."""

    summary_line = "the unbalanced tree in plain Python"
    tallies = ("nodes", "leaves", "depth")
    maxima = ("depth",)
    cells, bits = 4, 40

    size: int = parameter(low=1, high=2**40, help="nodes of the tree")

    def root(self):
        """The whole tree."""
        return self.size, 0, 1, 0

    def children(self, node):
        """Up to three; the sizes of their subtrees add up."""
        size, high, low, depth = node
        if size == 1:
            return
        seed, below = high << 32 | low, size - 1
        draw = mixed(seed)
        few = min(below, 1 + draw % 200)
        first = below - few if draw >> 54 else max(1, below * 3 // 5)
        second = (below - first) // 2
        for child, part in ((3, first), (2, second), (1, below - first - second)):
            if part:
                scattered = mixed(seed + child & MASK)
                yield part, scattered >> 32, scattered & 0xFFFFFFFF, depth + 1

    def is_solution(self, node):
        """Leaves are."""
        return node[0] == 1

    def measure_node(self, node):
        """A node, perhaps a leaf, and its depth."""
        return 1, node[0] == 1, node[3]
