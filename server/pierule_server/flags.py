"""Reads settings from flags and from variables of the environment.

`--outbox-bytes 65536` and `PIERULE_OUTBOX_BYTES=65536` mean the same; the flag wins.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

from pierule_server.settings import Settings

_PREFIX = "PIERULE_"
_TYPES = get_type_hints(Settings)

CLIENTS = {"PLAIN", "SERVER", "TOKEN", "TOKEN_FILE"}
"""Variables of the client commands, which may stand in the same environment."""


def configure(parser: argparse.ArgumentParser, names: Collection[str] | None = None) -> None:
    """Give the parser a flag for every setting, or for those in `names`. A secret has no flag."""
    for setting in fields(Settings):
        if names is not None and setting.name not in names:
            continue
        text = setting.metadata["text"]
        variable = _variable(setting.name)
        if setting.metadata.get("secret"):
            parser.epilog = f"{parser.epilog or ''}{variable}: {text}.\n"
            continue
        default = "~/.local/share/pierule" if setting.name == "data" else setting.default
        action = parser.add_argument(
            _flag(setting.name),
            help=f"{text} [{variable}, default {default}]",
            metavar=setting.name.rpartition("_")[2].upper(),
            dest=setting.name,
        )
        if setting.metadata.get("switch"):
            action.nargs, action.const = "?", "on"


def from_arguments(args: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings from flags, then environment, then defaults. Raises ValueError."""
    chosen: dict[str, Any] = {}
    for setting in fields(Settings):
        flag = getattr(args, setting.name, None)
        given = environment.get(_variable(setting.name)) if flag is None else flag
        if given is None:
            continue
        source = _variable(setting.name) if flag is None else _flag(setting.name)
        chosen[setting.name] = _read(given, _TYPES[setting.name], setting.metadata, source)
    return Settings(**chosen)


def unknown(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that begin with `PIERULE_` but are not settings, each with the setting of the
    closest name, if any."""
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


def _read(text: str, kind: Any, about: Mapping[str, Any], source: str) -> Any:
    """Read and check the text of a setting: a Literal, or what `about` has bounds or a check for.
    `source` is the flag or variable that errors name. Raises ValueError."""
    choices = get_args(kind)
    if choices:
        if text not in choices:
            raise ValueError(f"{source} must be one of {', '.join(choices)}, not {text!r}")
        return text
    if about.get("check"):
        try:
            about["check"](text)
        except ValueError as error:
            raise ValueError(f"{source}: {error}") from None
    if kind not in (int, float):
        return kind(text)
    least, most = about["bounds"]
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f"{source} must be a number, not {text!r}") from None
    if not least <= value <= most:  # refuses NaN, too
        raise ValueError(f"{source} must be from {least} to {most}, not {text}")
    return value
