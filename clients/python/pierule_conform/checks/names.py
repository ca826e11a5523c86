"""SPEC 24: registered names."""

from __future__ import annotations

import json
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import check, expect


def some_name() -> str:
    """A name that hardly anybody has."""
    return f"Conform{nonce()[:12]}"


@check("24.1", "a registered name belongs to one user alone", codecs=1, codes=("name_taken",),
       also=("24.3", "24.9"))  # fmt: skip
async def names_registered(context: CheckContext) -> None:
    context.feature("accounts")
    owner, other, name = await context.peer(), await context.peer(), some_name()
    early = await context.peer(name=name)
    await owner.ok("register", nonce=nonce(), name=name)
    cyrillic = name.replace("C", "\u0421").replace("o", "\u043e")
    for alike in (name, name.upper(), name.replace("o", "0"), name.replace("m", "rn"), cyrillic):
        if alike.isascii():
            await other.refused("name_taken", "register", nonce=nonce(), name=alike)
        await (await context.stranger()).refused("name_taken", "hello", name=alike)
    late = await context.again(early)
    expect(late.welcome["name"] != name, f"another name than {name}", late.welcome)
    for bad in ("x", "1a", "a b", "\u0410\u0434\u0430"):
        await other.refused("bad_field", "register", nonce=nonce(), name=bad)
    await owner.ok("register", nonce=nonce(), name=some_name())
    await other.refused("name_taken", "register", nonce=nonce(), name=name)
    await owner.ok("register", nonce=nonce(), name=name)


@check("24.2", "a recovery code proves the user, until the next code", codecs=1,
       codes=("bad_recovery",), also=("24.3",))  # fmt: skip
async def names_recovered(context: CheckContext) -> None:
    context.feature("accounts")
    owner, name, mine = await context.peer(), some_name(), nonce()
    first = (await owner.ok("register", nonce=mine, name=name))["account"]
    again = (await owner.ok("register", nonce=mine, name=name))["account"]
    expect(again["recovery"] == first["recovery"], f"the code {first['recovery']}", again)
    back = await context.peer(name=name, recovery=first["recovery"])
    user = owner.welcome["user"]
    expect((back.welcome["user"], back.welcome["name"]) == (user, name), f"{user}", back.welcome)
    by_token = await context.peer(token=first["token"])
    expect(by_token.welcome["name"] == name, f"the name {name}", by_token.welcome)
    second = (await back.ok("register", nonce=nonce(), name=name))["account"]
    for code in (first["recovery"], "", "ABCDE-ABCDE-ABCDE-ABCDE"):
        await (await context.stranger()).refused("bad_recovery", "hello", name=name, recovery=code)
    await context.peer(name=name, recovery=second["recovery"])


@check("24.12", "a user can end all sessions but one", codecs=1, codes=("bad_token",))
async def sessions_ended(context: CheckContext) -> None:
    context.feature("accounts")
    context.feature("sessions")
    owner, name = await context.peer(), some_name()
    await owner.refused("no_account", "end_sessions")
    account = (await owner.ok("register", nonce=nonce(), name=name))["account"]
    first = account["token"]
    stock = (await (await context.peer(token=first)).ok("end_sessions"))["token"]
    second = (await owner.ok("end_sessions"))["token"]
    await context.peer(token=first)  # nothing has ended before the new token is used
    third = (await owner.ok("end_sessions", token=second))["token"]
    for ended in (first, stock):
        await (await context.stranger()).refused("bad_token", "hello", token=ended)
    for valid in (second, third):
        back = await context.peer(token=valid)
        user = owner.welcome["user"]
        expect(back.welcome["user"] == user, f"the user {user}", back.welcome)
    await owner.ok("ping")
    code = (await owner.ok("register", nonce=nonce(), name=name))["account"]
    await context.peer(token=code["token"])
    await (await context.stranger()).refused("bad_token", "hello", token=third)
    back = await context.peer(name=name, recovery=code["recovery"])
    expect(back.welcome["name"] == name, f"the name {name}", back.welcome)


@check("24.4", "nobody can use a deleted account, and its name is free", codecs=1,
       codes=("no_account",))  # fmt: skip
async def names_deleted(context: CheckContext) -> None:
    context.feature("accounts")
    owner, name = await context.peer(), some_name()
    await owner.refused("no_account", "delete_account")
    account = (await owner.ok("register", nonce=nonce(), name=name))["account"]
    await owner.ok("delete_account")
    for token in (account["token"], owner.welcome["token"]):
        await (await context.stranger()).refused("bad_token", "hello", token=token)
    stranger = await context.stranger()
    await stranger.refused("bad_recovery", "hello", name=name, recovery=account["recovery"])
    await (await context.peer()).ok("register", nonce=nonce(), name=name)


@check("24.4", "the games of a deleted account stay, without its name", codecs=1, also=("3.9",))
async def names_forgotten(context: CheckContext) -> None:
    context.feature("accounts")
    owner, other, name = await context.peer(), await context.peer(), some_name()
    await owner.ok("register", nonce=nonce(), name=name)
    room = await context.room(owner, seat=0)
    await other.join(room, seat=1, nonce=nonce())
    log = await context.log(other, room)
    named = [each for entry in log for each in entry.get("names", [])]
    expect({"user": owner.welcome["user"], "name": name} in named, f"{name} beside a record", log)
    records = [entry["record"] for entry in log]
    expect(name not in str(records), f"records without {name}", records)
    mark = len(other.inbox)
    await owner.ok("delete_account")
    told = await other.next("snapshot", after=mark, room=room)
    expect(name not in str(told), f"a snapshot without {name}", told)
    later = await context.log(other, room)
    expect(name not in str(later), f"a log without {name}", later)
    chains = [(entry["chain"], entry["record"]) for entry in later]
    kept = [(entry["chain"], entry["record"]) for entry in log]
    expect(chains == kept, "the same chain over the same records", chains)


@check("24.11", "users can download everything that is stored about them", codecs=1)
async def account_downloaded(context: CheckContext) -> None:
    context.feature("accounts")
    owner, other = await context.peer(), await context.peer()
    room = await context.room(owner, seat=0)
    await owner.ok("block", user=other.welcome["user"], level="mute")
    spoken = "chat" in owner.welcome["features"]
    if spoken:
        await owner.ok("say", room=room, nonce=nonce(), text="to be found again")
    lines: list[Any] = []
    after = None
    while not lines or after is not None:
        page = await owner.ok("download_account", after=after)
        lines += [json.loads(line) for line in page["lines"]]
        after = page.get("next")
    user, name = owner.welcome["user"], owner.welcome["name"]
    first = {key: lines[0].get(key) for key in ("kind", "user", "name")}
    expect(first == {"kind": "account", "user": user, "name": name}, "the account first", lines)
    found = {(line["kind"], line.get("room") or line.get("user")) for line in lines}
    wanted = {("account", user), ("block", other.welcome["user"]), ("room", room)}
    wanted |= {("message", room)} if spoken else set()
    expect(wanted <= found, f"lines of {sorted(wanted)}", lines)
    for after in ("room", "game-x-0-0", "x-1-0-0"):
        await owner.refused("bad_field", "download_account", after=after)
    stranger = (await (await context.peer()).ok("download_account"))["lines"]
    expect(len(stranger) == 1, "one line for somebody new", stranger)
