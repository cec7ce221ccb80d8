"""Breadth-first solving: an exploration that ends at the goal's layer and tells the first shortest way."""

import numpy as np

from frontrow.cluster.exploration.run import ExploreRun
from frontrow.cluster.solving.choice import Choice
from frontrow.cluster.solving.result import Found
from frontrow.cluster.solving.wanted import Wanted
from frontrow.search.errors import DisputedError, FrontrowError
from frontrow.search.problems.sliding import Sliding
from frontrow.search.rows import Rows
from frontrow.search.solving.astar import Ways, among
from frontrow.search.solving.replay import checked


class BreadthRun(ExploreRun):
    """An exploration until the goal whose answer is a solution."""

    def set_solving(self, problem: Sliding, wanted: Wanted, choice: Choice) -> None:
        """Say what is solved; before `run`."""
        self._problem, self._solving, self._chosen = problem, wanted, choice

    @property
    def depth(self) -> int:
        """The last finished layer; -1 before the first."""
        return len(self._layers) - 1

    @property
    def expanded(self) -> int:
        """Boards of the finished layers."""
        return self._states()

    def _conclude(self) -> None:
        depth = self.depth
        if not self._layers[-1].goals:
            raise FrontrowError(f"layer {depth}: found no goal in the last layer, expected one")
        ways = Ways(self._problem, depth, self._in_layer)
        moves = self._names(ways.first())
        checked(self._problem.shape, self._problem.start_board, self._problem.goal_board, moves)
        every = self._solving.every
        found = Found(
            moves=moves,
            optimal=True,
            lower=depth,
            upper=depth,
            expanded=self.expanded,
            method=self._chosen.method,
            heuristic="",
            why=f"{self._chosen.why}; {self._choice.why}",
            solutions=ways.count() if every else None,
            listed=tuple(map(self._names, ways.listed(self._solving.listed))) if every else (),
        )
        earlier = self._store.earlier_answer(self._job.id)
        if earlier is not None and earlier["moves"] != list(moves):
            raise DisputedError(f"moves: found {len(moves)}, expected those of the earlier run")
        self._store.set_seconds(self._job.id, self._epoch, self._seconds(), self._setup())
        self._store.finish(self._job.id, self._epoch, "done", answer=found.to_json())
        self._saving.remove()

    def _names(self, way: Rows) -> tuple[str, ...]:
        return tuple(self._problem.move_names(way))

    def _in_layer(self, moves: int, near: Rows) -> Rows:
        """Those of some rows that are in a layer."""
        if self._trail is not None:
            return among(near, self._trail.rows(moves))
        kept: Rows = near[np.asarray(self._groups.current.depths(near)) == moves % 3]
        return kept
