"""The SPEC speaks of everything that there is, and what it shows is true."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args
from zlib import crc32

import msgspec
import pytest

from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.codec import client_codecs, server_codecs
from pierule_protocol.codes import CLOSE_MEANINGS, MEANINGS
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import AnyRecord
from pierule_protocol.messages import REPORTED, Limits, PositionDiff, RoomState, Welcome
from pierule_protocol.state.position import PositionState, digest, parse_position, position_text
from pierule_server.handlers.accounts import FEATURES
from pierule_server.settings import Settings
from support.shapes import CLIENT_TYPES, SERVER_TYPES
from support.vectors import reference
from support.vectors.examples import replies
from support.vectors.reference import written

FOLDER = Path(__file__).parents[2] / "protocol"
SPEC = (FOLDER / "SPEC.md").read_text("utf-8")
GUIDE = (FOLDER / "GUIDE.md").read_text("utf-8")
HAND_WRITTEN = re.sub(r"<!-- begin .*?<!-- end \w+ -->", "", SPEC, flags=re.DOTALL)

SAID = {rule for game in GAMES.values() for rule in game.texts["en"].refusals}


def section(number: int) -> str:
    found = re.search(rf"^## {number}\. .*?(?=^## \d|\Z)", SPEC, flags=re.DOTALL | re.MULTILINE)
    assert found, number
    return found[0]


def test_the_generated_parts_of_the_spec_are_up_to_date() -> None:
    """If this fails: `make generated`, and read the difference."""
    assert written(SPEC) == SPEC


def test_sections_are_numbered_without_holes() -> None:
    numbers = [int(n) for n in re.findall(r"^## (\d+)\. ", SPEC, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    for number in numbers:
        paragraphs = re.findall(rf"^(?:### )?{number}\.(\d+)\. ", section(number), re.MULTILINE)
        assert [int(n) for n in paragraphs] == list(range(1, len(paragraphs) + 1)), number


@pytest.mark.parametrize("text", [SPEC, GUIDE], ids=["spec", "guide"])
def test_paragraphs_that_are_cited_exist(text: str) -> None:
    there = set(re.findall(r"^(?:#+ )?(\d+(?:\.\d+)?)\. ", SPEC, flags=re.MULTILINE))
    cited = re.findall(r"\((?:SPEC )?((?:\d+\.\d+|\d+)(?:(?:,| to) (?:\d+\.\d+|\d+))*)\)", text)
    for group in cited:
        for number in re.findall(r"\d+\.\d+", group):
            assert number in there, group


def test_links_in_spec_and_guide_lead_somewhere() -> None:
    anchors = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", SPEC, flags=re.MULTILINE)
    }
    # The heading of a record or struct may say more after its name.
    anchors |= {title.split()[0].strip(",").lower()
                for title in re.findall(r"^#### (.*)$", SPEC, flags=re.MULTILINE)}  # fmt: skip
    for target in re.findall(r"\]\(#([^)]*)\)", SPEC):
        assert target in anchors, target
    for target in re.findall(r"\]\(([^#)]+)\)", SPEC + GUIDE):
        assert (FOLDER / target).exists(), target


def words() -> set[str]:
    """All words of the wire."""
    found = {str(kind.__struct_config__.tag) for kind in (*CLIENT_TYPES, *SERVER_TYPES)}
    found |= {str(kind.__struct_config__.tag) for kind in get_args(AnyRecord)}
    found |= {str(kind.__struct_config__.tag) for kind in get_args(ClockOptions)}
    for kind in (*CLIENT_TYPES, *SERVER_TYPES, *get_args(AnyRecord), *get_args(ClockOptions),
                 Limits, Welcome, RoomState, PositionState, PositionDiff):  # fmt: skip
        found |= set(kind.__struct_fields__)
    found |= {str(code) for code in MEANINGS} | set(REPORTED) | set(FEATURES) | SAID
    found |= {close.name.lower() for close in CLOSE_MEANINGS}
    found |= {
        "draining",
        "store_away",
        "store_back",
        "room_gone",
        "seek_expired",
        "rated_from",
        "your_turn",
        "challenge_declined",
        "challenge_withdrawn",
        "open",
        "running",
        "over",
    }
    found |= {"played", "pierule.room", *GAMES}
    return found


def stands(word: str) -> bool:
    """Whether the SPEC has it as a name, or in a shape."""
    return f'{{kind: "{word}"' in SPEC or bool(
        re.search(rf"[`\"]{re.escape(word)}[`\"]", SPEC)
        or re.search(rf"`{{kind: .*\b{word}\b.*}}`", SPEC)
    )


def test_the_spec_names_every_word_of_the_protocol() -> None:
    assert [word for word in sorted(words()) if not stands(word)] == []


@pytest.mark.parametrize("name", Limits.__struct_fields__)
def test_the_spec_explains_every_limit(name: str) -> None:
    assert f"`{name}`" in HAND_WRITTEN or f"`limits.{name}`" in HAND_WRITTEN


def test_limits_that_are_settings_have_the_names_of_settings() -> None:
    settings = {setting.name for setting in fields(Settings)}
    assert set(Limits.__struct_fields__) <= settings


def test_the_tables_of_codes_are_ours() -> None:
    """Code for code; the words of the SPEC may have some markup more."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section(7).splitlines()
        if re.match(r"\| [`\d]", line)
    ]
    told = {row[0].strip("`"): row for row in rows}
    assert set(told) == {*map(str, MEANINGS), *(str(int(close)) for close in CLOSE_MEANINGS)}
    for code, meaning in MEANINGS.items():
        _, text, again, user = told[str(code)]
        assert text.replace("`", "") == meaning.text
        assert again == ("yes" if meaning.retry else "no")
        assert user
    for close, means in CLOSE_MEANINGS.items():
        _, name, text, reconnect, user = told[str(int(close))]
        assert (name.strip("`"), text) == (close.name.lower(), means.text)
        assert reconnect == ("yes" if means.reconnect else "no")
        assert user


def examples() -> list[tuple[str, str, str, str]]:
    """Direction, type, JSON and msgpack of each example of section 10."""
    found = []
    for sender, name in (("client", "requests"), ("server", "replies")):
        block = SPEC.partition(f"<!-- begin {name} ")[2].partition(f"<!-- end {name} -->")[0]
        pattern = r"#### `(\w+)`.*?```json\n(.*?)\n```.*?```msgpack\n(.*?)\n```"
        found += [(sender, *m.groups()) for m in re.finditer(pattern, block, re.DOTALL)]
    return found  # type: ignore[return-value]


@pytest.mark.parametrize(("sender", "word", "text", "data"), examples(), ids=lambda v: v[:12])
def test_examples_decode(sender: str, word: str, text: str, data: str) -> None:
    codecs: dict[str, Any] = {**(server_codecs() if sender == "client" else client_codecs())}
    message = codecs["pierule.1.json"].decode(text)
    assert message == codecs["pierule.1.msgpack"].decode(bytes.fromhex(data))
    assert message.__struct_config__.tag == word
    vectors = json.loads((FOLDER / "vectors" / "codec.json").read_text("utf-8"))["messages"]
    same = [case for case in vectors if case["json"] == text]
    assert [case["msgpack"] for case in same] == ["".join(data.split())]


def test_further_examples_decode() -> None:
    blocks = re.findall(r"^More:\n\n```json\n(.*?)\n```", section(10), re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 20
    vectors = json.loads((FOLDER / "vectors" / "codec.json").read_text("utf-8"))["messages"]
    assert set(lines) <= {case["json"] for case in vectors}


def test_every_message_has_an_example_in_the_spec() -> None:
    kinds = {str(kind.__struct_config__.tag) for kind in (*CLIENT_TYPES, *SERVER_TYPES)}
    assert {word for _, word, _, _ in examples()} == kinds


def test_missing_parts_of_a_new_message_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reference.lacking() == []
    monkeypatch.setattr(reference, "requests", dict)
    monkeypatch.setattr(reference, "meaning", lambda kind, field: field if kind != "Act" else None)
    missing = reference.lacking()
    assert "an example of Act in tests/support/vectors/examples.py" in missing
    assert (
        "the meaning of Act.room in protocol/pierule_protocol/messages/request_fields.py" in missing
    )


def test_missing_parts_of_a_new_answer_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {name: each for name, each in replies().items() if name != "ok-receipt"}
    undescribed = {"Receipt", "PositionState", "Seated"}
    monkeypatch.setattr(reference, "replies", lambda: given)
    monkeypatch.setattr(
        reference, "meaning", lambda kind, field: field if kind not in undescribed else None
    )
    missing = reference.lacking()
    assert "an example of an ok with receipt in tests/support/vectors/examples.py" in missing
    folder = "protocol/pierule_protocol"
    for kind, field, file in (
        ("Receipt", "signature", "messages/reply_fields.py"),
        ("PositionState", "cells", "state/fields.py"),
        ("Seated", "user", "log/fields.py"),
    ):
        assert f"the meaning of {kind}.{field} in {folder}/{file}" in missing


BOARDS = re.findall(r"```board (\w+) (\d+) ([^\n]*)\n(.*?)```", SPEC, re.DOTALL)


@pytest.mark.parametrize(("game", "size", "actions", "drawn"), BOARDS)
def test_the_boards_of_the_spec_are_those_of_the_rules(
    game: str, size: str, actions: str, drawn: str
) -> None:
    position = GAMES[game].opening(int(size))
    for action in actions.split():
        after = position.play(action)
        assert not isinstance(after, Refusal), after
        position = after
    rows = position_text(position).split()[-1].split("/")
    assert [line.split() for line in drawn.splitlines()[:-1]] == [
        [str(int(size) - i), *row] for i, row in enumerate(rows)
    ]
    assert drawn.splitlines()[-1].split() == list("abcdefghijklmnopqrs"[: int(size)])


def test_every_game_of_the_spec_is_drawn_and_described() -> None:
    """A game that is added later describes itself by its document (SPEC 26)."""
    described = ("loose", "veletas", "taugo")
    assert {board[0] for board in BOARDS} == set(described)
    for number, game in zip((11, 12, 13), described, strict=True):
        assert section(number).startswith(f"## {number}. {game.title()}")


def test_the_worked_position_is_right() -> None:
    text = re.search(r"^    (loose 5 play \S.*)$", section(5), re.MULTILINE)
    assert text
    assert f"above it is {digest(text[1])}." in section(5)
    shown = re.search(r"```json\n(.*?)\n```", section(5), re.DOTALL)
    assert shown
    position = msgspec.json.decode(shown[1], type=PositionState)
    assert position_text(position) == text[1] == position_text(parse_position(text[1]))


def test_the_worked_chain_is_right() -> None:
    steps = re.findall(r"^(1 \d .*)\n  carried on from (\d+) gives (\d+)$", SPEC, re.MULTILINE)
    assert len(steps) == 2
    for data, before, after in steps:
        assert crc32(data.encode(), int(before)) == int(after)


def test_the_worked_diff_is_that_of_the_example() -> None:
    event = json.loads(next(text for _, word, text, _ in examples() if word == "event"))
    worked = re.sub(r"\s", "", section(4))
    for name, value in event["diff"].items():
        assert f'"{name}":{json.dumps(value, separators=(",", ":"))}' in worked


def test_the_guide_s_crc_carries_on() -> None:
    """Its pseudocode is Python in all but two lines."""
    written = re.search(r"^    crc32\(bytes, start = 0\):\n(?:     .*\n)+", GUIDE, re.MULTILINE)
    assert written is not None
    code = textwrap.dedent(written[0]).replace("crc32(", "def crc32(", 1)
    found: dict[str, Any] = {}
    exec(code.replace("repeat 8 times", "for _ in range(8)"), found)
    first, second = b"1 2 {}", "1700000001994 Žofie".encode()
    assert found["crc32"](first) == crc32(first)
    assert found["crc32"](second, crc32(first)) == crc32(second, crc32(first))


def test_the_guide_names_the_final_close_codes() -> None:
    written = re.search(r"if code in \{([\d, ]+)\}:  fault\(\)", GUIDE)
    assert written is not None
    final = [close for close, meaning in CLOSE_MEANINGS.items() if not meaning.reconnect]
    assert [int(code) for code in written[1].split(", ")] == sorted(final)
