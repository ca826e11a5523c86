"""Masks no frame, which WebSocket asks of clients."""

from typing import Any

import plain_client
from websockets.frames import Frame

masked = Frame.serialize


def unmasked(frame: Frame, **options: Any) -> bytes:
    return masked(frame, **{**options, "mask": False})


Frame.serialize = unmasked  # type: ignore[method-assign]
plain_client.main()
