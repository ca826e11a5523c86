"""What every request has (SPEC 2)."""

from __future__ import annotations

import msgspec

from pierule_protocol.messages.values import RequestId


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True,
              forbid_unknown_fields=True):  # fmt: skip
    """Every request carries an `id` that the client chooses. Its answer repeats it."""

    id: RequestId
