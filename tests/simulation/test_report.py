"""What seeds came to can be kept, and drawn."""

from __future__ import annotations

from pathlib import Path

import msgpack

from chaos.journal import Journal
from chaos.world import Happened
from simulation.diagram import drawn
from simulation.report import Told, keep, kept, progress, summary


def told(seed: int, *failures: str) -> Told:
    return Told(seed, 2.0, 30.0, 100, 300, 150, {"node kill": 2}, list(failures))


def test_seeds_are_read_as_they_were_kept(tmp_path: Path) -> None:
    file = tmp_path / "seeds"
    assert kept(file) == {}
    several = [told(1), told(7, "lost")]
    for each in several:
        keep(file, each)
    with file.open("a") as out:
        out.write('{"seed": 8, "cp')  # broken off
    assert kept(file) == {each.seed: each for each in several}


def test_a_summary_has_rates_and_distributions() -> None:
    text = summary([told(1), told(7, "lost")])
    assert text.endswith("\n2 seeds, 1 failed: [7]")
    assert "200 acknowledged actions, 600 requests done, 4 faults" in text
    assert "50 actions and 150 requests a second" in text
    assert "mean 100; least, 10 %, half, 90 %, most [100, 100, 100, 100, 100]" in text
    assert progress([told(1)], 3) == "1 of 3 seeds, 0 failed, 100 acknowledged actions"


def test_a_diagram_has_the_room_that_failed_and_the_faults() -> None:
    journal = Journal("t0a")
    journal.open(8_001)
    for room in ("abc", "other"):
        act = {"type": "act", "id": 3, "room": room, "turn": 0, "action": "a1"}
        journal.note(1, "sent", msgpack.packb(act))
    journal.note(1, "got", msgpack.packb({"type": "ok", "id": 3}))
    began = journal.lines[0].at
    fault = Happened("node kill", "node 0", began + 1, began + 2, [8_001])
    text = drawn([journal], [fault], ["lost: abc"], began)
    assert text.startswith("sequenceDiagram\n")
    assert text.count("t0a->>node0") == 1
    assert "Note over store: 1.000 node kill of node 0, to 2.000" in text
    assert text.endswith("Note over store: lost: abc")
