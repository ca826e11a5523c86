"""What an operator can set: one table that gives flags, variables and `--help` (see `flags`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

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
    bounds: tuple[float, float] = (1, 2**31 - 1),
    switch: bool = False,
    check: Callable[[str], None] | None = None,
) -> Any:
    """The flag of a `switch` without a value means `on`. `check` raises ValueError."""
    metadata = {
        "text": text, "secret": secret, "bounds": bounds, "switch": switch,
        "check": check,
    }  # fmt: skip
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. Sizes are in bytes, times in seconds."""

    host: str = _setting("127.0.0.1", "address to listen on")
    port: int = _setting(
        8000, "port of the page and of the protocol; 0 takes a free one", bounds=(0, 65_535)
    )
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
        "whether clients that join a room are sent to the node of its other clients (SPEC 1.16); "
        "`auto`: among workers; `on`: also if your proxies obey the hint; `off`: never",
    )
    operations_host: str = _setting(
        "127.0.0.1", "address of the operators' port: /healthz, /readyz and /metrics"
    )
    operations_port: str = _setting(
        "auto",
        "the operators' port; `auto`: 1000 above --port, or a free one if --port is 0; 0: a free "
        "one; `off`: none",
    )
    store: str = _setting(
        "embedded",
        "`embedded`, or the URL of a Redis or Valkey (redis://, rediss://, unix://); a cluster is "
        "recognized; behind Sentinel redis+sentinel://HOST:PORT,HOST:PORT/SERVICE",
    )
    store_ca: str = _setting(
        "",
        "PEM file of the authorities that sign a rediss:// store's certificate; default: system's",
    )
    replicas: int = _setting(
        0,
        "replicas that must have an action before it is acknowledged. If you give the number of "
        "all replicas, no fail-over loses an action; if fewer (a warning and /readyz say so), the "
        "promoted replica may lack it. While too few replicas are online, nobody can act",
        bounds=FROM_ZERO,
    )
    accept_volatile_store: Literal["on", "off"] = _setting(
        "off",
        "serve a store that may forget acknowledged actions, because it lacks `appendonly yes` or "
        "its maxmemory-policy evicts keys. /readyz still says so",
        switch=True,
    )
    data: Path = field(
        default_factory=_data_folder,
        metadata={"text": "folder of the embedded store", "check": checks.is_folder},
    )
    store_memory: int = _setting(
        0,
        "bytes that the embedded store's data may take; 0: half of the memory of the machine, "
        "container or unit; otherwise at least 16 MiB. When three quarters are used, the server "
        "takes nothing new",
        bounds=(0, 2**50),
        check=checks.is_store_memory,
    )
    fsync: Literal["always", "everysec"] = _setting(
        "always",
        "when the embedded store forces writes to disk. If the machine dies, `always` loses no "
        "acknowledged action, and `everysec` loses those of the last second or two",
    )
    keys: str = _setting(
        "",
        "keys that sign identity tokens, `ID:SECRET,ID:SECRET`; the first signs, all are "
        "accepted. You need them with --store; the embedded store keeps its own",
        secret=True,
    )
    guests: Literal["on", "off"] = _setting(
        "on",
        "whether guests may come in; `off`: only users with a token of the identity provider",
    )
    jwks: str = _setting(
        "",
        "file or https:// URL with the public keys (JWKS) of your identity provider, whose tokens "
        "(JWT) then identify users; needs `pierule[jwt]`; default: none",
    )
    jwt_issuer: str = _setting("", "issuer (`iss`) that the provider's tokens must name")
    jwt_audience: str = _setting("", "audience (`aud`) that they must be for")
    jwt_algorithms: str = _setting(
        "RS256,ES256,EdDSA", "algorithms that may sign them; only those with a public key"
    )
    jwt_user: str = _setting(
        "sub",
        "claim that identifies the user; others see only a hash of it, made with a secret",
    )
    jwt_name: str = _setting("name", "claim that holds the user's name")
    jwt_leeway: int = _setting(
        60, "seconds by which the provider's clock may differ", bounds=(0, 600)
    )
    jwt_refresh: int = _setting(300, "seconds between two reads of the provider's keys")
    frame_bytes: int = _setting(16_384, "bytes of the largest message that a client may send")
    outbox_bytes: int = _setting(1_048_576, "unsent bytes at which a slow client is closed")
    rooms_followed: int = _setting(64, "rooms that one connection may follow")
    rooms_cached: int = _setting(1_000, "rooms without followers that stay in memory")
    errors: int = _setting(16, "invalid frames after which a connection is closed")
    connection_rate: int = _setting(
        20, "requests per second of one connection; 0: no limit", bounds=FROM_ZERO
    )
    connection_burst: int = _setting(60, "requests that one connection may send in one burst")
    user_rate: int = _setting(
        40, "requests per second of one user at this node; 0: no limit", bounds=FROM_ZERO
    )
    user_burst: int = _setting(120, "requests that one user may send in one burst")
    address_budget: int = _setting(
        60,
        "cost per second, at this node, of the requests of all guests younger than a day from one "
        "address (in IPv6 one /64; one /48 has 8 times as much). It is also half of their new "
        "games per hour. Older guests have twice as much together (SPEC 1.11); 0: no limit",
        bounds=FROM_ZERO,
    )
    address_budget_burst: int = _setting(1_800, "the same cost in one burst; 6 times their games")
    user_budget: int = _setting(
        20,
        "cost per second, at this node, of the requests of one older guest, or of one user of an "
        "identity provider; 0: no limit",
        bounds=FROM_ZERO,
    )
    user_budget_burst: int = _setting(600, "the same cost in one burst")
    refusals: int = _setting(
        200,
        "requests refused in a row as too fast, after which a connection is closed; 0: no limit",
        bounds=FROM_ZERO,
    )
    requests_queued: int = _setting(
        16, "frames to read ahead from a connection while it waits for an answer"
    )
    connections_per_address: int = _setting(
        64,
        "connections from one address (in IPv6 one /64; one /48 has 8 times as many) at this node; "
        "0: no limit",
        bounds=FROM_ZERO,
    )
    handshakes_per_address: int = _setting(
        10,
        "handshakes per second from one address (in IPv6 one /64; one /48 has 8 times as many), "
        "after a burst of 128; others get 429 or no answer; 0: no limit",
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
        "open rooms made from one address (in IPv6 one /64) in which nobody waits; one more ends "
        "the oldest; 0: no limit",
        bounds=FROM_ZERO,
    )
    seeks_per_user: int = _setting(
        3, "waiting seeks of a user, over all nodes; 0: no limit", bounds=FROM_ZERO
    )
    challenges_per_user: int = _setting(
        10, "open challenges of a user; 0: no limit", bounds=FROM_ZERO
    )
    chat: Literal["on", "off"] = _setting("on", "whether there is chat")
    chat_rate: int = _setting(
        1,
        "chat messages per second of one user, at this node and in one channel; 0: no limit",
        bounds=FROM_ZERO,
    )
    chat_burst: int = _setting(5, "chat messages that one user may send in one burst")
    messages_kept: int = _setting(
        200, "messages that each channel of a room keeps", bounds=(1, 1_000)
    )
    channel_rate: int = _setting(
        2,
        "chat messages per second of all users together in one channel of a room; 0: no limit",
        bounds=FROM_ZERO,
    )
    channel_burst: int = _setting(20, "chat messages that a channel takes in one burst")
    messages_for_reports: int = _setting(
        1_000,
        "messages that each channel of a room keeps for reports, including --messages-kept; "
        "--channel-rate bounds how fast new ones push out old ones",
        bounds=(1, 10_000),
    )
    webhooks: Literal["off", "public", "any"] = _setting(
        "public",
        "webhooks of registered users, called when it is their turn and they are not connected; "
        "`public`: https:// at public addresses; `any`: also http:// and any address that this "
        "node can reach (for networks where you trust everybody)",
    )
    page_url: str = _setting(
        "",
        "address of your page, such as https://play.example.org/, for links in webhooks and "
        "previews; default: webhooks have no link, previews link to the host of the request",
        check=checks.is_page,
    )
    origins: str = _setting(
        "",
        "origins of pages that may connect, such as https://a.org,https://b.org; `*` allows all; "
        "default: only pages from the host to which they connect",
        check=checks.are_origins,
    )
    trusted_proxies: str = _setting(
        "", "addresses and networks of proxies that may name the client, such as 10.0.0.0/8,::1"
    )
    proxy_header: str = _setting(
        "X-Forwarded-For", "header in which proxies name the client", check=checks.is_header
    )
    hsts: int = _setting(
        31_536_000,
        "seconds for which browsers that came by TLS must use TLS (HSTS); trusted proxies say that "
        "with `X-Forwarded-Proto: https`; 0: never sent",
        bounds=FROM_ZERO,
    )
    buffer_bytes: int = _setting(
        65_536,
        "bytes of a connection that the system may buffer each way; with less, the server finds "
        "slow clients sooner",
    )
    handshake_seconds: int = _setting(10, "seconds within which a client must request a WebSocket")
    hello_seconds: int = _setting(10, "seconds within which a client must send hello")
    ping_seconds: int = _setting(20, "seconds between pings, and for the answer to each")
    close_seconds: int = _setting(5, "seconds that closing may take, for one client or at shutdown")
    drain_seconds: int = _setting(
        10,
        "seconds to send clients away after SIGTERM or Ctrl-C; a second signal ends this at once",
        bounds=(0, 3_600),
    )
    archive: str = _setting(
        "auto",
        "database that keeps finished games for good: postgresql://USER:PASSWORD@HOST/NAME for "
        "several nodes, sqlite:///FILE for a node with an embedded store; `auto`: a file in --data "
        "with an embedded store, none with --store; `off`: none",
    )
    archive_keys: str = _setting(
        "",
        "keys that sign archived games and receipts, `ID:SECRET,ID:SECRET`, the same for every "
        "node; the first signs. Without keys nothing is signed; the embedded store keeps its own",
        secret=True,
    )
    put_away_after: int = _setting(
        600, "seconds after its end at which the store compresses a game", bounds=FROM_ZERO
    )
    retention: int = _setting(
        2_592_000,
        "seconds for which the store keeps a compressed room (the default is 30 days); longer if "
        "the archive does not have it yet. After that the store forgets it",
        bounds=FROM_ZERO,
    )
    export_file: str = _setting(
        "",
        "file to which this node appends every room that it compresses, as a line of JSON, which "
        "`pierule verify` can check; one file per node. You may move it away at any time",
        check=checks.is_file,
    )
    api_port: str = _setting(
        "auto",
        "port of the archive's API, to which /api leads; `auto`: with an embedded store 2000 above "
        "--port (a free one if --port is 0), with --store none, and your proxy leads /api to "
        "`pierule api`; 0: a free one; `off`: none, and clients are told of no archive",
    )
    evaluations: Literal["on", "off"] = _setting(
        "on",
        "whether the archive's API evaluates positions, by a search in a process of its own",
    )
    api_rate: int = _setting(
        20,
        "pages per second that the archive's API gives to one address (in IPv6 one /64; one /48 "
        "has 8 times as many); streams wait for theirs; 0: no limit",
        bounds=FROM_ZERO,
    )
    api_burst: int = _setting(200, "pages that one address may get in one burst")
    bots: str = _setting(
        "", "house bots that this node runs, by level: `random,one-step,search`; default: none"
    )
    rate_bots: Literal["on", "off"] = _setting(
        "off",
        "whether games against house bots count for people's ratings (SPEC 30.9); bots' ratings "
        "never change. Switch it on once every node and every `pierule api` has a release that "
        "knows this setting, and the same for every node",
    )
    store_seconds: float = _setting(
        5.0, "seconds that a node waits for an answer of the store", bounds=(0.01, 3_600)
    )
    log_level: Literal["debug", "info", "warning", "error"] = _setting(
        "info", "the least severe messages to log"
    )
    log_format: Literal["text", "json"] = _setting("text", "form of the log")

    @property
    def limits(self) -> Limits:
        """The limits that `welcome` tells to clients."""
        return Limits(**{name: getattr(self, name) for name in Limits.__struct_fields__})
