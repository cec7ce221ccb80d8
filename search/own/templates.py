"""Files to start from, as ``frontrow new`` writes them."""

TREE = '''\
"""Place n queens on an n by n board so that none attacks another."""

from frontrow import CountingTree, parameter

# One class is one problem, written as a tree; the answer is how many of its nodes are solutions.
#
#     frontrow count ./{name} n=8       counts them
#     frontrow solutions ./{name} n=6   lists them
#     frontrow check ./{name} n=6       tries out whether the methods fit together


class {kind}(CountingTree):
    """A node of the tree is a tuple of integers: the queen's column in each row that is filled."""

    summary_line = "n queens, none attacking another"

    # The parameters of the question, with their range and a line of help; a plain `n: int` is enough.
    n: int = parameter(low=0, high=20, help="rows, columns and queens")

    # Every node has to fit: at most `cells` integers, each from 0 to 2**bits - 1.
    cells, bits = 20, 5

    def root(self):
        """Where the tree begins."""
        return ()

    def children(self, node):
        """What a node leads to, in order; nothing if the node is a leaf."""
        row = len(node)
        if row < self.n:
            for column in range(self.n):
                if all(column != c and abs(column - c) != row - r for r, c in enumerate(node)):
                    yield (*node, column)

    def is_solution(self, node):
        """Whether this node is one of those to be counted."""
        return len(node) == self.n

    # To count more than solutions, name the tallies and say what a node adds to each. A tally is a sum, or a
    # maximum if `maxima` names it:
    #
    # tallies = ("solutions", "nodes", "depth")
    # maxima = ("depth",)
    #
    # def measure_node(self, node):
    #     return self.is_solution(node), 1, len(node)
'''


def tree(stem: str) -> str:
    """A tree that counts at once, with comments; the class is named after the file.

    Args:
        stem: the file's name without ``.py``.
    """
    words = "".join(letter if letter.isalnum() else " " for letter in stem).split()
    kind = "".join(word[:1].upper() + word[1:] for word in words)
    return TREE.replace("{kind}", kind if kind.isidentifier() else "Mine").replace("{name}", f"{stem}.py")
