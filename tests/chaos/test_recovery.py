"""What a fault hit is told from the journals."""

from __future__ import annotations

import pytest

from chaos.forge import PORT, ROOM, Forge
from chaos.recovery import Hit, hits, summary
from chaos.world import Happened
from pierule_protocol.messages import Act, Error, Ok


def hit_by(forge: Forge, kind: str, began: float, seconds: float = 0, port: int = PORT) -> Hit:
    verdict = forge.verdict()
    fault = Happened(kind, "node 0", began, began + seconds, [port])
    (hit,) = hits([fault], verdict.accounts, verdict.truths)
    return hit


def test_clients_of_a_dead_node_are_hit_and_recover() -> None:
    forge = Forge()
    forge.play("komi:4")
    began = forge.now = forge.now + 1
    forge.bea.send(Act(id=0, room=ROOM, turn=1, action="black"))
    forge.now += 0.1
    for person in forge.people:
        person.note("closed")
    forge.now += 0.4
    for person in forge.people:
        person.connect()
        person.join()
    hit = hit_by(forge, "node kill", began)
    assert (hit.in_flight, hit.running) == (1, 3)
    assert [round(time, 1) for time in hit.recovered] == [0.5, 0.5, 0.5]


def test_clients_of_other_nodes_are_not_hit() -> None:
    forge = Forge()
    hit = hit_by(forge, "node kill", forge.now + 1, port=PORT + 1)
    assert not hit.counts
    assert hit.recovered == []


def test_a_finished_game_does_not_count_as_running() -> None:
    forge = Forge()
    for action in ("komi:4", "black", "pass", "pass", "pass"):
        if forge.folded.result is None:
            forge.play(action)
    assert forge.folded.result is not None
    assert not hit_by(forge, "node kill", forge.now + 1).counts


def test_an_action_during_a_store_outage_is_hit_and_recovers() -> None:
    """The connection stays; who asked meanwhile waits until something is done again."""
    forge = Forge()
    began = forge.now = forge.now + 1
    asked = forge.ada.send(Act(id=0, room=ROOM, turn=0, action="komi:4"))
    forge.now += 0.5
    forge.ada.get(Error(id=asked, code="unavailable", text=""))
    forge.now += 1
    event = forge.append_action("komi:4")
    forge.tell(event)
    forge.ada.act(0, "komi:4", event)
    hit = hit_by(forge, "store kill", began, seconds=1)
    assert (hit.in_flight, hit.running) == (1, 3)
    assert [round(time, 1) for time in hit.recovered] == [1.5]


@pytest.mark.parametrize("served", [True, False])
def test_a_client_served_before_its_connection_ends_has_recovered(served: bool) -> None:
    """Who was served on it since has recovered from the first fault before the second came."""
    forge = Forge()
    began = forge.now = forge.now + 1
    asked = forge.ada.send(Act(id=0, room=ROOM, turn=0, action="komi:4"))
    forge.now += 1.5
    event = forge.append_action("komi:4")
    forge.tell(event)
    forge.ada.get(Ok(id=asked))
    if served:
        forge.ada.act(0, "komi:4", event)
    forge.now += 5
    forge.ada.note("closed")
    forge.now += 0.5
    forge.ada.connect()
    forge.ada.join()
    hit = hit_by(forge, "store kill", began, seconds=1)
    assert [round(time, 1) for time in hit.recovered] == [1.5 if served else 7.0]


def test_the_summary_counts_faults_and_recoveries() -> None:
    table = summary([Hit("a", 1, 2, [1.0, 3.0]), Hit("a", 0, 0, [2.0]), Hit("b", 0, 1)])
    assert table["a"] == {
        "faults": 2, "counted": 1, "actions in flight": 1, "running rooms": 2,
        "recoveries": 3, "median": 2.0, "p99": 3.0,
    }  # fmt: skip
    assert table["b"]["median"] is None
