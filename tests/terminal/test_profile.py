"""Identities on disk, and locks that end with their process."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pierule_terminal import cli
from pierule_terminal.profile import Identity, Profile, ProfileTrouble, config_folder

SERVER = "ws://127.0.0.1:8000/ws"
ADA, BOB = Identity("token-a", "user-a"), Identity("token-b", "user-b")


def keep(profile: Profile, player: int, identity: Identity, server: str = SERVER) -> None:
    with profile.changing():
        profile.keep(server, player, identity)


def test_identities_are_kept_by_server_and_player(tmp_path: Path) -> None:
    profile = Profile(folder=tmp_path)
    assert profile.players(SERVER) == [None, None]
    keep(profile, 1, BOB)
    assert profile.players(SERVER) == [None, BOB]
    keep(profile, 0, ADA)
    keep(profile, 0, BOB, "wss://elsewhere/ws")
    again = Profile(folder=tmp_path)
    assert again.players(SERVER) == [ADA, BOB]
    assert again.players("wss://elsewhere/ws") == [BOB, None]
    keep(again, 0, BOB)
    assert profile.players(SERVER) == [BOB, BOB]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ws://127.0.0.1:8000/ws", "ws://localhost:8000/ws"),
        ("ws://[::1]:8000/ws", "ws://LOCALHOST:8000/ws/"),
        ("wss://Play.Example.org/ws", "wss://play.example.org:443/ws"),
        ("ws://play.example.org:80/ws", "WS://play.example.org./ws"),
    ],
)
def test_two_spellings_of_an_address_are_one_server(one: str, other: str, tmp_path: Path) -> None:
    profile = Profile(folder=tmp_path)
    keep(profile, 0, ADA, one)
    assert profile.players(other) == [ADA, None]
    assert profile.claim(one, "kobadimu", 0)


@pytest.mark.parametrize(
    "other",
    ["wss://localhost:8000/ws", "ws://localhost:8001/ws", "ws://localhost:8000/other",
     "ws://localhost.example.org:8000/ws", "nonsense", "ws://x:port/ws"],
)  # fmt: skip
def test_a_token_goes_to_no_other_server(other: str, tmp_path: Path) -> None:
    profile = Profile(folder=tmp_path)
    keep(profile, 0, ADA, "ws://localhost:8000/ws")
    assert profile.players(other) == [None, None]


def test_identities_that_were_kept_by_spelling_are_found(tmp_path: Path) -> None:
    profile = Profile(folder=tmp_path)
    old = {"ws://127.0.0.1:8000/ws": [{"token": ADA.token, "user": ADA.user}]}
    profile.path.write_text(json.dumps(old))
    assert profile.players("ws://localhost:8000/ws") == [ADA, None]


def test_profiles_do_not_share_identities(tmp_path: Path) -> None:
    keep(Profile(folder=tmp_path), 0, ADA)
    other = Profile("bob", folder=tmp_path)
    assert other.players(SERVER) == [None, None]
    assert other.path.name == "tokens-bob.json"


@pytest.mark.parametrize("name", ["", "../x", "a b", "x" * 33])
def test_names_of_profiles_are_plain(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProfileTrouble):
        Profile(name, folder=tmp_path)


def test_only_the_owner_can_read_identities(tmp_path: Path) -> None:
    profile = Profile(folder=tmp_path / "deep" / "er")
    keep(profile, 0, ADA)
    assert stat.S_IMODE(profile.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(profile.folder.stat().st_mode) == 0o700
    profile.path.chmod(0o644)
    keep(profile, 1, BOB)
    assert stat.S_IMODE(profile.path.stat().st_mode) == 0o600
    assert sorted(path.name for path in profile.folder.iterdir()) == ["lock", "tokens.json"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"x": [{}]}', b'{"x": [{"token": 1, "user": "u"}]}', b"\xff"]
)
def test_a_corrupt_file_is_named_and_not_overwritten(
    content: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    profile = Profile()
    profile.path.write_bytes(content)
    with pytest.raises(ProfileTrouble, match="cannot read"):
        keep(profile, 0, ADA)
    assert cli.main(["new", "loose", "--server", "ws://127.0.0.1:9/ws"]) == 1
    err = capsys.readouterr().err
    assert str(profile.path) in err
    assert "move it away" in err
    assert profile.path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    for command in ("new", "play"):
        assert cli.main([command, "loose"]) == 1
        assert "Not a directory" in capsys.readouterr().err


def test_the_folder_is_that_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    for value in ("", "relative/path"):
        monkeypatch.setenv("XDG_CONFIG_HOME", value)
        assert config_folder() == Path("/home/ada/.config/pierule")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/ada")
    assert config_folder() == Path("/etc/ada/pierule")


_HOLD = """
import sys
from pathlib import Path
from pierule_terminal.profile import Profile
profile = Profile(folder=Path(sys.argv[1]))
print(profile.claim("s", "room", 0), profile.claim("s", "room", 1), flush=True)
profile.release("s", "room", 1)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_profile_lock_ends_with_its_process(tmp_path: Path) -> None:
    ours = Profile(folder=tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True True\n"
        assert other.stdout.readline() == "ready\n"
        assert not ours.claim("s", "room", 0)
        assert ours.claim("s", "room", 1)
        assert ours.claim("s", "elsewhere", 0)
        assert ours.claim("t", "room", 0)
        assert Profile("bob", folder=tmp_path).claim("s", "room", 0)
        with ours.changing():
            ours.keep("s", 0, ADA)
        other.kill()
        other.wait()
    assert ours.claim("s", "room", 0)
