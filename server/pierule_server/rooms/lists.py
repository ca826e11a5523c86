"""Lists the rooms that a request asks for, page by page (SPEC 23.18)."""

from __future__ import annotations

from pierule_protocol.codes import Code
from pierule_protocol.messages import Ok, RoomsQuery, WatchLobby
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.making import rules_of
from pierule_server.store.tables.listing import Listing
from pierule_server.store.tables.paging import Position, RoomFilter


def filter_of(request: RoomsQuery | WatchLobby) -> RoomFilter:
    """The rooms that a request asks for. Raises Refused for a game or a size that does not
    exist."""
    size = request.size if isinstance(request, RoomsQuery) else None
    if request.game is not None:
        rules_of(request.game, size)
    return RoomFilter(request.game, size, request.status, request.free_seat)


async def page_of(listing: Listing, request: RoomsQuery) -> Ok:
    """The answer to a request for rooms. Raises Refused."""
    after = None
    if request.after is not None and (after := Position.parse(request.after)) is None:
        text = "the server never gave this cursor; send the `next` of an earlier page"
        raise Refused(Code.BAD_FIELD, text, field="after")
    page = await listing.page(filter_of(request), after, request.limit)
    following = None if page.next is None else page.next.text
    return Ok(id=request.id, rooms=[room.card for room in page.rooms], next=following)
