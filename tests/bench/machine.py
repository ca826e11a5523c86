"""The measured machine: its cores, its tools, its clocks, and its best possible times."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
PEERS = HERE / "peers"
PROBES = 300


class Missing(Exception):
    """Something that the benchmark needs is not on this machine."""


class Ended(Exception):
    """A process ended instead of answering; its last output says why."""


class Machine:
    """The first and the last core that we may use: the servers get one, the load the other."""

    def __init__(self, folder: Path) -> None:
        if sys.platform != "linux":
            raise Missing("Linux")
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            raise Missing("two cores: one for the server, one for the load")
        self.server_core, self.load_core = cores[0], cores[-1]
        self.folder = folder
        self._built: dict[str, str] = {}
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    @contextmanager
    def on(self, core: int) -> Iterator[None]:
        """Run everything that is started meanwhile, and its children, on this core."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {core})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)

    def built(self, source: str) -> str:
        """The program built from a C file of this folder."""
        if source not in self._built:
            compiler = needed("cc", "a C compiler")
            program = str(self.folder / Path(source).stem)
            subprocess.run([compiler, "-O2", "-o", program, HERE / source], check=True)
            self._built[source] = program
        return self._built[source]

    def cores_of(self, pids: Iterable[int]) -> set[int]:
        """All cores on which the processes may run."""
        return set[int]().union(*(os.sched_getaffinity(pid) for pid in pids))

    def about(self) -> dict[str, str]:
        """What a reader must know about it."""
        return {
            "processor": _processor(),
            "cores": f"server on {self.server_core}, load on {self.load_core}",
            "system": f"{platform.system()} {platform.release()}",
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "busy": f"load average {os.getloadavg()[0]:.1f} at the start",
        }


def resident(pids: Iterable[int]) -> int:
    """The resident memory of processes, in bytes."""
    page = os.sysconf("SC_PAGE_SIZE")
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page for pid in pids)


def needed(program: str, what: str) -> str:
    """The path of a program; raises `Missing`."""
    found = shutil.which(program)
    if found is None:
        raise Missing(f"{what} (`{program}` on the PATH)")
    return found


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.partition(':')[2].strip()}, {os.cpu_count()} cores"
    return f"{platform.machine()}, {os.cpu_count()} cores"


def install(sort: str) -> None:
    """Install the packages of the peers in `node` or `python` into ignored folders, unless the
    locked versions are there."""
    lock = PEERS / ("package-lock.json" if sort == "node" else "requirements.txt")
    folder = PEERS / ("node_modules" if sort == "node" else ".venv")
    done = folder / ".installed"
    if done.exists() and done.read_text() == lock.read_text():
        return
    print(f"installing the peers in {sort} ...", flush=True)
    if sort == "node":
        npm = needed("npm", "Node's package manager")
        # Not `npm ci`: the lock names optional native parts for some systems alone, and it refuses.
        quiet = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run([npm, "install", *quiet], cwd=PEERS, check=True)
    else:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", "-r", str(lock)], check=True)
    done.write_text(lock.read_text())


def line_from(process: subprocess.Popen[str], bound: float) -> str:
    """The next line that the process writes; it is killed if that takes longer than `bound`
    seconds. Raises `Ended` with its last output if there is none."""
    assert process.stdout is not None
    timer = threading.Timer(bound, process.kill)
    timer.start()
    try:
        line = process.stdout.readline()
    finally:
        timer.cancel()
    if not line:
        code = process.wait()
        told = process.stderr.read().strip() if process.stderr is not None else ""
        raise Ended(told or f"it has ended with {code}")
    return line


def move(pid: int, core: int) -> None:
    """Pin a running process, with all its threads."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


def processor_seconds(pids: Iterable[int]) -> float:
    """Processor seconds that the processes have used so far, including the system's work for them;
    from the scheduler, because ticks of 10 ms are coarse beside a thousand actions."""
    threads = (thread for pid in pids for thread in Path(f"/proc/{pid}/task").iterdir())
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def fsync_seconds(folder: Path) -> float:
    """The median time to append 200 bytes to a file in the folder and force them to disk."""
    path = folder / "fsync-probe"
    with path.open("ab", buffering=0) as file:

        def once() -> None:
            file.write(bytes(200))
            os.fdatasync(file.fileno())

        taken = _median(once)
    path.unlink()
    return taken


def round_trip_seconds(path: str) -> float:
    """The median time of a bare `PING` to the store at a Unix socket."""
    with socket.socket(socket.AF_UNIX) as store:
        store.connect(path)

        def once() -> None:
            store.sendall(b"PING\r\n")
            assert store.recv(64) == b"+PONG\r\n"

        return _median(once)


def _median(once: Callable[[], None]) -> float:
    taken = []
    for _ in range(PROBES):
        start = time.perf_counter()
        once()
        taken.append(time.perf_counter() - start)
    return median(taken)
