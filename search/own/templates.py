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


GRAPH = '''\
"""Move a tower of n discs from the first peg to another, never a larger disc onto a smaller one."""

from frontrow import StateGraph, parameter

# One class is one puzzle, written as a graph of states; it is explored layer by layer from its start.
#
#     frontrow explore ./{name} n=8                says how many states are how many moves away
#     frontrow explore ./{name} n=3 --until-goal   shows a shortest way to the goal
#     frontrow check ./{name} n=4                  tries out whether the methods fit together


class {kind}(StateGraph):
    """A state is a tuple of integers, here the peg of every disc, the smallest disc first."""

    summary_line = "a tower of n discs and three pegs"

    # The parameters of the question, with their range and a line of help; a plain `n: int` is enough.
    n: int = parameter(low=1, high=20, help="discs")

    # All states have as many integers as the start, each from 0 to 2**bits - 1.
    bits = 2

    # Every move can be undone, so that two layers are enough to tell what is new. Use 0 if no state is ever
    # met in two layers, and leave the line out if you do not know.
    lookback = 2

    def root(self):
        """Where the exploration starts."""
        return (0,) * self.n

    def neighbours(self, state):
        """The states that one move leads to."""
        for disc, peg in enumerate(state):
            smaller = state[:disc]
            if peg not in smaller:
                for other in range(3):
                    if other != peg and other not in smaller:
                        yield (*smaller, other, *state[disc + 1 :])

    # What is below can be left out.

    def is_goal(self, state):
        """Whether this state is what is looked for."""
        return state[0] != 0 and len(set(state)) == 1

    def canonical(self, state):
        """For --symmetry: the state that stands for this one and all that look like it.

        Start and goal have to stay what they are: here the two empty pegs can be exchanged.
        """
        largest = next((peg for peg in reversed(state) if peg), 1)
        return state if largest == 1 else tuple((0, 2, 1)[peg] for peg in state)

    def show(self, state):
        """How a state is drawn."""
        return " ".join("ABC"[peg] for peg in state)

    # A number for each state, if there is a simple one, makes --table rank possible: a bit or two a state.
    #
    # def states(self):
    #     return 3**self.n
    #
    # def rank(self, state):
    #     return sum(peg * 3**disc for disc, peg in enumerate(state))
    #
    # def unrank(self, rank):
    #     return tuple(rank // 3**disc % 3 for disc in range(self.n))
'''

_TEXTS = {"tree": TREE, "graph": GRAPH}


def begun(what: str, stem: str) -> str:
    """A problem that works at once, with comments; the class is named after the file.

    Args:
        what: ``tree`` or ``graph``.
        stem: the file's name without ``.py``.
    """
    words = "".join(letter if letter.isalnum() else " " for letter in stem).split()
    kind = "".join(word[:1].upper() + word[1:] for word in words)
    return (
        _TEXTS[what]
        .replace("{kind}", kind if kind.isidentifier() else "Mine")
        .replace("{name}", f"{stem}.py")
    )
