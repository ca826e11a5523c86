"""`pierule verify` with keys and digests: dumps in, the one altered game out."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pierule_protocol.log.digest import Digest, digest_hash
from pierule_protocol.log.events import Resigned
from pierule_protocol.log.proof import key_id
from pierule_protocol.log.record import Amendment, RoomRecord
from pierule_terminal import cli
from support.forging import collide, ends, rewrite
from support.signing import KEY, OTHER, public_of
from support.story import Story
from support.vectors.proofs import amendment, digests, receipted, record, signed

ROOMS = ["kobadimu", "losatefa", "dimutobu", "hakobadi"]
PUBLIC, ID = public_of(KEY).hex(), key_id(public_of(KEY))


def game(feed: int) -> RoomRecord:
    story = Story(room=ROOMS[feed - 1])
    story.act("komi:12", "black", *["c3", "b2"][: feed % 3], "pass", "pass")
    return record(story, feed)


GAMES = [game(feed) for feed in (1, 2, 3, 4)]
DUMP: list[RoomRecord | Amendment] = [*GAMES, amendment(GAMES[0], feed=5)]
LISTED = digests(DUMP, private=("dimutobu",))


def write(path: Path, several: list[Any], feeds: list[int] | None = None) -> str:
    lines = [msgspec.json.encode(each) + b"\n" for each in several]
    lines += [b'{"feed":%d}\n' % feed for feed in feeds or []]
    data = b"".join(lines)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def run(*argv: str) -> int:
    return cli.main(["verify", *argv])


@pytest.fixture
def listed(tmp_path: Path) -> str:
    return write(tmp_path / "digests.ndjson", LISTED)


def test_a_dump_is_verified_offline(
    tmp_path: Path, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = write(tmp_path / "dump.ndjson.gz", DUMP, [6])
    assert run(dump, "--key", PUBLIC, "--digests", listed, "--complete") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert lines[0].endswith(f":1: true: kobadimu, loose 5, 7 events, over, signed by {ID}, "
                             "in digest 1")  # fmt: skip
    assert lines[4].endswith(f":5: true: room kobadimu, the result is void, signed by {ID}, "
                             "in digest 3")  # fmt: skip
    assert lines[5].endswith(":6: number 6 is private")
    assert lines[6] == (
        f"digests 1 to 3 cover the feed numbers 1 to 5; the hash of the last digest is "
        f"{digest_hash(LISTED[-1])}"
    )


def test_an_answer_of_the_archives_api_is_no_private_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = msgspec.to_builtins(GAMES[0].proof)
    answers = [
        {"feed": 1, "room": "kobadimu", "events": [], "proof": proof},
        {"feed": 1, "cursor": "1", "superseded_by": 9},
        {"feed": 6, "cursor": "6", "private": True},
    ]
    file = write(tmp_path / "answers.json", answers)
    assert run(file, "--key", PUBLIC) == 2
    out, err = capsys.readouterr()
    assert [line.split(": ", 2)[2] for line in err.splitlines()] == [
        "not a record: this is an answer of the archive's API (SPEC 27); "
        f"`pierule games {name} -o FILE` downloads the record"
        for name in ("kobadimu", "1")
    ]
    assert out.endswith(":3: number 6 is private\n")


def test_all_files_of_a_dump_can_be_given_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = write(tmp_path / "digests.ndjson.gz", LISTED)
    dump = write(tmp_path / "games.ndjson.gz", DUMP, [6])
    names = write(tmp_path / "players.ndjson.gz", [{"id": "u1", "name": "Ann"}])
    assert run(listed, dump, names, "--key", PUBLIC, "--complete") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{names}: names of players, which are not signed"
    assert [line.startswith(f"{dump}:") for line in lines[1:]] == [True] * 6 + [False]
    assert lines[-1].startswith("digests 1 to 3 cover the feed numbers 1 to 5")


def test_the_one_altered_game_is_found(
    tmp_path: Path, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is true to its own events, so only its signature tells."""
    other = Story(room=ROOMS[1])
    other.act("komi:12", "white", "c3", "b2", "pass", "pass")
    forged = msgspec.structs.replace(record(other, 2), proof=GAMES[1].proof)
    dump = write(tmp_path / "dump.ndjson", [GAMES[0], forged, *GAMES[2:]])
    assert run(dump) == 0
    assert capsys.readouterr().out.count(f"signed by an unknown key: {ID}") == 4
    assert run(dump, "--key", PUBLIC, "--digests", listed) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [f"{dump}:{number}: true" in line for number, line in enumerate(lines[:4], 1)] == [
        True, False, True, True,
    ]  # fmt: skip
    assert lines[1] == (
        f"{dump}:2: altered: room losatefa: this is not what key {ID} signed; "
        "digest 1 lists its signature, so the record was changed"
    )


def test_the_altered_event_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = rewrite(GAMES[0], 5, action="d3")
    assert run(write(tmp_path / "a", [changed]), "--key", PUBLIC, "--json") == 1
    (found,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (found["line"], found["event"], found["proof"]) == (1, 5, "altered")
    assert found["why"].startswith("its chain is recorded as ")


def test_a_forged_log_of_the_same_crc_is_reported_as_altered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = Story()
    story.act("komi:12", "black")
    story.add(Resigned(1, "n9"))
    true = record(story, 1)
    assert true.final.result is not None
    forged = collide(true, len(true.events), seat=0)
    forged = ends(forged, result=msgspec.structs.replace(true.final.result, winner=1))
    file = write(tmp_path / "a", [forged])
    assert run(file) == 0
    assert run(file, "--key", PUBLIC) == 1
    assert "altered: room kobadimu" in capsys.readouterr().out


def test_records_of_unpinned_keys_and_unsigned_records_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = write(tmp_path / "a", [GAMES[0], msgspec.structs.replace(GAMES[1], proof=msgspec.UNSET)])
    other = public_of(OTHER).hex()
    assert run(dump, "--key", other) == 4
    out = capsys.readouterr().out
    assert f"a:1: true: kobadimu, loose 5, 7 events, over, signed by an unknown key: {ID}" in out
    assert "a:2: true: losatefa, loose 5, 8 events, over, unsigned: it has no proof" in out
    assert run(dump, "--key", other, "--key", PUBLIC, "--json") == 4
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["proof"] for each in found] == ["verified", "unsigned"]
    assert run(dump) == 0


def test_records_of_rotated_and_revoked_keys_are_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = [signed(each, OTHER) for each in GAMES[2:]]
    several = digests([*GAMES[:2], *GAMES[2:]])
    new = digests([*GAMES[:2], *later], key=OTHER)
    dump = write(tmp_path / "a", [*GAMES[:2], *later])
    file = write(tmp_path / "d", [several[0], new[1]])
    both = "--key", PUBLIC, "--key", public_of(OTHER).hex()
    assert run(dump, *both, "--digests", file) == 0
    assert run(dump, "--key", PUBLIC, "--digests", file) == 4
    revoked = f"{PUBLIC}@{digest_hash(several[0])}"
    assert run(dump, "--key", revoked, *both[2:], "--digests", file) == 0
    stolen = write(tmp_path / "b", GAMES)
    capsys.readouterr()
    file = write(tmp_path / "d", several)
    assert run(stolen, "--key", revoked, "--digests", file) == 4
    out = capsys.readouterr().out
    assert out.count(f"signed by a revoked key: {ID}; you trust it only up to digest 1") == 3


def test_missing_games_of_a_dump_are_named(
    tmp_path: Path, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    few = write(tmp_path / "a", [GAMES[0]])
    assert run(few, "--key", PUBLIC, "--digests", listed) == 0
    capsys.readouterr()
    assert run(few, "--key", PUBLIC, "--digests", listed, "--complete") == 1
    out = capsys.readouterr().out
    assert "number 2 (room losatefa) is in none of the files" in out
    assert "number 3" not in out
    packed = Path(write(tmp_path / "b.gz", DUMP))
    packed.write_bytes(packed.read_bytes()[:-20])
    assert run(str(packed)) == 2
    assert f"pierule verify: {packed}: it is damaged or cut short" in capsys.readouterr().err


def test_a_rewritten_past_is_found(
    tmp_path: Path, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = digest_hash(LISTED[1])
    assert run("--key", PUBLIC, "--digests", listed, "--since", kept) == 0
    assert f"digest 2 is unchanged: {kept}" in capsys.readouterr().out
    rewritten = digests([GAMES[0], GAMES[3]])
    new = write(tmp_path / "new", rewritten)
    assert run("--key", PUBLIC, "--digests", new, "--since", kept) == 1
    assert f"the past was rewritten: no digest has the hash {kept}" in capsys.readouterr().out
    assert run("--key", PUBLIC, "--digests", new, "--digests", listed) == 1
    assert (
        "it is there twice, and the two differ at 2 (room hakobadi, losatefa)"
        in capsys.readouterr().out
    )


def test_digests_that_do_not_chain_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed: Digest = msgspec.structs.replace(LISTED[0], leaves=LISTED[0].leaves[::-1])
    file = write(tmp_path / "d", [changed, *LISTED[1:]])
    assert run("--key", PUBLIC, "--digests", file, "--json") == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["true"], each["digests"][:10]) for each in found] == [
        (False, "digest 1: "), (False, "digest 2: "), (True, "digests 1 "),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ([], "give a FILE or --digests"),
        (["a", "--since", "0" * 64], "--since and --complete need --digests"),
        (["a", "--key", "abc"], "'abc' is not a key"),
        (["--digests", "nosuchfile"], "nosuchfile: No such file"),
    ],
)
def test_wrong_usage_exits_with_2(
    argv: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*argv) == 2
    assert f"pierule verify: {why}" in capsys.readouterr().err.replace(": error:", ":")


def test_a_damaged_line_of_digests_is_named(
    tmp_path: Path, listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(listed).read_bytes()
    (tmp_path / "d").write_bytes(data[:-9])
    assert run("--digests", str(tmp_path / "d")) == 2
    assert f"{tmp_path / 'd'}:3: not a digest: " in capsys.readouterr().err


def test_without_cryptography_the_error_says_what_to_install(tmp_path: Path) -> None:
    """The light client comes without `cryptography`."""
    file = write(tmp_path / "a", [GAMES[0]])
    code = (
        "import sys; sys.modules['cryptography'] = None; from pierule_terminal import cli; "
        f"print(cli.main(['verify', {file!r}])); sys.exit(cli.main(['verify', {file!r}, "
        f"'--key', {PUBLIC!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )  # fmt: skip
    assert done.returncode == 2
    assert "signed by an unknown key" in done.stdout
    assert "pip install 'pierule[proof]'" in done.stderr


def test_a_receipt_proves_what_was_acknowledged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    early = Story(room=ROOMS[0])
    early.act("komi:12", "black")
    file = write(tmp_path / "early", [receipted(early.record)])
    assert run(file, "--key", PUBLIC) == 0
    said = f"{file}:1: true: kobadimu, loose 5, 4 events, running, acknowledged by {ID}\n"
    assert capsys.readouterr().out == said
    assert run(file, "--key", public_of(OTHER).hex()) == 4
    assert "signed by an unknown key" in capsys.readouterr().out


@pytest.mark.parametrize("lacks", ["the end", "another action", "nothing"])
def test_events_that_a_later_record_lacks_are_named(
    lacks: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    early, late = Story(room=ROOMS[0]), Story(room=ROOMS[0])
    early.act("komi:12", "black", "c3")
    late.act("komi:12", *{"the end": ["black"], "another action": ["black", "b2"],
                          "nothing": ["black", "c3", "b2"]}[lacks])  # fmt: skip
    first = write(tmp_path / "early", [receipted(early.record)])
    second = write(tmp_path / "late", [receipted(late.record)])
    status = run(first, second, "--key", PUBLIC)
    last = capsys.readouterr().out.splitlines()[-1]
    if lacks == "nothing":
        assert status == 0
        return
    assert status == 1
    assert last == (
        f"{second}:1: not true: receipt: an earlier file has a receipt for an event that this "
        "record lacks"
    )
    assert run(first, second, "--key", PUBLIC, "--json") == 1
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["true"], told["event"], told["where"]) == (False, 5, "receipt")
