"""Decides whether this node traces actions, and begins it. The module `traces` makes the traces. It
needs `pierule[traces]`, so a node imports it only if operators want traces."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack

import structlog

from pierule_server.gateway.dispatch import Dispatch
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.room_log import RoomLog

WANTED = (
    "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
)  # fmt: skip

_logger = structlog.get_logger(__name__)


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether the variables of OpenTelemetry ask for traces."""
    off = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    exporter = environment.get("OTEL_TRACES_EXPORTER", "otlp")
    return not off and exporter != "none" and any(environment.get(name) for name in WANTED)


def trace(
    stack: AsyncExitStack, name: str, dispatch: Dispatch, rooms: Rooms, log: RoomLog, hub: Hub
) -> None:
    """If operators want traces, trace the actions of the node `name` until the stack closes."""
    if not wanted(os.environ):
        return
    try:
        from pierule_server.operations import traces
    except ImportError as error:
        _logger.warning("cannot trace actions: install pierule[traces]", lacks=error.name)
        return
    provider, ids = traces.provider_of(name)
    stack.push_async_callback(asyncio.to_thread, provider.shutdown)  # sends what is left
    traces.Traces(provider, ids).watch(dispatch, rooms, log, hub)
    _logger.info("actions are traced")
