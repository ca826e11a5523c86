"""The dispatch table: which handler answers which type of request.

A family of requests is a class, and each of its handlers is a method:

    @handles(Ping)
    async def ping(self, connection: Connection, user: User, request: Ping) -> Ok: ...

A handler returns the answer. It returns None if it has sent the answer itself, because messages
must follow it. It raises Refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, get_args

from pierule_protocol.messages import ClientMessage, Ok

Method = TypeVar("Method", bound=Callable[..., Awaitable[Ok | None]])


@dataclass(frozen=True, slots=True)
class Handler:
    """How to answer a type of request. `appends`: the request changes a room. `grows(request)`: it
    makes the store grow by more than an action does (SPEC 1.12)."""

    answer: Callable[..., Awaitable[Ok | None]]
    appends: bool
    grows: Callable[[Any], bool]


Table: TypeAlias = Mapping[type[Any], Handler]


def handles(
    kind: type[Any], *, appends: bool = False, grows: bool | Callable[[Any], bool] = False
) -> Callable[[Method], Method]:
    """Make the method the handler of requests of this type."""
    growing = grows if callable(grows) else lambda _: grows

    def register(method: Method) -> Method:
        method.__dict__["handles"] = kind, appends, growing
        return method

    return register


def handlers_in(family: object) -> Iterator[tuple[type[Any], Handler]]:
    """Each type of request that a family answers, with its handler."""
    for name in vars(type(family)):
        method = getattr(family, name)
        if hasattr(method, "handles"):
            kind, *rest = method.handles
            yield kind, Handler(method, *rest)


def table_of(families: Iterable[object]) -> Table:
    """The handlers of these families. Raises TypeError unless each type of request has one."""
    table: dict[type[Any], Handler] = {}
    for family in families:
        for kind, handler in handlers_in(family):
            if kind in table:
                raise TypeError(f"{kind.__name__} has two handlers")
            table[kind] = handler
    lacking = [kind.__name__ for kind in get_args(ClientMessage) if kind not in table]
    if lacking:
        raise TypeError(f"no handler for {', '.join(lacking)}")
    return table
