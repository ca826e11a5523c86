"""SPEC 1.7 and 1.8: a message is the same message, whatever bytes and frames carry it."""

from __future__ import annotations

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.registry import check, expect


def pings(codec: str) -> list[bytes]:
    """Unusual ways to write a ping with the id 5."""
    if codec == "json":
        return [
            b' { "id" : 5 ,\n\t"type" : "ping" } ',
            b'{"type":"\\u0070in\\u0067","id":5}',
            b'{"\\u0074ype":"ping","id":5}',
        ]
    type_, ping, id_ = b"\xa4type", b"\xa4ping", b"\xa2id"
    return [
        b"\x82" + id_ + b"\x05" + type_ + ping,
        b"\xde\x00\x02" + type_ + ping + id_ + b"\x05",
        b"\xdf\x00\x00\x00\x02" + type_ + ping + id_ + b"\xcf" + (5).to_bytes(8, "big"),
        b"\x82\xd9\x04type\xda\x00\x04ping\xdb\x00\x00\x00\x02id\xd0\x05",
    ]


@check("1.8", "a message may come in any valid encoding")
async def any_encoding(context: CheckContext) -> None:
    peer = await context.peer()
    for data in pings(context.codec):
        peer.expects(5, {"type": "ping", "id": 5})
        answer = await peer.frame(data)
        expect(answer["type"] == "ok" and answer.get("id") == 5, "ok with id 5", answer, data)


@check("1.8", "text that is not Unicode is refused")
async def no_surrogates(context: CheckContext) -> None:
    peer = await context.stranger()
    if context.codec == "json":
        data = b'{"type":"hello","id":5,"name":"\\ud800"}'
    else:
        data = b"\x83\xa4type\xa5hello\xa2id\x05\xa4name\xa3\xed\xa0\x80"
    peer.expects(5, {"type": "hello", "id": 5})
    answer = await peer.frame(data)
    expect(answer["type"] == "error", "an error", answer, data)
    await peer.hello()


@check("1.7", "a message may come in several fragments")
async def fragments_taken(context: CheckContext) -> None:
    peer = await context.peer()
    data = pings(context.codec)[0]
    peer.expects(5, {"type": "ping", "id": 5})
    mark = len(peer.inbox)
    await peer.connection.fragments([data[:3], data[3:9], b"", data[9:]])
    answer = await peer.next("ok", "error", after=mark)
    expect(answer["type"] == "ok", "ok to a ping in fragments", answer, data)
