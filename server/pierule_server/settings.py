"""What an operator can set: one table that gives flags, variables and `--help`.

`--outbox-bytes 65536` and `PIERULE_OUTBOX_BYTES=65536` mean the same; the flag wins.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_type_hints

from pierule_protocol.messages import Limits
from pierule_server import setting_checks as checks


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
    check: Callable[[str], None] | None = None,
) -> Any:
    """The flag of a `switch` without a value means `on`. `check` raises ValueError."""
    metadata = {
        "text": text, "secret": secret, "choices": choices, "bounds": bounds, "switch": switch,
        "check": check,
    }  # fmt: skip
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. Sizes are in bytes, times in seconds."""

    host: str = _setting("127.0.0.1", "address to listen on")
    port: int = _setting(8000, "port to listen on; 0 takes a free one", bounds=(0, 65_535))
    workers: str = _setting(
        "1",
        "node processes behind the port; `auto`: one for each core but one. SIGHUP replaces them",
        check=checks.are_workers,
    )
    worker_restarts: int = _setting(
        8, "how often in a row the supervisor restarts a worker that fails before it gives up"
    )
    affinity: Literal["auto", "on", "off"] = _setting(
        "auto",
        "whether clients that join a room are sent to the node of its other clients (SPEC 1.16): "
        "`auto`: among workers; `on`: proxies before this node obey the hint, too; `off`: never",
        choices=("auto", "on", "off"),
    )
    operations_host: str = _setting(
        "127.0.0.1", "address on which operators get /healthz, /readyz and /metrics"
    )
    operations_port: str = _setting(
        "auto",
        "port for them; `auto`: 1000 above --port (or free, if that is); 0: a free one; or `off`",
    )
    store: str = _setting(
        "embedded",
        "`embedded`, or the URL of a Redis or Valkey (redis://, rediss://, unix://); a cluster is "
        "recognized; behind Sentinel redis+sentinel://HOST:PORT,HOST:PORT/SERVICE",
    )
    store_ca: str = _setting(
        "",
        "file of the authorities (PEM) that sign the certificate of a rediss:// store; default: "
        "those of the system",
    )
    replicas: int = _setting(
        0,
        "replicas that must have an action before it is acknowledged. With the number of all "
        "replicas, no fail-over loses an action; with fewer (a warning and /readyz say so), the "
        "promoted replica may lack it. While replicas are missing, nobody can act",
        bounds=FROM_ZERO,
    )
    accept_volatile_store: Literal["on", "off"] = _setting(
        "off",
        "serve a store that may forget what it has acknowledged: without `appendonly yes`, or with "
        "a maxmemory-policy that evicts keys. /readyz still says so",
        choices=("on", "off"),
        switch=True,
    )
    data: Path = field(
        default_factory=_data_folder, metadata={"text": "folder of the embedded store"}
    )
    store_memory: int = _setting(
        0,
        "bytes that the data of the embedded store may take; 0: half of the memory of the machine, "
        "or of the container or unit. When three quarters are used, nothing new is taken",
        bounds=(0, 2**50),
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
        "whether guests may come in; `off`: only users with a token of the identity provider",
        choices=("on", "off"),
    )
    jwks: str = _setting(
        "",
        "file or https:// URL of the public keys (JWKS) of your identity provider, whose tokens "
        "(JWT) then identify users; needs `pierule[jwt]`; default: none",
    )
    jwt_issuer: str = _setting("", "issuer (`iss`) that its tokens must name")
    jwt_audience: str = _setting("", "audience (`aud`) that its tokens must be for")
    jwt_algorithms: str = _setting(
        "RS256,ES256,EdDSA", "algorithms that may sign them; only those with public keys"
    )
    jwt_user: str = _setting(
        "sub",
        "claim that identifies users; only its hash is shown, so use one that nobody can guess",
    )
    jwt_name: str = _setting("name", "claim that holds their name")
    jwt_leeway: int = _setting(
        60, "seconds by which the provider's clock may differ", bounds=(0, 600)
    )
    jwt_refresh: int = _setting(300, "seconds after which its keys are read again")
    frame_bytes: int = _setting(16_384, "bytes of the largest message that a client may send")
    outbox_bytes: int = _setting(1_048_576, "unsent bytes at which a slow client is closed")
    rooms_followed: int = _setting(64, "rooms that one connection may follow")
    rooms_cached: int = _setting(1_000, "rooms without followers that stay in memory")
    errors: int = _setting(16, "invalid frames after which a connection is closed")
    connection_rate: int = _setting(
        20, "requests a second of one connection; 0: no limit", bounds=FROM_ZERO
    )
    connection_burst: int = _setting(60, "requests at once of one connection after a silence")
    user_rate: int = _setting(
        40, "requests a second of one user at this node; 0: no limit", bounds=FROM_ZERO
    )
    user_burst: int = _setting(120, "requests at once of one user after a silence")
    address_budget: int = _setting(
        60,
        "cost a second, at this node, of the requests of all guests of one address who are younger "
        "than a day (in IPv6 of one /64; one /48 has 8 times as much). Older guests have twice as "
        "much together (SPEC 1.11); 0: no limit, for load tests",
        bounds=FROM_ZERO,
    )
    address_budget_burst: int = _setting(1_800, "the same cost, all at once after a silence")
    user_budget: int = _setting(
        20,
        "cost a second, at this node, of the requests of an older guest, or of a user of an "
        "identity provider; 0: no limit",
        bounds=FROM_ZERO,
    )
    user_budget_burst: int = _setting(600, "the same cost, all at once after a silence")
    refusals: int = _setting(
        200,
        "requests refused in a row for their rate, after which a connection is closed; 0: no limit",
        bounds=FROM_ZERO,
    )
    requests_queued: int = _setting(
        16, "frames of a connection to read ahead while it waits for an answer"
    )
    connections_per_address: int = _setting(
        64,
        "connections of one address (or /64 in IPv6) at this node; 0: no limit",
        bounds=FROM_ZERO,
    )
    handshakes_per_address: int = _setting(
        10,
        "handshakes a second of one address, after 128 at once; further ones get 429 or no answer; "
        "0: no limit",
        bounds=FROM_ZERO,
    )
    connections_per_user: int = _setting(
        16, "connections of one user at this node; 0: no limit", bounds=FROM_ZERO
    )
    rooms_per_user: int = _setting(
        50, "open or running rooms that a user made or sits in; 0: no limit", bounds=FROM_ZERO
    )
    abandoned_per_address: int = _setting(
        20,
        "open rooms made from one address (one /64 in IPv6) in which nobody waits; one more ends "
        "the oldest; 0: no limit",
        bounds=FROM_ZERO,
    )
    seeks_per_user: int = _setting(
        3, "waiting seeks of a user, over all nodes; 0: no limit", bounds=FROM_ZERO
    )
    challenges_per_user: int = _setting(
        10, "standing challenges of a user; 0: no limit", bounds=FROM_ZERO
    )
    chat: Literal["on", "off"] = _setting("on", "whether there is chat", choices=("on", "off"))
    chat_rate: int = _setting(
        1,
        "chat messages a second of one user, at this node and in one channel; 0: no limit",
        bounds=FROM_ZERO,
    )
    chat_burst: int = _setting(5, "chat messages at once of one user after a silence")
    messages_kept: int = _setting(200, "messages that a room's chats keep", bounds=(1, 1_000))
    channel_rate: int = _setting(
        2,
        "chat messages a second of all users together in one channel of a room; 0: no limit",
        bounds=FROM_ZERO,
    )
    channel_burst: int = _setting(20, "chat messages at once in a channel after a silence")
    messages_for_reports: int = _setting(
        1_000,
        "messages that each channel of a room's chat keeps for reports, including "
        "--messages-kept; how fast new ones push out old ones depends on --channel-rate",
        bounds=(1, 10_000),
    )
    webhooks: Literal["off", "public", "any"] = _setting(
        "public",
        "webhooks of registered users, called when it is their turn and they are not connected: "
        "`public` calls https:// at addresses that all the world can reach, `any` also http:// and "
        "whatever this node can reach (for networks where everybody is trusted)",
        choices=("off", "public", "any"),
    )
    page_url: str = _setting(
        "",
        "address of the page, such as https://play.example.org/, to which webhooks and previews "
        "link; default: webhooks have no link, and previews link to the host of the request",
        check=checks.is_page,
    )
    origins: str = _setting(
        "",
        "origins of pages that may connect, such as https://a.org,https://b.org; `*` allows all; "
        "default: only pages from the host to which they connect",
        check=checks.are_origins,
    )
    trusted_proxies: str = _setting(
        "", "addresses and networks of proxies that may name their client, such as 10.0.0.0/8,::1"
    )
    proxy_header: str = _setting(
        "X-Forwarded-For", "header in which they name it", check=checks.is_header
    )
    hsts: int = _setting(
        31_536_000,
        "seconds for which browsers that came by TLS must use TLS (HSTS); a trusted proxy says so "
        "with `X-Forwarded-Proto: https`. 0: never sent",
        bounds=FROM_ZERO,
    )
    buffer_bytes: int = _setting(
        65_536,
        "bytes of a connection that the system may buffer, each way; less finds slow clients "
        "sooner",
    )
    handshake_seconds: int = _setting(10, "seconds within which a client must request a WebSocket")
    hello_seconds: int = _setting(10, "seconds within which a client must send hello")
    ping_seconds: int = _setting(20, "seconds between pings, and for their answers")
    close_seconds: int = _setting(5, "seconds that closing may take, of one client and at shutdown")
    drain_seconds: int = _setting(
        10,
        "seconds in which clients are sent away after SIGTERM or Ctrl-C; a second signal: at once",
        bounds=(0, 3_600),
    )
    archive: str = _setting(
        "auto",
        "database that keeps finished games for good: postgresql://USER:PASSWORD@HOST/NAME for "
        "several nodes, sqlite:///FILE for one with an embedded store; `auto`: a file in --data "
        "with an embedded store, none with --store; `off`: none",
    )
    archive_keys: str = _setting(
        "",
        "keys that sign archived games and receipts, `ID:SECRET,ID:SECRET`, the same for every "
        "node; the first signs. Without them nothing is signed; the embedded store keeps its own",
        secret=True,
    )
    put_away_after: int = _setting(
        600, "seconds after its end at which the store compresses a room", bounds=FROM_ZERO
    )
    retention: int = _setting(
        2_592_000,
        "seconds for which the store keeps a compressed room (the default is 30 days), longer if "
        "the archive does not have it yet; then it is unknown",
        bounds=FROM_ZERO,
    )
    export_file: str = _setting(
        "",
        "file to which every room that is put away is appended as a line of JSON, which `pierule "
        "verify` checks; one file for each node. You may move it away at any time",
        check=checks.is_file,
    )
    api_port: str = _setting(
        "auto",
        "port on which the archive can be read over HTTP, to which /api leads; `auto`: 2000 above "
        "--port (or free, if that is) beside an embedded store, else a proxy leads /api to "
        "`pierule api`; 0 takes a free one; `off`: none, and clients are not told of an archive",
    )
    evaluations: Literal["on", "off"] = _setting(
        "on",
        "whether the archive's API evaluates positions, with a search in a process of its own",
        choices=("on", "off"),
    )
    api_rate: int = _setting(
        20,
        "pages a second of one address (of one /64 in IPv6) that the archive's API answers; "
        "streams wait for theirs; 0: no limit",
        bounds=FROM_ZERO,
    )
    api_burst: int = _setting(200, "pages at once of one address after a silence")
    bots: str = _setting(
        "", "house bots that this node runs, by level: `random,one-step,search`; default: none"
    )
    rate_bots: Literal["on", "off"] = _setting(
        "off",
        "whether games against house bots count for the ratings of people (SPEC 30.9), the same "
        "for every node; ratings of bots never change; only when every node and every "
        "`pierule api` has this setting",
        choices=("on", "off"),
    )
    store_seconds: float = _setting(
        5.0, "seconds after which the store counts as not answering", bounds=(0.01, 3_600)
    )
    log_level: str = _setting(
        "info", "least severe messages to log", choices=("debug", "info", "warning", "error")
    )
    log_format: str = _setting("text", "form of the log", choices=("text", "json"))

    @property
    def limits(self) -> Limits:
        """Those that clients are told of."""
        return Limits(**{name: getattr(self, name) for name in Limits.__struct_fields__})


def configure(parser: argparse.ArgumentParser, names: Collection[str] | None = None) -> None:
    """Give the parser a flag for every setting, or for those of these names; secrets come only from
    the environment."""
    for setting in fields(Settings):
        if names is not None and setting.name not in names:
            continue
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
    """The settings from flags, then environment, then defaults. Raises ValueError."""
    types = get_type_hints(Settings)
    chosen: dict[str, Any] = {}
    for setting in fields(Settings):
        flag = getattr(args, setting.name, None)
        given = environment.get(_variable(setting.name)) if flag is None else flag
        if given is None:
            continue
        source = _variable(setting.name) if flag is None else _flag(setting.name)
        chosen[setting.name] = checks.read(given, types[setting.name], setting.metadata, source)
    return Settings(**chosen)


_PREFIX = "PIERULE_"

CLIENTS = {"PLAIN", "SERVER", "TOKEN", "TOKEN_FILE"}
"""Variables of client commands, which may be in the same environment."""


def unknown(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that look like ours and are not, each with its closest setting, if any."""
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
