"""A broken promise is explained by what its client heard, and what was done to it."""

from __future__ import annotations

from chaos.explain import explain
from chaos.forge import PORT, ROOM, Forge
from chaos.world import Happened


def test_the_report_explains_why_a_client_was_left_behind() -> None:
    forge = Forge()
    forge.play("komi:4")
    forge.now += 100
    forge.happened += [
        Happened("node kill", "node 0", forge.now - 90, forge.now - 90, [PORT]),
        Happened("store pause", "store", forge.now - 2, forge.now - 1, [PORT]),
        Happened("node pause", "node 1", forge.now - 2, forge.now - 1, [PORT + 1]),
    ]
    event = forge.append_action("black")
    forge.eve.get(event)
    forge.ada.note("closed")
    forge.ada.connect()
    forge.ada.join()
    forge.now += 60
    (violation,) = (each for each in forge.verdict().violations if each.client == "bea")
    journals = {person.name: person.journal for person in forge.people}
    told = explain(violation, journals, {ROOM: forge.log}, forge.happened, {PORT: "node 0"})
    assert (told["promise"], told["room"]) == ("nobody is left behind", ROOM)
    assert told["journal"][0] == "-101.000 connection 1 opened at node 0"
    assert told["journal"][-1] == "-100.000 connection 1 got Event epoch=1 seq=3"
    assert [line.split(" {")[0] for line in told["log"]] == ["+0.000 (1, 4)"]
    assert told["faults"] == ["-2.000 to -1.000 store pause: store"]
