"""The errors that Frontrow raises on purpose; each says what was found and what was expected."""


class FrontrowError(Exception):
    """A failure that a person can act on: its text is one line without a traceback.

    Attributes:
        exit_status: what a command that ends with this error returns to the shell.
    """

    exit_status: int = 1


class UsageError(FrontrowError):
    """A question that cannot be asked: a bad parameter, option, file or problem."""

    exit_status = 2


class ProblemError(FrontrowError):
    """A person's own file failed: the text names its file, line and message, and nothing of ours."""


class MethodError(ProblemError):
    """A method of a problem gave back what it must not."""

    def __init__(self, method: str, text: str) -> None:
        """Args: method: its name; text: ``found X, expected Y``."""
        super().__init__(method, text)
        self.method, self.text = method, text

    def __str__(self) -> str:
        return f"{self.method}: {self.text}"


class StoreError(FrontrowError):
    """A ledger that cannot be opened, read or written."""


class EngineError(FrontrowError):
    """Workers that cannot be started or reached, or a unit that no worker could finish."""


class TableError(FrontrowError):
    """A table of visited states that cannot hold what it is given, or a number of ways past 128 bits."""


class DisputedError(FrontrowError):
    """Two computations of the same unit gave different results, so there is no answer."""


class UnreachableError(FrontrowError):
    """There is no way to a goal, as theory says before anything is searched."""

    exit_status = 3


class LimitError(FrontrowError):
    """A limit set by the user was reached; what was done is kept and can be resumed."""

    exit_status = 4


class DiskLimitError(LimitError):
    """A job's files take more of the disk than they may."""


class StoppedError(FrontrowError):
    """The stop flag was raised while a unit ran; nothing of the unit is kept."""

    exit_status = 130


class MemoryLimitError(LimitError):
    """There is no room for more states within the memory that may be used."""


class TableFileError(FrontrowError):
    """A file of a pattern database that is damaged, cut off or of another version; it is built again."""


def interrupted(error: BaseException) -> bool:
    """Whether an error came of a KeyboardInterrupt, such as one that was raised in a compiled function."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__cause__ or seen.__context__
    return seen is not None
