"""Flags over environment over defaults; what is wrong is named."""

from __future__ import annotations

import argparse
import re
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pierule
import pierule_bots
import pierule_terminal
from pierule_server import flags as reading
from pierule_server.flags import configure, from_arguments
from pierule_server.settings import Settings

NAMES = [setting.name for setting in fields(Settings)]
SECRET = {"keys", "archive_keys"}
OTHER: dict[str, tuple[str, Any]] = {
    "host": ("::1", "::1"),
    "workers": ("auto", "auto"),
    "port": ("0", 0),
    "store": ("redis://x", "redis://x"),
    "store_ca": ("/ca.pem", "/ca.pem"),
    "data": ("/tmp/d", Path("/tmp/d")),
    "archive": ("off", "off"),
    "archive_keys": ("k:secret", "k:secret"),
    "export_file": ("/tmp/rooms.jsonl", "/tmp/rooms.jsonl"),
    "origins": ("https://a.org,*", "https://a.org,*"),
    "page_url": ("https://a.org/play/", "https://a.org/play/"),
    "fsync": ("everysec", "everysec"),
    "keys": ("k:secret", "k:secret"),
    "accept_volatile_store": ("on", "on"),
    "affinity": ("on", "on"),
    "chat": ("off", "off"),
    "evaluations": ("off", "off"),
    "guests": ("off", "off"),
    "rate_bots": ("on", "on"),
    "webhooks": ("any", "any"),
    "store_seconds": ("0.5", 0.5),
    "store_memory": ("16777216", 16_777_216),
    "log_level": ("debug", "debug"),
    "log_format": ("json", "json"),
}
TEXTS = [
    "operations_host",
    "operations_port",
    "archive",
    "api_port",
    "trusted_proxies",
    "proxy_header",
    "bots",
    "jwks",
    "jwt_issuer",
    "jwt_audience",
    "jwt_algorithms",
    "jwt_user",
    "jwt_name",
]
OTHER |= dict.fromkeys(TEXTS, ("other", "other"))


def other(name: str) -> tuple[str, Any]:
    """Another value than the default, as text and as it is read."""
    return OTHER.get(name, ("77", 77))


@cache
def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    configure(made)
    return made


def read(*flags: str, **environment: str) -> Settings:
    return from_arguments(parser().parse_args(flags), environment)


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def variable(name: str) -> str:
    return "PIERULE_" + name.upper()


def test_settings_have_defaults() -> None:
    assert read() == read(UNRELATED="1", PIERULE_UNKNOWN="x") == Settings()


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_overrides_the_default(name: str) -> None:
    text, value = other(name)
    chosen = read(**{variable(name): text})
    assert getattr(chosen, name) == value != getattr(Settings(), name)
    assert [n for n in NAMES if getattr(chosen, n) != getattr(Settings(), n)] == [name]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SECRET])
def test_a_flag_overrides_the_environment(name: str) -> None:
    text, value = other(name)
    default = str(getattr(Settings(), name))
    assert getattr(read(flag(name), text, **{variable(name): default}), name) == value
    assert getattr(read(f"{flag(name)}={text}", **{variable(name): "nonsense"}), name) == value


def test_a_switch_without_a_value_is_on() -> None:
    assert read("--accept-volatile-store", "--port", "5").accept_volatile_store == "on"


@pytest.mark.parametrize("name", sorted(SECRET))
def test_secrets_cannot_be_flags(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They would stand in the list of processes."""
    with pytest.raises(SystemExit):
        read(flag(name), "k:secret")
    assert "unrecognized" in capsys.readouterr().err
    assert getattr(read(**{variable(name): "k:secret"}), name) == "k:secret"


FROM_ZERO = {
    "port",  # any free one
    # No limit, as their help says.
    *("connection_rate", "user_rate", "address_budget", "api_rate", "user_budget", "refusals"),
    *(
        "connections_per_address",
        "abandoned_per_address",
        "handshakes_per_address",
        "connections_per_user",
        "rooms_per_user",
        "seeks_per_user",
        "challenges_per_user",
        "chat_rate",
        "channel_rate",
        "api_rate",
    ),
    *(
        "replicas",
        "store_memory",
        "drain_seconds",
        "put_away_after",
        "retention",
        "jwt_leeway",
        "hsts",
    ),  # none at all; at once
}
"""Settings that may be 0."""
NUMBERS = [setting.name for setting in fields(Settings) if setting.type in ("int", "float")]
BAD: dict[str, list[str]] = {
    name: ["", "x", "-1", "nan", "inf", "1e99", "0x10", *([] if name in FROM_ZERO else ["0"])]
    for name in NUMBERS
}
for name, more in {
    "port": ["65536", "1.5"],
    "errors": ["99999999999"],
    "store_seconds": ["1e9"],
}.items():
    BAD[name] += more
BAD |= {
    name: ["", "no", "INFO"]
    for name in ("accept_volatile_store", "fsync", "chat", "log_level", "log_format")
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_the_source_of_a_bad_value(name: str) -> None:
    for text in BAD[name]:
        with pytest.raises(ValueError, match=rf"^{flag(name)} must be"):
            read(f"{flag(name)}={text}")
        with pytest.raises(ValueError, match=rf"^{variable(name)} must be"):
            read(**{variable(name): text})


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("proxy_header", "", "'' is not the name of a header"),
        ("proxy_header", "X-Real IP", "is not the name of a header"),
        ("page_url", "play.example.org", "is not the address of a page"),
        ("page_url", "https://play.example.org/#room", "is not the address of a page"),
        ("page_url", "https://", "is not the address of a page"),
        ("origins", "play.example.org", "'play.example.org' is neither"),
        ("origins", "https://a.org, https://b.org/play", "'https://b.org/play' is neither"),
        ("origins", "https://a.org:port", "is neither `*` nor an origin"),
        ("store_memory", "10", "10 bytes have no room for games: name at least 16777216 (16 MiB)"),
        ("store_memory", "16777215", "name at least 16777216"),
        ("data", "/etc/passwd", "'/etc/passwd' is a file, not a folder"),
        ("export_file", "/tmp", "'/tmp' is a folder"),
        ("export_file", "/nowhere/at/all/rooms.jsonl", "there is no folder '/nowhere/at/all'"),
        ("export_file", "/tmp/" + 300 * "a", "File name too long"),
    ],
)
def test_values_that_would_fail_silently_are_refused(name: str, text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=rf"^{flag(name)}: .*{re.escape(wrong)}"):
        read(f"{flag(name)}={text}")
    with pytest.raises(ValueError, match=rf"^{variable(name)}: "):
        read(**{variable(name): text})


@pytest.mark.parametrize(("name", "text"), [("origins", "null"), ("origins", "http://[::1]:8000/")])
def test_unusual_valid_values_are_accepted(name: str, text: str) -> None:
    assert getattr(read(f"{flag(name)}={text}"), name) == text


def test_descriptions_of_times_have_units() -> None:
    vague = [s.name for s in fields(Settings) if re.match(r"time\b", s.metadata["text"])]
    assert vague == []


@pytest.mark.parametrize("name", sorted(FROM_ZERO))
def test_some_limits_may_be_zero(name: str) -> None:
    assert getattr(read(f"{flag(name)}=0"), name) == 0


def test_unlimited_settings_are_among_those_that_may_be_zero() -> None:
    unlimited = {each.name for each in fields(Settings) if "0: no limit" in each.metadata["text"]}
    assert unlimited < FROM_ZERO


def test_numeric_settings_are_found_for_the_tests() -> None:
    assert len(NUMBERS) > 8


@cache
def shown_help() -> str:
    return " ".join(parser().format_help().replace("-\n", "-").split())


@pytest.mark.parametrize("name", NAMES)
def test_help_lists_every_setting(name: str) -> None:
    shown = shown_help()
    setting = next(setting for setting in fields(Settings) if setting.name == name)
    compact = shown.replace(" ", "")
    assert variable(name) in compact
    assert setting.metadata["text"].replace(" ", "") in compact
    if name not in SECRET:
        assert flag(name) in shown
        default = "~/.local/share/pierule" if setting.default is MISSING else setting.default
        assert f"[{variable(name)},default{default}]" in compact


def test_the_data_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert Settings().data == Path("/somewhere/pierule")
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert Settings().data == Path.home() / ".local/share/pierule"


def test_an_empty_data_folder_is_refused() -> None:
    with pytest.raises(ValueError, match="PIERULE_DATA: name a folder"):
        reading.from_arguments(parser().parse_args([]), {"PIERULE_DATA": ""})


def test_unknown_variables_are_named() -> None:
    environment = {
        "PIERULE_PORT": "1", "PIERULE_KEYS": "k", "PIERULE_SERVER": "ws://x", "PATH": "/bin",
        "PIERULE_OUTBOX_BYTE": "9", "PIERULE_TRUSTED_PROXY": "::1", "PIERULE_ZZZ": "",
    }  # fmt: skip
    assert reading.unknown(environment) == {
        "PIERULE_OUTBOX_BYTE": "PIERULE_OUTBOX_BYTES",
        "PIERULE_TRUSTED_PROXY": "PIERULE_TRUSTED_PROXIES",
        "PIERULE_ZZZ": None,
    }


def test_the_variables_of_clients_are_known() -> None:
    folders = [Path(package.__path__[0]) for package in (pierule, pierule_bots, pierule_terminal)]
    used = {
        name
        for folder in folders
        for path in folder.rglob("*.py")
        for name in re.findall(r'environ\.get\("(PIERULE_[A-Z_]+)"', path.read_text())
    }
    assert used
    assert reading.unknown(dict.fromkeys(used, "")) == {}
