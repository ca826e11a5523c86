"""Runs the store's own Lua scripts, unchanged, in LuaJIT: there is no second version of them.

What Redis gives to scripts is made here: `redis.call`, `redis.pcall`, `cjson`, and the library that
LuaJIT brings (`bit`). The time stands still inside a script.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha1
from typing import Any, NamedTuple

from lupa.luajit21 import LuaError, LuaRuntime

from simulation.model.keyspace import Keyspace, RefusedCommand, Status

_PRELUDE = rb"""
local call, array, null = ...
local function raised(reply)
  if type(reply) == 'table' and reply.err then error(reply, 0) end
  return reply
end
redis = {
  call = function(...) return raised(call(...)) end,
  pcall = function(...) return call(...) end,
  sha1hex = nil,
  error_reply = function(text) return {err = text} end,
  status_reply = function(text) return {ok = text} end,
  log = function() end,
}
server = redis
return function(script)
  return function(keys, ...)
    KEYS, ARGV = {}, {...}
    for at = 1, keys do KEYS[at] = table.remove(ARGV, 1) end
    local fine, reply = pcall(script)
    if fine then return true, reply end
    if type(reply) == 'table' and reply.err then return false, reply.err end
    return false, 'ERR ' .. tostring(reply)
  end
end
"""


_PLAIN = (bytes, int)
"""What Lua is given as it is."""


class Script(NamedTuple):
    """A compiled script, and the flags in its first line."""

    run: Any
    flags: frozenset[str]


class Scripts:
    """The scripts that a store knows, by the SHA-1 of their text. A restarted one knows none, but
    what was compiled once is kept."""

    _compiled: dict[bytes, Script]

    def __init__(self) -> None:
        self._lua = LuaRuntime(encoding=None, unpack_returned_tuples=True, register_eval=False)
        self._lua.execute(b"require('jit').off()")  # what it compiles ends at every `redis.call`
        self._space = Keyspace()
        self._globals = self._lua.globals()
        self._wrap = self._lua.execute(
            _PRELUDE, self._call, None, None
        )  # fmt: skip
        self._globals[b"cjson"] = self._lua.table_from(
            {b"decode": self._decode, b"encode": self._encode}
        )
        self._compiled = {}
        self._type = type(self._globals)

    def load(self, text: bytes) -> bytes:
        """Its SHA-1, by which it is known from now on."""
        sha = sha1(text, usedforsecurity=False).hexdigest().encode()
        if sha not in self._compiled:
            first, _, rest = text.partition(b"\n")
            flags = frozenset[str]()
            if first.startswith(b"#!"):
                _, _, told = first.decode().partition("flags=")
                flags, text = frozenset(told.split(",")) - {""}, b"\n" + rest
            try:
                function = self._lua.eval(b"function()\n" + text + b"\nend")
            except LuaError as error:
                raise RefusedCommand(f"ERR Error compiling script: {error}") from error
            self._compiled[sha] = Script(self._wrap(function), flags)
        return sha

    def known(self, sha: bytes) -> Script:
        return self._compiled[sha]

    def run(
        self, space: Keyspace, script: Script, keys: Sequence[bytes], argv: Sequence[bytes]
    ) -> Any:
        """The reply of a script. Raises RefusedCommand."""
        self._space = space
        fine, reply = script.run(len(keys), *keys, *argv)
        if not fine:
            raise RefusedCommand(bytes(reply).decode(errors="replace"))
        return self._told(reply)

    # --- between Lua and the commands --------------------------------------------------------

    def _call(self, name: bytes, *args: Any) -> Any:
        for each in args:
            if type(each) is not bytes:
                try:
                    args = tuple(map(_argument, args))
                except RefusedCommand as error:
                    return self._lua.table_from({b"err": str(error).encode()})
                break
        try:
            reply = self._space.run(name, *args)
        except RefusedCommand as error:
            return self._lua.table_from({b"err": str(error).encode()})
        if type(reply) in _PLAIN:
            return reply
        return self._given(reply)

    def _given(self, reply: Any) -> Any:
        """A reply as Lua is given it."""
        if reply is None:
            return False
        if isinstance(reply, list):
            given = self._given
            return self._lua.table_from(
                [each if type(each) in _PLAIN else given(each) for each in reply]
            )
        if isinstance(reply, Status):
            return self._lua.table_from({b"ok": reply.text})
        return reply

    def _told(self, value: Any) -> Any:
        """What Lua returns as a reply: numbers are cut to integers, a table ends at its first nil
        (`false` is nothing)."""
        if type(value) is bytes:
            return value
        if value is None or value is False:
            return None
        if value is True:
            return 1
        if isinstance(value, int | float):
            return int(value)
        if isinstance(value, self._type):
            if value[b"err"] is not None:
                raise RefusedCommand(bytes(value[b"err"]).decode(errors="replace"))
            if value[b"ok"] is not None:
                return Status(bytes(value[b"ok"]))
            found = []
            for place in range(1, len(value) + 1):
                each = value[place]
                if each is None:
                    break
                found.append(self._told(each))
            return found
        return value

    # --- cjson -------------------------------------------------------------------------------

    def _decode(self, text: bytes) -> Any:
        return self._table(json.loads(text))

    def _table(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self._lua.table_from(
                {key.encode(): self._table(each) for key, each in value.items()}
            )
        if isinstance(value, list):
            return self._lua.table_from([self._table(each) for each in value])
        return value.encode() if isinstance(value, str) else value

    def _encode(self, value: Any) -> bytes:
        return json.dumps(self._plain(value), separators=(",", ":"), sort_keys=True).encode()

    def _plain(self, value: Any) -> Any:
        if isinstance(value, self._type):
            if len(value) and value[1] is not None:
                return [self._plain(value[place]) for place in range(1, len(value) + 1)]
            return {bytes(key).decode(): self._plain(each) for key, each in value.items()}
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, float) and value == int(value):
            return int(value)
        return value


def _argument(value: Any) -> bytes:
    """An argument of `redis.call` as a command gets it."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool) or value is None:
        raise RefusedCommand("ERR Lua redis lib command arguments must be strings or integers")
    if isinstance(value, float) and value == int(value) and abs(value) < 2**63:
        value = int(value)
    return b"%d" % value if isinstance(value, int) else b"%.17g" % value
