"""Whether two runs of the same exploration found the same."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from frontrow.cluster.exploration.result import Layer
from frontrow.search.errors import DisputedError


def check_same(layers: Sequence[Layer], earlier: Mapping[str, Any] | None) -> None:
    """Compare layers with the answer that an earlier run came to, if there is one.

    Raises:
        DisputedError: if they differ.
    """
    if earlier is None:
        return
    before = [Layer.from_json(values).findings for values in earlier["layers"]]
    now = [layer.findings for layer in layers]
    for depth, (expected, found) in enumerate(itertools.zip_longest(before, now)):
        if found != expected:
            raise DisputedError(
                f"layer {depth}: found {found}, expected {expected} as in the earlier run "
                "(states, boards, paths, goals, paths to goals)"
            )
