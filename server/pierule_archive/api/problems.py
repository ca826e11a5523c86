"""Refusals, as problems of RFC 9457 that name what was wrong and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from pierule_archive.api.answers import Problem, encode

PROBLEM = "application/problem+json"

AWAY_SECONDS = 5
"""Seconds after which a client may try again if the database is away."""


class Failure(Exception):
    """A request that cannot be answered. `code` is for programs, `detail` for people."""

    def __init__(
        self, status: HTTPStatus, code: str, detail: str, *, parameter: str | None = None,
        allowed: Any = None, headers: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(detail)
        self.problem = Problem(
            title=status.phrase, status=status.value, detail=detail, code=code,
            parameter=parameter, allowed=allowed,
        )  # fmt: skip
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """The problem as an answer that caches must not keep."""
        return Response(
            encode(self.problem), self.problem.status, media_type=PROBLEM,
            headers={"Cache-Control": "no-store", **self.headers},
        )  # fmt: skip


def bad_parameter(name: str, detail: str, allowed: Any) -> Failure:
    """A failure: a parameter has a wrong value, or is given twice."""
    return Failure(HTTPStatus.BAD_REQUEST, "bad_parameter", detail, parameter=name, allowed=allowed)


def unknown(what: str, name: str, *, parameter: str | None = None) -> Failure:
    """A failure: the archive shows no such room, player or path."""
    detail = f"there is no {what} {name!r} in the archive, or nobody may see it"
    return Failure(HTTPStatus.NOT_FOUND, f"unknown_{what}", detail, parameter=parameter)


def later(status: HTTPStatus, code: str, detail: str, seconds: float) -> Failure:
    """A failure after which a client may try again in some seconds."""
    return Failure(status, code, detail, headers={"Retry-After": str(math.ceil(seconds))})


def away(detail: str) -> Failure:
    """A failure: the database cannot answer now."""
    return later(HTTPStatus.SERVICE_UNAVAILABLE, "away", detail, AWAY_SECONDS)
