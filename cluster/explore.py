"""`frontrow.explore`: the layers of a graph."""

import contextlib
import shutil
import time
from pathlib import Path
from typing import Any

from frontrow.cluster.arguments import check_asking, check_flag, check_natural, listener
from frontrow.cluster.exploration.checkpoint import Checkpoints
from frontrow.cluster.exploration.limits import Room
from frontrow.cluster.exploration.place import SHARE, memory_in_all, place_for
from frontrow.cluster.exploration.result import Exploration, OnLayer
from frontrow.cluster.exploration.run import ExploreRun
from frontrow.cluster.exploration.wanted import Wanted
from frontrow.cluster.job import Job, JobRow
from frontrow.cluster.owner import owned, row_of, settled
from frontrow.cluster.question import ask_about
from frontrow.cluster.result import Progress, Report
from frontrow.cluster.store import Store
from frontrow.search.errors import UnreachableError, UsageError
from frontrow.search.graph import StateGraph
from frontrow.search.kernel import is_cold
from frontrow.search.own.blame import explained
from frontrow.search.problem import Problem
from frontrow.search.tables.choice import KINDS, Choice, can_sweep, choose
from frontrow.workers.engine import Engine
from frontrow.workers.memory import available_memory

MOST_SHARDS = 1024


def explore(
    problem: str | Problem,
    *,
    depth: int | None = None,
    symmetry: bool = False,
    paths: bool = False,
    until_goal: bool = False,
    table: str | None = None,
    shards: int | None = None,
    memory: int | None = None,
    disk: int | None = None,
    workers: int | None = None,
    engine: str | Engine = "local",
    ray_address: str | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    time_limit: float | None = None,
    progress: Report | None = None,
    on_layer: OnLayer | None = None,
    **params: Any,
) -> Exploration:
    """Grow a graph layer by layer from its start: layer d holds the states that are d moves away.

    Args:
        problem: a problem's name, a person's own file, or a problem.
        depth: layers after the first, at most; None for all.
        symmetry: take states up to the symmetries that fix the start and the goals.
        paths: count shortest ways as well, exactly.
        until_goal: end at the nearest goal's layer, with one shortest way there.
        table: ``rank``, ``layers`` or ``hash``; None to have it chosen.
        shards: parts that the states are kept in; None for one a worker, or one that threads of this process
            share where its bits are swept.
        memory: bytes that all shards may use together; None for a share of what is free on each machine.
        disk: bytes that the job's files may take; None for a share of what is free.
        workers: workers that compute at the same time; None for all there are.
        engine: ``local`` or ``ray``.
        ray_address: of a Ray cluster; implies ``ray``.
        store: folder of the ledger; None for the user's.
        fresh: compute again although the ledger has the answer.
        time_limit: seconds after which to stop; the same call goes on from there.
        progress: called a few times a second, in this thread.
        on_layer: called with every finished layer, in this thread.
        **params: the problem's parameters.

    Raises:
        UsageError: for a bad problem, parameter or option.
        StoreError: if the ledger cannot be used.
        EngineError: if workers cannot be started or are lost again and again.
        LimitError: if a limit was reached; the same call goes on from the last layer.
        DisputedError: if the layers differ from those of an earlier run.
        TableError: if a number of ways passes 128 bits.
    """
    called = time.perf_counter()
    check_asking(engine, ray_address, workers, store=store, fresh=fresh, time_limit=time_limit)
    for name, flag in (("symmetry", symmetry), ("paths", paths), ("until_goal", until_goal)):
        check_flag(name, flag)
    for name, number, low in (
        ("depth", depth, 0),
        ("shards", shards, 1),
        ("memory", memory, 1),
        ("disk", disk, 1),
    ):
        check_natural(name, number, low)
    if shards is not None and shards > MOST_SHARDS:
        raise UsageError(f"shards: found {shards}, expected 1 to {MOST_SHARDS}")
    report, each = listener("progress", progress), listener("on_layer", on_layer)
    if table is not None and table not in KINDS:
        raise UsageError(f"table: found {table!r}, expected {', '.join(KINDS)}")
    graph, ref = ask_about(StateGraph, "explore", problem, params)
    if until_goal and not graph.has_goal:
        meant = "one (goal=...)" if "goal" in graph.parameters() else "is_goal" if ref.file else "one"
        raise UsageError(f"until_goal: found no goal, expected {meant}")
    if until_goal and graph.unreachable:
        raise UnreachableError(f"the goal cannot be reached: {graph.unreachable}")
    if symmetry:
        with explained(graph, UsageError):
            graph.symmetries()
    wanted = Wanted(depth, symmetry, paths, until_goal)
    job = Job("explore", ref, wanted.to_json())

    def is_answer(row: JobRow) -> bool:
        """Whether a job is done, by the table that is asked for; a disputed one is computed again."""
        return row.state == "done" and table in (None, row.method)

    there = place_for(graph, engine, ray_address, workers, memory)
    with Store.open(store) as ledger, contextlib.closing(there) as place:
        kept = settled(ledger, job, fresh=fresh, is_answer=is_answer)
        if kept is not None:
            return kept.exploration()
        room = room_for(time_limit, memory, disk, ledger.exploration(job.id))

        def chosen(kind: str | None) -> Choice:
            in_all = room.memory
            if kind in (None, "rank") and not symmetry and not paths:
                in_all = memory_in_all(graph, place, shards, in_all, depths=until_goal)
            return choose(graph, kind, in_all, symmetry=symmetry, paths=paths, depths=until_goal)

        choice = chosen(table)  # before the job is entered: it is none if there cannot be such a table
        with owned(ledger, job, report, fresh=fresh, is_answer=is_answer) as kept:
            if kept is not None:
                return kept.exploration()
            fresh |= ledger.jobs(job.id)[0].state == "done"  # by another table: the layers are compared
            files = Checkpoints(ledger.exploration(job.id), job.id, room.disk)
            begun = files.table()
            if table is None and not fresh and begun not in (None, choice.kind):
                with contextlib.suppress(UsageError):  # such a table has no room any more
                    choice = Choice(chosen(begun).kind, "as the run that it goes on from")
            kept_layers = 0 if fresh else files.layers(choice.kind)
            phase = "compiling" if graph.compiles and is_cold() else "starting"
            report(Progress(phase, kept=kept_layers))
            number, name = place.workers(), place.name
            swept = name == "local" and choice.kind == "rank" and shards in (None, 1)
            swept = swept and can_sweep(graph, number, room.memory, depths=until_goal)
            parts = shards or (1 if swept else number)
            able = number if swept else min(number, parts)
            run = ExploreRun(
                job, graph, wanted, choice, room, ledger, place.start, parts, able, name, report, each, called
            )
            run.run(fresh=fresh)
            return row_of(ledger, job).exploration(from_ledger=False, resumed=run.resumed)


def room_for(seconds: float | None, memory: int | None, disk: int | None, folder: Path) -> Room:
    """What a run may use; of memory and disk a share of what is free where nothing is said.

    Args:
        seconds: the time limit, if there is one.
        memory: bytes, if that is said.
        disk: bytes, if that is said.
        folder: of the job, in a folder of the ledger's; what its files take counts as free.
    """
    if disk is None:
        own = sum(path.stat().st_size for path in folder.glob("*"))
        disk = int(SHARE * (shutil.disk_usage(folder.parent.parent).free + own))
    return Room(seconds, memory or int(SHARE * available_memory()), disk)
