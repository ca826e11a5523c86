"""`make abuse`: each attack that one address can run, and what it does to everybody else.

Somebody plays at the attacker's address and somebody at another one. Three times the node is killed
and started again, so that a school of thirty comes back at once, and all others with it. The node
has its default limits and an embedded store. Times are compared with those at rest, which is
measured before and after the attacks; the better of the two counts.

Somebody else plays all the while at a server of their own, which nobody attacks and which shares
nothing with the other but the machine. If actions took longer there than at rest, then the machine
was busy (a disk that stalls, attackers who need processors), and the resting value of actions is
that of the other server.

Exits with 1 if a p99 is not under `--factor` times its resting value, or the store grows by
`--megabytes` or more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median

import redis

from abuse.attacks import ATTACKS
from abuse.innocents import PACE, Player, school
from support.serving import Serving
from support.stores import free_port

ATTACKER, OTHER, SCHOOL = "127.0.0.1", "127.0.0.2", "127.0.0.3"
REST = "rest"
MEGABYTE = 1_000_000
RESTARTS = 3
"""How often the node is killed. Of what the school waits each time, the median counts."""

TIMES = "same", "other", "back"
ACTIONS = "same", "other"

FLAGS = "--api-port", "0"
"""The API of a node that was killed may still have its port when the next one starts."""


@dataclass
class Result:
    """What was measured: p99 in milliseconds (`back`: the median of the restarts; `elsewhere`:
    actions at a server that nobody attacks), growth of the store in bytes, and what the attackers
    were answered."""

    attack: str
    same: float
    other: float
    back: float
    elsewhere: float
    grown: int
    answers: dict[str, int] = field(default_factory=dict)


async def measure(attack: str, seconds: float, seed: int) -> Result:
    """Serve, attack (or rest) for so long, and see what becomes of the others."""
    with (
        serving() as attacked,
        serving() as untouched,
        redis.Redis.from_url(attacked.store_url) as store,
    ):
        return await _measured(attacked, untouched.url, store, attack, seconds, seed)


@contextmanager
def serving() -> Iterator[Serving]:
    """A node with the limits of its defaults and a store of its own."""
    with tempfile.TemporaryDirectory(prefix="abuse-") as folder:
        node = Serving(Path(folder), "--port", str(free_port()), *FLAGS, lifted=())
        with node:
            yield node


async def _measured(
    node: Serving, elsewhere: str, store: redis.Redis, attack: str, seconds: float, seed: int
) -> Result:
    same, other = Player(node.url, ATTACKER), Player(node.url, OTHER)
    witness = Player(elsewhere, OTHER)
    pupils = await school(node.url, SCHOOL)
    playing = (same, other, witness)
    for player in playing:
        await player.begin(round(1.5 * seconds / PACE))
    before = store.info("memory")["used_memory"]
    attackers = await _attackers(attack, same, seconds, seed)
    back = []
    everybody = [*pupils, same, other]
    try:
        for _ in range(RESTARTS):
            await asyncio.gather(*(each.play(seconds / (RESTARTS + 1)) for each in playing))
            node.kill()
            await asyncio.to_thread(node.start)
            times = await asyncio.gather(*(each.come_back() for each in everybody))
            back.append(p99(times[: len(pupils)]))
        await asyncio.gather(*(each.play(seconds / (RESTARTS + 1)) for each in playing))
        said = (await attackers.communicate())[0] if attackers else b"{}"
    finally:
        if attackers and attackers.returncode is None:
            attackers.kill()
            await attackers.wait()
    grown = store.info("memory")["used_memory"] - before
    for each in (*everybody, witness):
        await each.leave()
    actions = p99(same.seconds), p99(other.seconds)
    answers = json.loads(said)
    return Result(attack, *actions, median(back), p99(witness.seconds), grown, answers)


async def _attackers(attack: str, victim: Player, seconds: float, seed: int) -> Process | None:
    """The process that attacks; None at rest."""
    if attack == REST:
        return None
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "abuse.attacks", attack, victim.url, "--source", ATTACKER),
        *("--user", victim.user, "--room", victim.room),
        *("--seconds", str(seconds), "--seed", str(seed)),
        stdout=PIPE,
    )


def p99(seconds: Sequence[float]) -> float:
    """In milliseconds."""
    return sorted(seconds)[min(int(0.99 * len(seconds)), len(seconds) - 1)] * 1_000


def better(one: Result, other: Result) -> Result:
    """The lower time of each."""
    names = (*TIMES, "elsewhere")
    times = {name: min(getattr(one, name), getattr(other, name)) for name in names}
    return replace(one, **times)


def ratios(rest: Result, result: Result) -> dict[str, float]:
    """How much longer everything took than at rest. Actions rest where nobody attacks: in the
    quiet, or elsewhere at the same time if the machine was slower then."""
    resting = {name: getattr(rest, name) for name in TIMES}
    resting |= {name: max(resting[name], result.elsewhere) for name in ACTIONS}
    return {name: getattr(result, name) / resting[name] for name in TIMES}


def table(rest: Result, results: Sequence[Result]) -> Iterator[str]:
    """In Markdown."""
    heads = "action, same address", "other address", "elsewhere", "30 come back", "store", "answers"
    yield f"| attack | {' | '.join(heads)} |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for result in (rest, *results):
        same, other, back = (
            f"{getattr(result, name):.0f} ms ({ratio:.1f})"
            for name, ratio in ratios(rest, result).items()
        )
        most = sorted(result.answers.items(), key=lambda item: -item[1])[:4]
        said = ", ".join(f"{count} {answer}" for answer, count in most)
        grown = f"{result.grown / MEGABYTE:.1f} MB"
        cells = result.attack, same, other, f"{result.elsewhere:.0f} ms", back, grown, said
        yield f"| {' | '.join(cells)} |"


def missed(rest: Result, results: Sequence[Result], factor: float, megabytes: float) -> list[str]:
    """Which targets were."""
    found = []
    for result in results:
        for name, ratio in ratios(rest, result).items():
            if ratio >= factor:
                found.append(f"{result.attack}: {name} took {ratio:.1f} times as long as at rest")
        if result.grown >= megabytes * MEGABYTE:
            found.append(f"{result.attack}: the store grew by {result.grown / MEGABYTE:.1f} MB")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="abuse", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of each attack")
    parser.add_argument("--quick", action="store_true", help="8 seconds of each")
    parser.add_argument("--only", help=f"some of {', '.join(ATTACKS)}, separated by commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--factor", type=float, default=3.0)
    parser.add_argument("--megabytes", type=float, default=16.0)
    parser.add_argument("--json", type=Path, help="file for the figures")
    args = parser.parse_args()
    chosen = args.only.split(",") if args.only else list(ATTACKS)
    unknown = set(chosen) - set(ATTACKS)
    if unknown:
        parser.error(f"there is no attack {', '.join(sorted(unknown))}")
    seconds = 8.0 if args.quick else min(args.seconds, 600.0)
    print(f"seed {args.seed}, {seconds:.0f} s of each attack", flush=True)
    results = []
    for attack in (REST, *chosen, REST):
        results.append(asyncio.run(measure(attack, seconds, args.seed)))
        print(f"{attack}: done", file=sys.stderr, flush=True)
    before, *attacked, after = results
    rest = better(before, after)
    print("\n".join(table(rest, attacked)))
    if args.json:
        args.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    failures = missed(rest, attacked, args.factor, args.megabytes)
    print("\n".join(["", *failures]) if failures else "\nAll targets are met.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
