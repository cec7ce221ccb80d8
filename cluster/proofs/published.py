"""Totals that others have published, to compare with: a wrong one that was forged well is found at once.

Solutions of the n-queens problem for n = 0 to 27: OEIS A000170 (https://oeis.org/A000170); those up to
rotation and reflection: OEIS A002562 (https://oeis.org/A002562). The total of n = 27 is that of Preusser and
Engelhardt, Putting Queens in Carry Chains, No. 27 (Journal of Signal Processing Systems 88, 2017).
"""

from collections.abc import Mapping

from frontrow.search.registry import ProblemRef

SOURCES = {"solutions": "OEIS A000170", "unique": "OEIS A002562"}
"""Where the published values are from, by the name of the value."""

_SOLUTIONS = (
    *(1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104),
    *(666090624, 4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736),
    *(2207893435808352, 22317699616364044, 234907967154122528),
)
_UNIQUE = (
    *(1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752, 285053, 1846955, 11977939, 83263591),
    *(621012754, 4878666808, 39333324973, 336376244042, 3029242658210, 28439272956934, 275986683743434),
    *(2789712466510289, 29363495934315694),
)


def published(ref: ProblemRef) -> Mapping[str, int]:
    """The values of a question that are published, by name; empty for a question of which none are."""
    params = ref.params()
    if ref.source or ref.name != "queens" or params.get("fixed"):
        return {}
    n = params["n"]
    return {"solutions": _SOLUTIONS[n], "unique": _UNIQUE[n]} if n < len(_SOLUTIONS) else {}
