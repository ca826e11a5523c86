"""What an operator can set: one table from which flags, environment and `--help` are made.

`--outbox-bytes 65536` and `PIERULE_OUTBOX_BYTES=65536` mean the same; the flag wins.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints


def _data_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "pierule"


def _setting(default: Any, text: str, *, secret: bool = False, choices: Any = None) -> Any:
    return field(default=default, metadata={"text": text, "secret": secret, "choices": choices})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. Sizes are in bytes, times in seconds."""

    host: str = _setting("127.0.0.1", "address to listen on")
    port: int = _setting(8000, "port to listen on; 0 takes a free one")
    store: str = _setting(
        "embedded",
        "`embedded`, or the URL of a Redis or Valkey (redis://, rediss://, unix://); "
        "a cluster is recognized by itself",
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
    frame_bytes: int = _setting(16_384, "largest message that a client may send")
    outbox_bytes: int = _setting(1_048_576, "unsent bytes at which a slow client is closed")
    rooms_followed: int = _setting(64, "rooms that one connection may follow")
    rooms_cached: int = _setting(1_000, "rooms kept ready that nobody follows")
    errors: int = _setting(16, "frames that are no messages before a connection is closed")
    hello_seconds: int = _setting(10, "time in which a client must say hello")
    ping_seconds: int = _setting(20, "time between pings, and for their answers")
    close_seconds: int = _setting(5, "time that closing may take, of one client and at shutdown")
    store_seconds: float = _setting(5.0, "time after which the store counts as not answering")
    log_level: str = _setting("info", "what to log", choices=("debug", "info", "warning", "error"))
    log_format: str = _setting("text", "how to log", choices=("text", "json"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Give the parser a flag for every setting; secrets come from the environment alone."""
    for setting in fields(Settings):
        text = setting.metadata["text"]
        variable = _variable(setting.name)
        if setting.metadata.get("secret"):
            parser.epilog = f"{parser.epilog or ''}{variable}: {text}.\n"
            continue
        shown = "" if setting.name == "data" else f", default {setting.default}"
        parser.add_argument(
            f"--{setting.name.replace('_', '-')}",
            help=f"{text} [{variable}{shown}]",
            metavar=setting.name.rpartition("_")[2].upper(),
            dest=setting.name,
        )


def from_arguments(args: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings from flags, then environment, then defaults. Raises ValueError, naming what."""
    types = get_type_hints(Settings)
    chosen: dict[str, Any] = {}
    for setting in fields(Settings):
        flag = getattr(args, setting.name, None)
        given = environment.get(_variable(setting.name)) if flag is None else flag
        if given is None:
            continue
        source = _variable(setting.name) if flag is None else f"--{setting.name}"
        chosen[setting.name] = _read(
            given, types[setting.name], setting.metadata.get("choices"), source.replace("_", "-")
            if flag is not None else source,
        )  # fmt: skip
    return Settings(**chosen)


def _variable(name: str) -> str:
    return f"PIERULE_{name.upper()}"


def _read(text: str, kind: type, choices: tuple[str, ...] | None, source: str) -> Any:
    if choices and text not in choices:
        raise ValueError(f"{source} must be one of {', '.join(choices)}, not {text!r}")
    if choices:
        return text
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f"{source} must be a number, not {text!r}") from None
    if kind in (int, float) and value < 0:
        raise ValueError(f"{source} must not be negative, not {text}")
    return value
