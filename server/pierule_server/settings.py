"""What an operator can set: one table from which flags, environment and `--help` are made.

`--outbox-bytes 65536` and `PIERULE_OUTBOX_BYTES=65536` mean the same; the flag wins.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_type_hints

from pierule_protocol.messages import Limits


def _data_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "pierule"


FROM_ZERO = (0, 2**31 - 1)


def _setting(
    default: Any,
    text: str,
    *,
    secret: bool = False,
    choices: Any = None,
    bounds: tuple[float, float] = (1, 2**31 - 1),
    switch: bool = False,
) -> Any:
    """The flag of a `switch` alone means `on`."""
    metadata = {
        "text": text, "secret": secret, "choices": choices, "bounds": bounds, "switch": switch
    }  # fmt: skip
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. Sizes are in bytes, times in seconds."""

    host: str = _setting("127.0.0.1", "address to listen on")
    port: int = _setting(8000, "port to listen on; 0 takes a free one", bounds=(0, 65_535))
    operations_host: str = _setting(
        "127.0.0.1", "address on which operators ask for /healthz, /readyz and /metrics"
    )
    operations_port: str = _setting(
        "auto", "port of it; `auto`: 1000 above --port, free if that is; 0 takes a free one; `off`"
    )
    store: str = _setting(
        "embedded",
        "`embedded`, or the URL of a Redis or Valkey (redis://, rediss://, unix://); "
        "a cluster is recognized by itself; behind Sentinel "
        "redis+sentinel://HOST:PORT,HOST:PORT/SERVICE",
    )
    store_ca: str = _setting(
        "",
        "file of the authorities (PEM) that sign the certificate of a rediss:// store; default: "
        "those of the system",
    )
    replicas: int = _setting(
        0,
        "replicas that must have an action before it is acknowledged: give as many as there are, "
        "then no fail-over loses one; with fewer (a warning and /readyz say so) the one that is "
        "promoted may lack it. While they are missing, nobody can act",
        bounds=FROM_ZERO,
    )
    accept_volatile_store: Literal["on", "off"] = _setting(
        "off",
        "serve a store that may forget what it has acknowledged: without `appendonly yes`, or with "
        "a maxmemory-policy that throws keys away. /readyz goes on to say so",
        choices=("on", "off"),
        switch=True,
    )
    data: Path = field(
        default_factory=_data_folder, metadata={"text": "folder of the embedded store"}
    )
    fsync: Literal["always", "everysec"] = _setting(
        "always",
        "when the embedded store forces writes to disk: `always` loses no acknowledged action, "
        "`everysec` up to a second of them if the machine dies",
        choices=("always", "everysec"),
    )
    keys: str = _setting(
        "",
        "keys that sign identity tokens, `ID:SECRET,ID:SECRET`; the first signs, all are "
        "accepted. Needed with --store; the embedded store keeps its own",
        secret=True,
    )
    guests: Literal["on", "off"] = _setting(
        "on",
        "whether anybody may come in; `off`: only who has a token of the identity provider",
        choices=("on", "off"),
    )
    jwks: str = _setting(
        "",
        "file or https:// URL of the public keys (JWKS) of your identity provider, whose tokens "
        "(JWT) then prove who one is; needs `pierule[jwt]`; default: none",
    )
    jwt_issuer: str = _setting("", "issuer (`iss`) that its tokens must name")
    jwt_audience: str = _setting("", "audience (`aud`) that its tokens must be for")
    jwt_algorithms: str = _setting(
        "RS256,ES256,EdDSA", "algorithms by which they may be signed; with public keys only"
    )
    jwt_user: str = _setting(
        "sub",
        "claim that tells users apart; only its hash is shown, so take one that cannot be guessed",
    )
    jwt_name: str = _setting("name", "claim that says what they are called")
    jwt_leeway: int = _setting(
        60, "seconds by which the provider's clock may differ", bounds=(0, 600)
    )
    jwt_refresh: int = _setting(300, "time between two times that its keys are read")
    frame_bytes: int = _setting(16_384, "largest message that a client may send")
    outbox_bytes: int = _setting(1_048_576, "unsent bytes at which a slow client is closed")
    rooms_followed: int = _setting(64, "rooms that one connection may follow")
    rooms_cached: int = _setting(1_000, "rooms kept ready that nobody follows")
    errors: int = _setting(16, "frames that are no messages before a connection is closed")
    connection_rate: int = _setting(
        20, "requests a second of one connection; 0: no limit", bounds=FROM_ZERO
    )
    connection_burst: int = _setting(60, "requests at once of one connection that was silent")
    user_rate: int = _setting(
        40, "requests a second of one user at this node; 0: no limit", bounds=FROM_ZERO
    )
    user_burst: int = _setting(120, "requests at once of one user who was silent")
    address_budget: int = _setting(
        60,
        "what the requests of all guests of one address (of one /64 in IPv6, and 8 times as much "
        "of one /48) who are younger than a day may cost a second at this node, see the SPEC, "
        "1.11; 0: no limit, as load tests want it",
        bounds=FROM_ZERO,
    )
    address_budget_burst: int = _setting(1_800, "what they may cost at once after a silence")
    user_budget: int = _setting(
        20,
        "what the requests of any other user may cost a second at this node; 0: no limit",
        bounds=FROM_ZERO,
    )
    user_budget_burst: int = _setting(600, "what they may cost at once after a silence")
    refusals: int = _setting(
        200,
        "requests refused in a row for their rate before a connection is closed; 0: no limit",
        bounds=FROM_ZERO,
    )
    requests_queued: int = _setting(16, "frames of a connection read ahead while one is answered")
    connections_per_address: int = _setting(
        64,
        "connections of one address (of one /64 in IPv6) at this node; 0: no limit",
        bounds=FROM_ZERO,
    )
    handshakes_per_address: int = _setting(
        10,
        "handshakes a second of one address, after 128 at once; beyond them the answer is 429, or "
        "none; 0: no limit",
        bounds=FROM_ZERO,
    )
    connections_per_user: int = _setting(
        16, "connections of one user at this node; 0: no limit", bounds=FROM_ZERO
    )
    rooms_per_user: int = _setting(
        50,
        "rooms that a user may have open or running, made or sat in; 0: no limit",
        bounds=FROM_ZERO,
    )
    abandoned_per_address: int = _setting(
        20,
        "open rooms made from one address (one /64 in IPv6) in which nobody waits; one more ends "
        "the oldest; 0: no limit",
        bounds=FROM_ZERO,
    )
    seeks_per_user: int = _setting(
        3, "seeks of a user that may wait, over all nodes; 0: no limit", bounds=FROM_ZERO
    )
    challenges_per_user: int = _setting(
        10, "challenges of a user that may stand; 0: no limit", bounds=FROM_ZERO
    )
    chat: Literal["on", "off"] = _setting(
        "on", "whether people can chat in rooms", choices=("on", "off")
    )
    chat_rate: int = _setting(
        1,
        "chat messages a second of one user, at this node and in one channel; 0: no limit",
        bounds=FROM_ZERO,
    )
    chat_burst: int = _setting(5, "chat messages at once of one user who was silent")
    messages_kept: int = _setting(
        200, "messages that each channel of a room's chat keeps", bounds=(1, 1_000)
    )
    channel_rate: int = _setting(
        2,
        "chat messages a second of all users together in one channel of a room; 0: no limit",
        bounds=FROM_ZERO,
    )
    channel_burst: int = _setting(20, "chat messages at once in a channel that was silent")
    messages_for_reports: int = _setting(
        1_000,
        "messages that each channel of a room's chat keeps so that they can be reported, "
        "--messages-kept among them; older ones are not pushed out sooner than --channel-rate lets",
        bounds=(1, 10_000),
    )
    webhooks: Literal["off", "public", "any"] = _setting(
        "public",
        "webhooks of registered users, called when it is their turn and they are not connected: "
        "`public` calls https:// at addresses that all the world can reach, `any` also http:// and "
        "whatever this node can reach, which is for networks where everybody is trusted",
        choices=("off", "public", "any"),
    )
    page_url: str = _setting(
        "", "address of the page, https://play.example.org/, to which webhooks link; default: none"
    )
    origins: str = _setting(
        "",
        "origins of pages that may connect, https://a.org,https://b.org; `*` allows all; "
        "default: those of the host that was asked for",
    )
    trusted_proxies: str = _setting(
        "", "addresses and networks of proxies that may name their client, 10.0.0.0/8,::1"
    )
    proxy_header: str = _setting("X-Forwarded-For", "header in which they name it")
    hsts: int = _setting(
        31_536_000,
        "time for which a browser that came by TLS comes by TLS alone (HSTS); a trusted proxy says "
        "so with `X-Forwarded-Proto: https`. 0: never sent",
        bounds=FROM_ZERO,
    )
    buffer_bytes: int = _setting(
        65_536,
        "what the system may buffer of a connection, each way; less shows a slow client sooner",
    )
    handshake_seconds: int = _setting(10, "time in which a client must ask for a WebSocket")
    hello_seconds: int = _setting(10, "time in which a client must say hello")
    ping_seconds: int = _setting(20, "time between pings, and for their answers")
    close_seconds: int = _setting(5, "time that closing may take, of one client and at shutdown")
    drain_seconds: int = _setting(
        10,
        "time in which clients are sent away after SIGTERM or Ctrl-C; a second one: at once",
        bounds=(0, 3_600),
    )
    archive_after: int = _setting(
        600, "time after its end at which a room is archived", bounds=FROM_ZERO
    )
    retention: int = _setting(
        2_592_000,
        "time for which an archived room is kept; 30 days. After that it is unknown",
        bounds=FROM_ZERO,
    )
    archive_file: str = _setting(
        "",
        "file to which every archived room is appended as a line of JSON, which `pierule verify` "
        "checks; one file for each node. It may be moved away at any time",
    )
    bots: str = _setting(
        "", "house bots that this node runs, by level: `random,one-step,search`; default: none"
    )
    store_seconds: float = _setting(
        5.0, "time after which the store counts as not answering", bounds=(0.01, 3_600)
    )
    log_level: str = _setting("info", "what to log", choices=("debug", "info", "warning", "error"))
    log_format: str = _setting("text", "how to log", choices=("text", "json"))

    @property
    def limits(self) -> Limits:
        """Those that clients are told of."""
        return Limits(**{name: getattr(self, name) for name in Limits.__struct_fields__})


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the parser a flag for every setting; secrets come from the environment alone."""
    for setting in fields(Settings):
        text = setting.metadata["text"]
        variable = _variable(setting.name)
        if setting.metadata.get("secret"):
            parser.epilog = f"{parser.epilog or ''}{variable}: {text}.\n"
            continue
        shown = "" if setting.name == "data" else f", default {setting.default}"
        action = parser.add_argument(
            _flag(setting.name),
            help=f"{text} [{variable}{shown}]",
            metavar=setting.name.rpartition("_")[2].upper(),
            dest=setting.name,
        )
        if setting.metadata.get("switch"):
            action.nargs, action.const = "?", "on"


def from_arguments(args: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings from flags, then environment, then defaults. Raises ValueError, naming what."""
    types = get_type_hints(Settings)
    chosen: dict[str, Any] = {}
    for setting in fields(Settings):
        flag = getattr(args, setting.name, None)
        given = environment.get(_variable(setting.name)) if flag is None else flag
        if given is None:
            continue
        source = _variable(setting.name) if flag is None else _flag(setting.name)
        chosen[setting.name] = _read(given, types[setting.name], setting.metadata, source)
    return Settings(**chosen)


_PREFIX = "PIERULE_"

CLIENTS = {"PLAIN", "SERVER", "TOKEN", "TOKEN_FILE"}
"""Variables of the commands that are clients, which may stand in the same environment."""


def unknown(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that look like ours and are not, each with the one that may be meant."""
    known = [setting.name.upper() for setting in fields(Settings)]
    given = {name.removeprefix(_PREFIX) for name in environment if name.startswith(_PREFIX)}
    found: dict[str, str | None] = {}
    for name in sorted(given - {*known, *CLIENTS}):
        near = get_close_matches(name, known, 1)
        found[_variable(name)] = _variable(near[0]) if near else None
    return found


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _read(text: str, kind: type, about: Mapping[str, Any], source: str) -> Any:
    choices = about.get("choices")
    if choices:
        if text not in choices:
            raise ValueError(f"{source} must be one of {', '.join(choices)}, not {text!r}")
        return text
    if kind not in (int, float):
        return kind(text)
    least, most = about["bounds"]
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f"{source} must be a number, not {text!r}") from None
    if not least <= value <= most:  # nor is NaN
        raise ValueError(f"{source} must be from {least} to {most}, not {text}")
    return value
