"""Starts a Python program in a process that the program's server forks (`support.preloaded`).

To its starter it looks like the program: it has its output and exit status, and passes signals on.
It imports next to nothing and runs with `-I -S`, so its own start is the whole cost.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import posix
import sys


def handed_on(number: int, frame: object) -> None:
    try:  # noqa: SIM105 - contextlib costs more than all else here
        posix.kill(program, number)
    except ProcessLookupError:
        pass


def inherited() -> list[int]:
    """The files that are open here: a starter may hand more of them on than the first three."""
    found = []
    for name in posix.listdir("/proc/self/fd"):
        try:
            posix.fstat(int(name))
        except OSError:  # the list itself, which is closed by now
            continue
        found.append(int(name))
    return sorted(found)


if __name__ == "__main__":
    files = inherited()
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.connect(sys.argv[1])
    told = marshal.dumps((files, sys.argv[2:], posix.getcwd(), posix.environ))
    rights = b"".join(number.to_bytes(4, sys.byteorder) for number in files)
    line.sendmsg([len(told).to_bytes(4)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    line.sendall(told)
    program = int.from_bytes(line.recv(4))
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGUSR1):
        if _signal.getsignal(number) is not _signal.SIG_IGN:
            _signal.signal(number, handed_on)
    status = int.from_bytes(line.recv(4), signed=True)
    if status < 0:
        if status != -_signal.SIGKILL:
            _signal.signal(-status, _signal.SIG_DFL)
        posix.kill(posix.getpid(), -status)
    posix._exit(status)
