"""Fixtures for all tests: a seed for what is random, and real stores, started once for each test
process."""

from __future__ import annotations

import gc
import logging
import os
import random
import shlex
import signal
from collections.abc import Generator, Iterator, Sequence

import pytest
import structlog
from execnet import XSpec
from hypothesis import settings

from support import collected, examples, packages, stores
from support.serving import Serving
from support.turns import alone

# Some tests send SIGINT. A background job of a shell ignores it, and so do all its children.
signal.signal(signal.SIGINT, signal.default_int_handler)

Serving.forks = True

settings.register_profile("quick", examples.QUICK)
settings.register_profile("thorough", examples.THOROUGH)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="seed of random tests; a failed test prints its own")
    parser.addoption("--workers", type=int, default=1, help="of each node in the test of clocks")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Sequence[XSpec]) -> None:
    """Fork the test processes off one that has imported the tests."""
    python = shlex.join(collected.python(list(map(str, config.invocation_params.args))))
    for spec in specs:
        spec.python = python


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the garbage collector what is imported and collected, and let it run rarely, as nodes
    do. All that stays, and to look through it again and again is a third of the time that
    collecting takes. With so little else, it would then look through all else as often."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    """Let each worker begin with its share of the `long` tests, those of `long(most seconds)`
    first: no worker should wait for one when all else is done. `--dist worksteal` deals the list
    out in as many pieces as there are workers; the rest stays in order, for the tests of a file
    share its fixtures."""
    done = yield
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = sorted(filter(_seconds, items), key=_seconds, reverse=True)
    rest = [item for item in items if not _seconds(item)]
    dealt: list[pytest.Item] = []
    for number in range(workers):
        size = (len(items) - len(dealt)) // (workers - number)
        first = long[number::workers]
        dealt += first + rest[: size - len(first)]
        del rest[: size - len(first)]
    items[:] = dealt
    return done


def _seconds(item: pytest.Item) -> int:
    """How long a `long` test takes; 0 for all others."""
    marker = item.get_closest_marker("long")
    seconds: int = marker.args[0] if marker else 0
    return seconds


STAMPS = structlog.get_config()["processors"][:-1]
SHOWS = structlog.dev.ConsoleRenderer(
    colors=False, exception_formatter=structlog.dev.plain_traceback
)


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """Reset logging for each test. A command that a test calls sets up logging for its process; the
    next test would find its lines in standard error. Tracebacks are plain: to draw one in colors
    and with all variables takes longer than most tests."""
    structlog.reset_defaults()
    structlog.configure(processors=[*STAMPS, SHOWS])
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """The seed of a random test: `--seed`, or a fresh one. It is printed if the test fails.
    (Hypothesis prints its own seed, and takes `--hypothesis-seed`.)"""
    given: int | None = pytestconfig.getoption("seed")
    chosen = random.SystemRandom().getrandbits(32) if given is None else given
    print(f"repeat this with --seed {chosen}")
    return chosen


@pytest.fixture
def rng(seed: int) -> random.Random:
    """The random numbers of a test, by its seed."""
    return random.Random(seed)


@pytest.fixture(scope="session")
def citadel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of programs with the game Citadel; all others have three games. One test
    process installs it for all, so that they share what is started with it, too."""
    common = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    with alone(common / "packages.lock"):
        return packages.install(packages.CITADEL, common / "packages")


@pytest.fixture(scope="session")
def valkey() -> Iterator[stores.Server]:
    """A single Valkey, the binary of the embedded store. Leave it as you found it."""
    with stores.single() as server:
        yield server


@pytest.fixture(scope="session")
def store_of_nodes() -> Iterator[stores.Server]:
    """A single Valkey that only nodes write to, since nodes must be able to read all they list."""
    with stores.single() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[stores.Server]:
    """The Redis on the PATH; asked for only where there is one."""
    assert stores.REDIS is not None
    with stores.single(stores.REDIS) as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[stores.Cluster]:
    """Three Valkey primaries. Slots may move between them."""
    with stores.cluster() as servers:
        yield servers
