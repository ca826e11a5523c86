"""What is spent at one worker is spent at all of them."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pierule_server.connections.limits import Allowance, Budget, TokenBuckets, Users, draw
from pierule_server.gateway.budget import buckets_of_games, budget_of_games
from pierule_server.settings import Settings
from pierule_server.workers.ledger import Ledger, WorkerLedger
from pierule_server.workers.messages import AnyFromWorker, AnyToWorker, Present, Spent

SETTINGS = Settings(address_budget=1, address_budget_burst=100, user_rate=1, user_burst=10,
                    connections_per_user=3)  # fmt: skip


class Worker:
    """A worker without sockets; what it says arrives when the `machine` delivers it."""

    def __init__(self, machine: Machine) -> None:
        chosen = SETTINGS
        self.machine = machine
        self.budgets = TokenBuckets(chosen.address_budget, chosen.address_budget_burst)
        self.users = Users(chosen.connections_per_user, chosen.user_rate, chosen.user_burst,
                           TokenBuckets(chosen.user_budget, chosen.user_budget_burst))  # fmt: skip
        games = buckets_of_games(chosen.address_budget, chosen.address_budget_burst)
        self.of_games = budget_of_games("192.0.2.1", games)
        listener = SimpleNamespace(token_buckets=self.budgets, games=games, users=self.users)
        self.account = WorkerLedger(cast("Any", listener), self.say)
        machine.workers.append(self)
        machine.ledger.begin(self, machine.now())

    def say(self, message: AnyFromWorker) -> None:
        if isinstance(message, Spent):
            self.machine.ledger.spent(self, message, self.machine.workers, self.machine.now())
        elif isinstance(message, Present):
            self.machine.ledger.present(self, message.user, message.count, self.machine.workers)

    def tell(self, message: AnyToWorker) -> None:
        self.account.hear(cast("Any", message))

    def pay(self, price: float) -> float:
        """Pay as an address; the seconds until it can, 0 if it did."""
        budget = Budget("address", [("192.0.2.1", 1)], self.budgets)
        waiting = draw([(budget, price)], self.machine.now())[0]
        self.account._tell()
        return waiting

    def enter(self) -> Allowance | None:
        """One more connection of Ada, if she may."""
        allowance = Allowance(0, 1, 0, self.users)
        return allowance if allowance.enter("ada", self.machine.now()) else None

    def ask(self, allowance: Allowance) -> float:
        waiting = allowance.wait(self.machine.now())
        self.account._tell()
        return waiting


class Machine:
    """A supervisor's ledger and its workers, on the loop's clock."""

    def __init__(self) -> None:
        self.ledger = Ledger(SETTINGS)
        self.workers: list[Worker] = []
        self.time = 1_000.0

    def now(self) -> float:
        return self.time


@pytest.fixture
async def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    loop = SimpleNamespace(time=machine.now, call_later=lambda *_: None)
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    return machine


def test_an_address_has_one_budget_at_all_workers(machine: Machine) -> None:
    one, two = Worker(machine), Worker(machine)
    assert one.pay(60) == 0
    assert two.pay(60) == pytest.approx(20)
    assert two.pay(40) == 0
    assert one.pay(1) == pytest.approx(1)
    machine.time += 5
    assert two.pay(5) == 0
    assert one.pay(1) == pytest.approx(1)


def test_new_games_of_an_address_count_at_all_workers(machine: Machine) -> None:
    one, two = Worker(machine), Worker(machine)
    at_once = 100 / 6
    assert draw([(one.of_games, at_once)], machine.now())[0] == 0
    one.account._tell()
    for each in (two, Worker(machine)):
        assert draw([(each.of_games, 1)], machine.now())[0] == pytest.approx(1_800)


def test_a_new_worker_knows_what_was_spent(machine: Machine) -> None:
    Worker(machine).pay(90)
    assert Worker(machine).pay(60) == pytest.approx(50)


def test_a_burst_exceeded_at_two_workers_is_paid_back(machine: Machine) -> None:
    """Two workers that have not heard of each other yet."""
    one, two = Worker(machine), Worker(machine)
    for each in (one, two):
        budget = Budget("address", [("192.0.2.1", 1)], each.budgets)
        assert draw([(budget, 100)], 1_000.0)[0] == 0
    for each in (one, two):
        each.account._tell()
    assert one.pay(1) == pytest.approx(101)
    assert two.pay(1) == pytest.approx(101)


def test_connections_of_a_user_count_at_all_workers(machine: Machine) -> None:
    one, two = Worker(machine), Worker(machine)
    first = one.enter()
    assert first is not None
    assert two.enter() is not None
    assert one.enter() is not None
    assert two.enter() is None
    assert one.enter() is None
    first.leave(machine.now())
    assert two.enter() is not None


def test_a_new_worker_knows_who_has_too_many_connections(machine: Machine) -> None:
    one = Worker(machine)
    for _ in range(3):
        assert one.enter() is not None
    two = Worker(machine)
    assert two.enter() is None


def test_the_connections_of_a_worker_that_has_ended_count_no_more(machine: Machine) -> None:
    one, two = Worker(machine), Worker(machine)
    for _ in range(3):
        assert one.enter() is not None
    assert two.enter() is None
    machine.workers.remove(one)
    machine.ledger.end(one, machine.workers)
    assert two.enter() is not None
    assert two.users.elsewhere == {}
    assert one not in machine.ledger._present["ada"]


def test_requests_of_a_user_count_at_all_workers(machine: Machine) -> None:
    one, two = Worker(machine), Worker(machine)
    here, there = one.enter(), two.enter()
    assert here is not None
    assert there is not None
    for _ in range(5):
        assert one.ask(here) == two.ask(there) == 0
    assert one.ask(here) > 0
    assert two.ask(there) > 0
    machine.time += 1
    assert one.ask(here) == 0
    assert two.ask(there) > 0


def test_spending_of_a_user_at_one_worker_is_not_shared(machine: Machine) -> None:
    one = Worker(machine)
    here = one.enter()
    assert here is not None
    here.wait(machine.now())
    assert not one.account._drawn
