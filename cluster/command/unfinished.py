"""How far a solution came that was interrupted, and from where the same command goes on."""

from frontrow.cluster.command.explore import interrupted_line
from frontrow.cluster.command.interrupt import SAVING, Interruption
from frontrow.cluster.command.progress import Silent, share_text
from frontrow.cluster.command.words import repeated
from frontrow.cluster.result import Progress, plural
from frontrow.cluster.solving.finders import BUILDING


class Unfinished:
    """Listens to what is told of boards, for the last line after an interrupt."""

    def __init__(self, interruption: Interruption, report: Silent, *, fresh: bool) -> None:
        """Begin.

        Args:
            interruption: whose message and grace are set.
            report: gets what `note` is told.
            fresh: whether the answer was to be computed again.
        """
        self._interruption, self._report, self._fresh = interruption, report, fresh
        interruption.message = self.line
        self.begin()

    def begin(self, name: str = "") -> None:
        """The next board. Args: name: its own, if there are several."""
        self._name, self._bound = name, -1
        self._last, self._phase = Progress("starting"), ""

    def note(self, progress: Progress) -> None:
        """Where the search of the board stands."""
        if progress.phase == "saving":
            self._interruption.grace = SAVING
        elif progress.phase != "resuming":
            self._phase = progress.phase
        self._last = progress
        self._report(progress)

    def note_round(self, bound: int) -> None:
        """A round is over. Args: bound: its moves."""
        self._bound = bound
        if self._phase == "counting":
            self._phase = ""

    def line(self) -> str:
        """How far the search came and how it goes on."""
        at = f" at {self._name}" if self._name else ""
        return f"interrupted{at}{self._how_far(repeated(fresh=self._fresh))}"

    def _how_far(self, again: str) -> str:
        last = self._last
        if self._phase == "exploring":
            return interrupted_line(last, self._fresh).removeprefix("interrupted")
        if self._phase == "searching":
            return _in_buckets(last, again)
        if last.note == BUILDING:
            return f" while tables were built; {again} builds them from the beginning"
        done = [f"the round of {self._bound} moves"] if self._bound >= 0 else []
        if self._phase == "counting" and last.share:
            done.append(f"{share_text(last.share)} of {'the next' if done else 'a round'}")
        if not done:
            return f"; {again} keeps what is proved"
        return f" after {' and '.join(done)}; {again} goes on from there"


def _in_buckets(last: Progress, again: str) -> str:
    where = f" after {last.nodes:,} {plural('board', last.nodes)} expanded" if last.nodes else ""
    if last.phase == "saving":
        return f"{where}; that is being written down, and {again} goes on from there"
    if not last.kept:
        return f"{where}; {again} begins anew but keeps what is proved"
    if last.kept == last.nodes:
        return f"{where}; {again} goes on from there"
    return f"{where}; {again} goes on from its last checkpoint, after {last.kept:,} boards"
