"""No sentence of the SPEC without a check, and no check without its sentence."""

from __future__ import annotations

import re
from pathlib import Path

from conform.mutations import MUTATIONS
from pierule_conform.checks.operating import never
from pierule_conform.checks.registry import covers, load
from pierule_conform.checks.watch import watches
from pierule_protocol.codes import CLOSE_MEANINGS, MEANINGS

SPEC = Path(__file__).parents[2] / "protocol" / "SPEC.md"
NUMBERED = re.compile(r"^(?:#+ )?(?P<number>\d+(?:\.\d+)*)\. ", re.MULTILINE)

CLIENTS = "it tells clients what to do"
SHOWN = "it shows by an example what was said before"
WATCHED = "the watches judge every message by it"
DRAWN = "it is about what clients draw and say: `pierule conform game` looks at it"
EXCUSED = {
    "1.9": CLIENTS,
    "1.10": CLIENTS,
    "1.11": "the budget is the address's, the kit's own: tests/server/gateway/test_budget.py",
    "1.12": "the store must be nearly full: tests/server/store/driver/test_memory_reserve.py",
    "1.13": "an address must be at its limit, as in tests/server/gateway/test_listener.py",
    "3.7": SHOWN,
    "3.8": CLIENTS,
    "4.5": SHOWN,
    "5.5": SHOWN,
    "5.6": CLIENTS,
    "6.6": "an event is lost between store and node: tests/e2e/test_store_failures.py drops one",
    "6.7": CLIENTS,
    "6.9": CLIENTS,
    "6.10": CLIENTS,
    "9.8": SHOWN,
    "9.9": CLIENTS,
    "9.10": "it takes ten minutes and more: tests/server/rooms/test_abandoned.py",
    "9.11": "the budget is the address's, the kit's own: tests/server/rooms/test_unfinished.py",
    "10.1": "it says how to read the tables",
    "10.3": WATCHED,
    "10.4": WATCHED,
    "10.5": WATCHED,
    "14.1": CLIENTS,
    "14.2": CLIENTS,
    "15.2": "it binds later versions of the SPEC",
    "15.3": CLIENTS,
    "15.5": CLIENTS,
    "15.6": "it binds this repository",
    "16.1": CLIENTS,
    "16.2": CLIENTS,
    "16.3": CLIENTS,
    "16.5": CLIENTS,
    "16.6": CLIENTS,
    "16.7": CLIENTS,
    "17.1": "it is about files",
    "17.2": "it is about files",
    "17.3": "it is about files",
    "17.4": "it is about files",
    "17.5": "it is about files",
    "17.6": "it is about files",
    "17.7": "it is about files",
    "17.8": "it is about files",
    "18.1": "it is about files",
    "18.2": "it is about files",
    "18.3": "it is about this program",
    "21.10": "how much more is kept is not said: tests/server/rooms/test_chat.py floods a channel",
    "21.9": "the operators must switch chat off",
    "22.1": "an operator must act",
    "22.2": "an operator must act",
    "22.3": "an operator must act",
    "22.4": "an operator must act",
    "24.6": "there must be an identity provider: tests/e2e/test_provider.py is one",
    "24.7": "there must be an identity provider: tests/e2e/test_provider.py is one",
    "24.8": "the operators must switch guests off: tests/e2e/test_provider.py does",
    "24.10": "it takes seven days: tests/server/lobby/test_names.py",
    "19.8": SHOWN,
    "20.4": CLIENTS,
    "27.15": CLIENTS,
    **dict.fromkeys(("26.3", "26.5", "26.6", "26.7", "26.8", "26.9", "26.10", "26.11"), DRAWN),
    **dict.fromkeys(("26.12", "26.13", "26.15"), DRAWN),
    "26.14": "a node must lack the rules of a room: tests/e2e/test_package.py",
    "27.1": "nodes have no part in it",
    **{
        f"28.{number}": "it is about files: tests/archive/test_proofs.py" for number in range(1, 10)
    },
    "28.11": "it is about files: tests/protocol/log/test_trust.py",
    **{
        f"27.{number}": "nodes have no part in it: tests/archive/api"
        for number in (*range(1, 14), 16, 17)
    },
    **{f"29.{number}": "it is for crawlers: tests/e2e/test_previews.py" for number in range(1, 6)},
    **{f"30.{number}": "it is about archives: tests/ratings" for number in range(3, 6)},
    "30.7": "three players must be waited for: tests/server/rooms/test_fair_play.py",
    "30.8": "an operator must act",
    "27.14": "there must be an archive: tests/e2e/test_archive_api.py",
    "25.4": "it is about records: tests/protocol/log/test_claims.py",
}
"""Paragraphs that do not bind servers, or cannot be tried from outside."""

EXCUSED_CODES = {
    "internal": "the server must have a fault: test_server_operating.py puts one into ours",
    "1001": "the server must go without draining: test_server_operating.py lets ours",
    "1011": "the server must fail: test_server_operating.py makes ours",
    "chat_off": "the operators must switch chat off",
    "no_guests": "the operators must switch guests off",
    "no_game": "a room must need rules that are not there: tests/e2e/test_package.py",
    "damaged": "a log must be damaged: tests/server/rooms/test_damage.py damages some",
    "full": "the store must be nearly full: tests/server/store/driver/test_memory_reserve.py",
    "banned": "an operator must act",
    "4005": "an operator must act",
}


def paragraphs() -> set[str]:
    """All numbers of the SPEC; of those with paragraphs of their own only the paragraphs."""
    numbers = {match["number"] for match in NUMBERED.finditer(SPEC.read_text("utf-8"))}
    return {one for one in numbers if not any(o != one and covers(one, o) for o in numbers)}


def checked() -> set[str]:
    tried = {one for check in load().values() for one in (check.section, *check.also)}
    return tried | {watch.section for watch in watches()}


def test_every_paragraph_is_checked_or_excused() -> None:
    assert paragraphs() == checked() | set(EXCUSED)
    assert not checked() & set(EXCUSED)


def test_every_code_is_provoked_or_excused() -> None:
    provoked = {code for check in load().values() for code in check.codes}
    known = {str(code) for code in MEANINGS} | {str(int(code)) for code in CLOSE_MEANINGS}
    assert known == provoked | set(EXCUSED_CODES)
    assert not provoked & set(EXCUSED_CODES)
    assert {one.title.split()[-1].strip("`") for one in never() if one.section == "7"} == set(
        EXCUSED_CODES
    )


def test_mutations_name_existing_checks_and_sections() -> None:
    assert len(MUTATIONS) >= 12
    for mutation in MUTATIONS:
        assert mutation.section in checked()
        assert set(mutation.checks) <= set(load())


def test_names_of_checks_are_unique_and_hyphenated() -> None:
    names = [*load(), *(watch.name for watch in watches())]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+|[a-z]+", name)
