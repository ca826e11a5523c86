"""The ports that a server is about to take: none may have two purposes, and nobody else may have
one. Both are found out before anything starts, so an error names the port that it is about."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import NamedTuple

from pierule_server.operations import api_process, health
from pierule_server.settings import Settings


class Port(NamedTuple):
    """A port to take, the flag that chooses it, and that of its address."""

    flag: str
    host_flag: str
    host: str
    number: int


def check_ports(settings: Settings) -> None:
    """Refuse one port for two purposes: the system would only say that it is in use. Raises
    ValueError, also for a port that is none."""
    taken: list[Port] = []
    for port in _ports(settings):
        for other in taken:
            if (other.host, other.number) == (port.host, port.number):
                raise ValueError(f"{other.flag} and {port.flag} cannot both be {port.number}")
        taken.append(port)


def check_free(settings: Settings) -> None:
    """Refuse a port that somebody else has. Raises OSError, which names port and flags."""
    for port in _ports(settings):
        family = socket.AF_INET6 if ":" in port.host else socket.AF_INET
        try:
            socket.create_server((port.host, port.number), family=family).close()
        except OSError as error:
            # Python adds the address to the text. A host without an address has a number below 0.
            number = error.errno or 0
            why = os.strerror(number) if number > 0 else error.strerror
            raise OSError(
                f"port {port.number} of {port.host}: {why} (see {port.host_flag} and {port.flag})"
            ) from error


def _ports(settings: Settings) -> Iterator[Port]:
    """The ports with numbers: the system chooses the others."""
    api = api_process.chosen_port(settings)
    beside = settings.store == "embedded" or settings.api_port != "auto"
    if not beside or settings.archive == "off":
        api = None
    for flag, host_flag, host, number in (
        ("--port", "--host", settings.host, settings.port),
        (
            "--operations-port", "--operations-host", settings.operations_host,
            health.chosen_port(settings),
        ),
        ("--api-port", "--host", settings.host, api),
    ):  # fmt: skip
        if number:
            yield Port(flag, host_flag, host, number)
