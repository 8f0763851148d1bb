"""Fixtures of all tests, such as a clock, and the profiles of the property tests."""

import shutil
import signal

import amount
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# A slow minute fails no test: neither deadlines, nor the check how long examples take to draw.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", **UNTIMED, max_examples=10)
settings.register_profile("untimed", **UNTIMED, max_examples=50)
settings.register_profile("long", **UNTIMED, max_examples=1_000, print_blob=True)
if settings.get_current_profile_name() == "default":
    settings.load_profile("untimed")


class Clock:
    """A replacement for the module `time`. Time passes only in `sleep`, and exactly."""

    now = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def sleeping_cells_time_out(monkeypatch):
    """Limit sleeping cells to three seconds, but give other cells time for a busy machine."""
    from nbclient import NotebookClient

    def limit(cell):
        return 3 if "sleep" in cell.source else None

    monkeypatch.setattr(NotebookClient, "timeout_func", staticmethod(limit))


@pytest.fixture
def file(tmp_path):
    """A function that writes a text or bytes into a file of a name, and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def clock():
    """A clock that can replace a module's `time`."""
    return Clock()


@pytest.fixture(scope="session")
def order_of_numba():
    """The order in which Numba sorts numbers. It differs from NumPy's if numbers are equal."""
    import numba

    @numba.njit("int64[:](float64[:])")
    def order(numbers):
        return np.argsort(numbers)

    return lambda numbers: order(np.array(numbers, dtype=float))


@pytest.fixture
def interpreted_ranx(request, monkeypatch):
    """Let Python interpret the functions of ranx, but let Numba compile the one that sorts scores.

    Numba compiles ranx for a minute and a half, and Python interprets it in a second, with the same
    formulas. `make release` compiles all functions. Each test that imports ranx needs this
    fixture, because ranx stays interpreted after its first import.
    """
    if amount.is_long():
        return
    import numba

    order_of_numba = request.getfixturevalue("order_of_numba")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    from ranx.data_structures import common

    monkeypatch.setattr(common, "typed_list_argosrt", order_of_numba)


@pytest.fixture(scope="module")
def browser():
    """The Chromium on the path, for the tests that open pages (`make release`)."""
    from playwright.sync_api import sync_playwright  # of an extra that no other test needs

    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )


@pytest.fixture
def ctrl_c_interrupts():
    """Let SIGINT interrupt this process and the processes that it starts.

    A shell without job control ignores SIGINT in every command that it starts in the background,
    and children inherit that. Without this fixture, a test that presses Ctrl-C would wait for ever
    there. A handler is not inherited: children get the default action in its place.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)
