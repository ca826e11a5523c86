"""The data of a store. Commands are in the files beside this one; one that is in none of them is
refused as unknown, so nothing is answered by guessing.

Pure: the time is an attribute. Every write is noted in `effects`, from which another keyspace comes
to the same state, and what is said to subscribers in `published`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

Effect: TypeAlias = tuple[bytes, ...]


class RefusedCommand(Exception):
    """An error reply."""


class Status(NamedTuple):
    """A reply such as `OK`."""

    text: bytes


OK = Status(b"OK")
SYNTAX = "ERR syntax error"
WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


class Command(NamedTuple):
    """A command: what it does, and whether it changes something, and takes memory."""

    run: Callable[..., Any]
    writes: bool
    grows: bool


COMMANDS: dict[bytes, Command] = {}


def command(name: str, *, writes: bool = False, grows: bool = False) -> Callable[[F], F]:
    """Register what a command does; it gets the keyspace and its arguments as bytes."""

    def register(run: F) -> F:
        COMMANDS[name.encode()] = Command(run, writes or grows, grows)
        return run

    return register


@dataclass
class Keyspace:
    """See above. `now` is in microseconds since 1970."""

    now: int = 0
    values: dict[bytes, Any] = field(default_factory=dict)
    ends: dict[bytes, int] = field(default_factory=dict)
    """When keys expire, in milliseconds."""
    effects: list[Effect] = field(default_factory=list)
    published: list[tuple[bytes, bytes]] = field(default_factory=list)
    full: bool = False
    """Whether no command that takes memory is allowed."""

    @property
    def ms(self) -> int:
        return self.now // 1_000

    def run(self, name: bytes, *args: bytes) -> Any:
        """The reply to a command. Raises RefusedCommand."""
        known = COMMANDS.get(name) or COMMANDS.get(name.upper())
        if known is None:
            text = f"ERR unknown command '{name.decode(errors='replace')}'"
            raise RefusedCommand(f"{text}: see tests/simulation/model, if real stores have it")
        if self.full and known.grows:
            raise RefusedCommand("OOM command not allowed when used memory > 'maxmemory'.")
        try:
            reply = known.run(self, *args)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise
            text = f"ERR wrong number of arguments for '{name.decode().lower()}' command"
            raise RefusedCommand(text) from error
        if known.writes:
            self.effects.append((name, *args))
        return reply

    def find(self, key: bytes, kind: type[T]) -> T | None:
        """The value of a key, if there is one. Raises RefusedCommand for one of another kind."""
        value = self.values.get(key)
        if value is None:
            return None
        end = self.ends.get(key)
        if end is not None and end <= self.ms:
            self.drop(key)
            return None
        if type(value) is not kind:
            raise RefusedCommand(WRONG_TYPE)
        return value

    def made(self, key: bytes, kind: type[T]) -> T:
        """The value of a key, made if there is none."""
        found = self.find(key, kind)
        if found is None:
            found = self.values[key] = kind()
        return found

    def there(self, key: bytes) -> bool:
        """Whether there is a key of any kind."""
        value = self.values.get(key)
        return value is not None and self.find(key, type(value)) is not None

    def drop(self, key: bytes) -> bool:
        self.ends.pop(key, None)
        return self.values.pop(key, None) is not None

    def drop_if_empty(self, key: bytes, value: Any) -> None:
        """Redis keeps no empty hashes and sets (but empty streams)."""
        if not value:
            self.drop(key)


def integer(text: bytes) -> int:
    try:
        return int(text)
    except ValueError:
        raise RefusedCommand("ERR value is not an integer or out of range") from None
