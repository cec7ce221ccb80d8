"""What every test gets: a ledger of its own, and no compiled kernels where they are switched off."""

import os
import signal
from collections.abc import Iterator

import pytest

from tests.ray_support import one_ray  # noqa: F401 - one Ray for all tests of a session


@pytest.fixture(scope="session", autouse=True)
def interrupts() -> None:
    """Have signals arrive, also where nohup, or a shell in the background, has them ignored."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def isolated_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point this process and all that it starts at an empty store without tables; the user's own stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FRONTROW_STORE", str(tmp_path_factory.mktemp("store")))
        patch.setenv("FRONTROW_TABLES", str(tmp_path_factory.mktemp("tables")))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that need compiled kernels when Numba is switched off."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        return
    for item in items:
        if item.get_closest_marker("jit") is not None:
            item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))
