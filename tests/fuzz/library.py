"""The client library in TypeScript, beside the one in Python (`library.mjs`)."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from pierule_protocol.codec import Codec, client_codecs, server_codecs
from support.nodejs import NODE

SERVER = {name.rpartition(".")[2]: codec for name, codec in server_codecs().items()}
CLIENT = {name.rpartition(".")[2]: codec for name, codec in client_codecs().items()}
"""The codecs of both ends: `json` and `msgpack`."""


@cache
def _library() -> subprocess.Popen[str]:
    """Runs until this process ends, for its input ends then."""
    return subprocess.Popen(
        [NODE, Path(__file__).with_name("library.mjs")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1,
    )  # fmt: skip


def typescript(question: str, value: Any) -> Any:
    """What the TypeScript library makes of a value; `library.mjs` lists the questions."""
    library = _library()
    assert library.stdin is not None
    assert library.stdout is not None
    # In ASCII: Node ends a line at U+2028, too.
    library.stdin.write(json.dumps([question, msgspec.to_builtins(value)]) + "\n")
    line = library.stdout.readline()
    assert line, f"the TypeScript library failed on {question} {value!r}"
    return json.loads(line)


Frame = tuple[str, str]
"""A codec's name, and the frame; one of msgpack in hex."""


def framed(name: str, message: msgspec.Struct) -> Frame:
    """The frame in which a server sends a message."""
    data = SERVER[name].encode(message)
    return name, data.decode() if SERVER[name].text else data.hex()


def unframed(codecs: dict[str, Codec[Any]], frame: Frame) -> Any:
    """What an end of ours reads in a frame."""
    name, data = frame
    return codecs[name].decode(data if codecs[name].text else bytes.fromhex(data))
