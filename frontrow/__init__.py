"""Frontrow: exact search of big spaces on a laptop or a Ray cluster.

`frontrow.count("queens", n=16)` counts, `frontrow.solutions("queens", n=6)` lists,
`frontrow.explore("sliding", size="3x3")` grows a graph layer by layer, and
`frontrow.solve("sliding", start=[[1, 2, 3], [4, 5, 6], [7, 0, 8]])` finds a shortest solution.
The names below are loaded when they are first used, so that ``import frontrow`` itself is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontrow.cluster.api import count
    from frontrow.cluster.estimates.estimate import estimate
    from frontrow.cluster.estimates.forecast import Estimate
    from frontrow.cluster.exploration.result import Exploration
    from frontrow.cluster.explore import explore
    from frontrow.cluster.result import Count, Progress, Result
    from frontrow.cluster.solutions import solutions
    from frontrow.cluster.solve import solve
    from frontrow.cluster.solving.result import Solution
    from frontrow.cluster.solving.solver import OutOfLimitError
    from frontrow.search.errors import (
        DisputedError,
        EngineError,
        FrontrowError,
        LimitError,
        ProblemError,
        StoppedError,
        StoreError,
        UnreachableError,
        UsageError,
    )
    from frontrow.search.estimates.interval import Interval
    from frontrow.search.graph import StateGraph
    from frontrow.search.kernel import kernel
    from frontrow.search.parameter import parameter
    from frontrow.search.problem import Countable, Problem, Slice
    from frontrow.search.tree import CountingTree

    __version__: str

_HOMES = {
    "count": "frontrow.cluster.api",
    "estimate": "frontrow.cluster.estimates.estimate",
    "Estimate": "frontrow.cluster.estimates.forecast",
    "Interval": "frontrow.search.estimates.interval",
    "solutions": "frontrow.cluster.solutions",
    "solve": "frontrow.cluster.solve",
    "Solution": "frontrow.cluster.solving.result",
    "explore": "frontrow.cluster.explore",
    "Exploration": "frontrow.cluster.exploration.result",
    "Count": "frontrow.cluster.result",
    "Progress": "frontrow.cluster.result",
    "Result": "frontrow.cluster.result",
    "Countable": "frontrow.search.problem",
    "CountingTree": "frontrow.search.tree",
    "StateGraph": "frontrow.search.graph",
    "Problem": "frontrow.search.problem",
    "Slice": "frontrow.search.problem",
    "kernel": "frontrow.search.kernel",
    "parameter": "frontrow.search.parameter",
    "DisputedError": "frontrow.search.errors",
    "EngineError": "frontrow.search.errors",
    "FrontrowError": "frontrow.search.errors",
    "LimitError": "frontrow.search.errors",
    "OutOfLimitError": "frontrow.cluster.solving.solver",
    "ProblemError": "frontrow.search.errors",
    "StoppedError": "frontrow.search.errors",
    "StoreError": "frontrow.search.errors",
    "UnreachableError": "frontrow.search.errors",
    "UsageError": "frontrow.search.errors",
}

__all__ = [
    "count",
    "estimate",
    "Estimate",
    "Interval",
    "solutions",
    "solve",
    "Solution",
    "explore",
    "Exploration",
    "Progress",
    "Result",
    "Count",
    "Countable",
    "CountingTree",
    "StateGraph",
    "Problem",
    "Slice",
    "kernel",
    "parameter",
    "DisputedError",
    "EngineError",
    "FrontrowError",
    "LimitError",
    "OutOfLimitError",
    "ProblemError",
    "StoppedError",
    "StoreError",
    "UnreachableError",
    "UsageError",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("frontrow")
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, "__version__"])
