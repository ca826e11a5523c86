"""What the benchmark of attacks makes of its figures, and which attacks it knows."""

from __future__ import annotations

from dataclasses import replace

from abuse.__main__ import MEGABYTE, Result, better, missed, p99, ratios, table
from abuse.attacks import ATTACKS, CONNECTIONS, TAKEBACKS, solo, steps_of, times
from pierule_games.refusal import Refusal
from support.games import games

REST = Result("rest", 10.0, 20.0, 100.0, 10.0, 0)


def test_p99_is_the_99th_percentile_in_milliseconds() -> None:
    assert p99([number / 1_000 for number in range(1, 201)]) == 199
    assert p99([0.002]) == 2


def test_every_attack_measures_every_target() -> None:
    well = Result("rooms", 29.0, 59.0, 299.0, 10.0, 16 * MEGABYTE - 1)
    assert missed(REST, [well], factor=3, megabytes=16) == []
    ill = Result("names", 30.0, 60.0, 300.0, 10.0, 16 * MEGABYTE)
    found = missed(REST, [well, ill], factor=3, megabytes=16)
    assert [line.partition(":")[0] for line in found] == ["names"] * 4
    assert "grew by 16.0 MB" in found[-1]


def test_rest_is_the_better_of_two() -> None:
    found = better(REST, Result("rest", 11.0, 19.0, 99.0, 9.0, 5))
    assert found == Result("rest", 10.0, 19.0, 99.0, 9.0, 0)


def test_the_table_shows_times_and_their_ratios() -> None:
    result = Result("chat", 20.0, 10.0, 150.0, 5.0, 2 * MEGABYTE, {"rate": 5, "ok": 9})
    head, line, _, shown = table(REST, [result])
    assert head.count("|") == line.count("|") == shown.count("|")
    assert shown == (
        "| chat | 20 ms (2.0) | 10 ms (0.5) | 5 ms | 150 ms (1.5) | 2.0 MB | 9 ok, 5 rate |"
    )


def test_what_the_machine_does_to_every_server_is_not_the_attack() -> None:
    busy = Result("legal", 90.0, 90.0, 100.0, 45.0, 0)
    assert ratios(REST, busy) == {"same": 2.0, "other": 2.0, "back": 1.0}
    quiet = replace(busy, elsewhere=20.0)
    assert ratios(REST, quiet) == {"same": 4.5, "other": 4.5, "back": 1.0}
    assert ratios(REST, replace(busy, back=300.0))["back"] == 3.0, "that is compared with rest"


def test_every_attack_says_what_it_does() -> None:
    assert len(ATTACKS) >= 9
    assert all(attack.__doc__ for attack in ATTACKS.values())


def test_no_attack_has_more_connections_than_the_others() -> None:
    assert times(solo) * 2 == CONNECTIONS
    assert times(ATTACKS["rooms"]) == CONNECTIONS


def test_whoever_plays_alone_takes_back_all_they_can_and_ends_no_game() -> None:
    game = max(games(), key=lambda game: game.turns)
    positions, actions, taken_back = [game.positions[0]], 0, [0, 0]
    for seat, action in steps_of(game):
        if not action:
            positions.pop()
            taken_back[seat] += 1
        assert positions[-1].to_act == seat
        if action:
            after = positions[-1].play(action)
            assert not isinstance(after, Refusal)
            positions.append(after)
            actions += 1
    assert taken_back == [TAKEBACKS, TAKEBACKS]
    assert positions[-1].to_act is not None
    assert len(positions) == game.turns
    assert actions == game.turns - 1 + sum(taken_back)
