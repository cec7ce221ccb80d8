"""Shortest ways: layers are kept while they are made, and walked back from the goal."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from frontrow.cluster.exploration.checkpoint import Checkpoints, discard, make_folder
from frontrow.cluster.exploration.result import Layer, Way
from frontrow.search.errors import FrontrowError, StoreError
from frontrow.search.graph import StateGraph, Symmetry
from frontrow.search.rows import Rows
from frontrow.workers.file import replacing
from frontrow.workers.group import ShardGroup
from frontrow.workers.records import Kind, RecordReader, RecordWriter

IN_MEMORY = 32 << 20
"""Bytes of layers that are kept in memory; those after them go to the disk."""


class Trail:
    """The rows of every layer, in memory while they are few, else on the disk."""

    def __init__(self, folder: Path, job: str) -> None:
        """Args: folder: where layers go that do not fit into the memory; job: whose they are."""
        self._folder, self._job = folder, job
        self._held: dict[int, list[Rows]] = {}
        self._stored = set[int]()
        """Depths of layers on the disk that are known to be intact."""
        self._nbytes = 0

    def add(self, depth: int, nbytes: int, blocks: Iterator[Rows]) -> None:
        """Keep a layer of so many bytes, in place of one of this depth that is kept already."""
        if depth in self._held:
            return  # of a run that lost a shard
        if self._nbytes + nbytes > IN_MEMORY:
            self._store(depth, blocks)
            return
        self._held[depth] = [rows.copy() for rows in blocks]
        self._nbytes += nbytes

    def save(self) -> None:
        """Put all layers on the disk, so that a later run has them."""
        for depth, blocks in self._held.items():
            if depth not in self._stored:
                self._store(depth, iter(blocks))

    @property
    def unstored(self) -> int:
        """Bytes that `save` would put on the disk, about."""
        held = (blocks for depth, blocks in self._held.items() if depth not in self._stored)
        return sum(rows.nbytes for blocks in held for rows in blocks)

    def _store(self, depth: int, blocks: Iterator[Rows]) -> None:
        write_layer(self._path(depth), self._job, depth, blocks)
        self._stored.add(depth)

    def forget(self, depth: int) -> None:
        """Take no file from a depth on for known: these layers are made again, and the files may be gone."""
        self._stored = {each for each in self._stored if each < depth}

    def check(self, layers: Sequence[Layer]) -> None:
        """See to it that all of some layers are there, intact; those that were seen once are not read again.

        Raises:
            StoreError: if one is missing or damaged, or is something else.
        """
        for layer in layers:
            depth = layer.depth
            if depth in self._held or depth in self._stored or not layer.states:
                continue
            found = sum(rows.shape[0] for rows in self.rows(depth))
            if found != layer.states:
                raise StoreError(f"{self._path(depth)}: found {found:,} states, expected {layer.states:,}")
            self._stored.add(depth)

    def rows(self, depth: int) -> Iterator[Rows]:
        """The rows of a layer."""
        if depth in self._held:
            return iter(self._held[depth])
        return read_layer(self._path(depth), self._job, depth)

    def _path(self, depth: int) -> Path:
        return self._folder / Checkpoints.trail_name.format(depth)


def write_layer(path: Path, job: str, depth: int, blocks: Iterator[Rows]) -> None:
    """Write the rows of a layer to a file of their own; it appears when it is complete.

    Raises:
        FrontrowError: if it cannot be written.
    """
    make_folder(path.parent)
    if path.is_dir():
        discard(path)
    with replacing(path, "trail", plain=True) as file:
        writer = RecordWriter(file, Kind.CHECKPOINT)
        writer.write({"job": job, "depth": depth})
        for rows in blocks:
            writer.write({"rows": rows})


def read_layer(path: Path, job: str, depth: int) -> Iterator[Rows]:
    """The rows that `write_layer` wrote.

    Raises:
        StoreError: if the file is missing, damaged or something else.
    """
    with RecordReader(path, Kind.CHECKPOINT) as reader:
        head = None
        for record in reader:
            if head is None:
                head = record.value
                if (head.get("job"), head.get("depth")) != (job, depth):
                    found = f"found layer {head.get('depth')} of job {head.get('job')}"
                    if "depth" not in head:
                        found = "found a file of something else"
                    raise reader.error(record.offset, found, f"layer {depth} of job {job}")
                continue
            if not isinstance(record.value.get("rows"), np.ndarray):
                raise reader.error(record.offset, "found a record without rows", "rows of a layer")
            yield record.value["rows"]


def walk_back(
    graph: StateGraph, symmetry: Symmetry | None, goal: tuple[int, ...], depth: int, trail: Trail | ShardGroup
) -> Way:
    """One shortest way from the start to a goal: of all the first, compared row by row from the goal on.

    Args:
        graph: the problem.
        symmetry: its symmetries, if states are taken up to these.
        goal: a goal of the last layer.
        depth: of that layer.
        trail: the layers before it; or rank tables that know depths mod 3.

    Raises:
        FrontrowError: if a layer does not fit the next one.
    """
    row = np.array([goal], np.uint64)
    classes = [row]
    for before in reversed(range(depth)):
        if isinstance(trail, Trail):
            found = _parent_in(graph, symmetry, row, trail.rows(before))
        else:
            near = _canonical(symmetry, graph.expand(row)[0])
            found = _least(near[trail.depths(near) == before % 3])
        if found is None:
            raise FrontrowError(
                f"layer {before}: found no state before {graph.render(row[0])!r}, expected one"
            )
        row = found
        classes.append(row)
    return _walk(graph, symmetry, classes[::-1])


def _canonical(symmetry: Symmetry | None, rows: Rows) -> Rows:
    return rows if symmetry is None else symmetry.canonical(rows)


def _least(rows: Rows) -> Rows | None:
    """The least of some rows, shape ``(1, words)``; None of none."""
    return np.array([min(map(tuple, rows.tolist()))], np.uint64) if rows.shape[0] else None


def _parent_in(graph: StateGraph, symmetry: Symmetry | None, row: Rows, layer: Iterator[Rows]) -> Rows | None:
    found = []
    near = _canonical(symmetry, graph.expand(row)[0]) if graph.lookback == 2 else None
    for rows in layer:
        if near is not None:
            for each in near:
                if (rows == each).all(axis=1).any():
                    found.append(each)
            continue
        for lo in range(0, rows.shape[0], 1 << 14):
            some = rows[lo : lo + (1 << 14)]
            children, parents = graph.expand(some)
            hits = (_canonical(symmetry, children) == row).all(axis=1)
            found += list(some[parents[hits]])
    return _least(np.array(found, np.uint64).reshape(len(found), graph.words))


def _walk(graph: StateGraph, symmetry: Symmetry | None, classes: list[Rows]) -> Way:
    """Real moves from the start through the classes."""
    rows = [graph.initial()]
    for wanted in classes[1:]:
        children = graph.expand(rows[-1])[0]
        hits = np.flatnonzero((_canonical(symmetry, children) == wanted).all(axis=1))
        if not hits.size:
            raise FrontrowError(f"found no move to {graph.render(wanted[0])!r}, expected one")
        rows.append(children[hits[0] : hits[0] + 1])
    way = np.concatenate(rows)
    return Way(tuple(graph.render_way(way)), tuple(graph.move_names(way)))
