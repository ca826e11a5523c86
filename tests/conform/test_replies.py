"""What the scripted server of `pierule conform client` replies."""

from __future__ import annotations

from http import HTTPStatus

from pierule_conform import client
from pierule_conform.replies import Replies
from pierule_conform.scripted import PATH, Refusal
from pierule_conform.trial import Trial


async def test_a_refused_handshake_tells_when_to_retry_even_to_a_late_reader() -> None:
    """On a busy machine the node may take connections again before the client gets to ask."""
    [scenario] = client.chosen([], ["retry-after"])
    trial = Trial(scenario.truth(), scenario.task, scenario.sections[0])
    trial.refusal = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, 2)
    replies = Replies(trial, 0, set())
    trial.refusing.add(0)
    assert replies.admits(0, PATH, ["pierule.1.json"]) == trial.refusal
    trial.refusing.clear()
    assert replies.refuses(0) == trial.refusal
    assert replies.refuses(1) is None
