"""What those who watch a run are told: its layers, and how far it is."""

import time
from collections.abc import Sequence
from dataclasses import replace

from frontrow.cluster.exploration.result import Layer, OnLayer
from frontrow.cluster.result import Progress, Report

TELL = 0.1
"""Seconds between reports, at least."""


class Telling:
    """The reports of one run.

    Attributes:
        resumed: layers taken over from earlier runs.
    """

    def __init__(self, report: Report, on_layer: OnLayer, workers: int, called: float) -> None:
        """Args: report, on_layer: who is told; workers: of the run; called: when it was asked for."""
        self._report, self._on_layer, self._workers = report, on_layer, workers
        self._told = self._began = self._closed = called
        self._shown = 0
        """Layers that `on_layer` was told."""
        self._found_before = 0
        """States that earlier runs found."""
        self.resumed = 0

    def begin(self, began: float) -> None:
        """The first layer is begun, or the one after those of an earlier run."""
        self._began = self._closed = began

    def go_on(self, layers: Sequence[Layer]) -> None:
        """These layers were taken over from earlier runs."""
        self.resumed, self._found_before = len(layers), _states(layers)

    def show(self, layers: Sequence[Layer]) -> None:
        """Tell the layers that are new; those made again after a shard was lost are not."""
        self._closed = time.perf_counter()
        for layer in layers[self._shown :]:
            if layer.states:
                self._on_layer(layer)
        self._shown = max(self._shown, len(layers))

    @property
    def is_due(self) -> bool:
        """Whether it is time for a report."""
        return time.perf_counter() - self._told >= TELL

    def tell(
        self,
        phase: str,
        layers: Sequence[Layer],
        kept: int,
        *,
        generated: int = 0,
        note: str = "",
        warning: bool = False,
    ) -> None:
        """Report how far the run is.

        Args:
            phase: what it is at.
            layers: that are finished.
            kept: how many of them a later run would go on from.
            generated: children of the next one so far.
            note: in words, what else there is to say.
            warning: whether it says that work is lost.
        """
        now = time.perf_counter()
        self._told = now
        progress = Progress(
            phase,
            share=None,
            workers=self._workers,
            resumed=self.resumed,
            note=note,
            kept=kept,
            warning=warning,
        )
        if layers:
            states, made = _states(layers), self._closed - self._began
            begun = len(layers) > self.resumed + 1  # before, there is nothing to tell a rate from
            rate = (states - self._found_before) / made if begun and made > 0 else 0.0
            progress = replace(
                progress,
                units_done=len(layers),
                nodes=states,
                rate=rate,
                totals={"states": states},
                elapsed=now - self._began,
                note=note or (f"{generated:,} children in it" if generated else ""),
            )
        self._report(progress)


def _states(layers: Sequence[Layer]) -> int:
    return sum(layer.states for layer in layers)
