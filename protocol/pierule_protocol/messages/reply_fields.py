"""What the fields of a server's messages and of their parts mean, in words; see
`pierule_protocol.fields`."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "ChatMessage": {
        "seq": "the message's number in its channel: 1, 2, 3, …",
        "name": "the user's name at that time; empty if you have muted them",
        "text": "the message, which nobody has checked; null if you have muted the user",
    },
    "Chat": {"messages": "new messages, none left out between them"},
    "Ok": {
        "room": "the room that the request was about, or made",
        "seats": "the seats that you hold in the room",
        "place": "the place of the event that the request caused; after `join`: the room's place",
        "turn": "the room's turn after that",
        "resumed": "after `join`: true if the events after `since` follow, false: a snapshot",
        "welcome": "the answer to `hello`",
        "legal": "the answer to `legal`",
        "rooms": "the answer to `rooms`",
        "document": "the answer to `game`: JSON text (26.2)",
        "lines": "the answer to `download_account`: each is JSON text (24.11)",
        "next": "the cursor of the next page; null: there is none (23.18, 24.11)",
        "log": "the answer to `log`",
        "replay": "the answer to `replay`",
        "receipt": "the answer to `receipt`",
        "now": "the answer to `ping`: the store's time, in ms since 1970",
        "channel": "after `say`: the channel",
        "messages": "the answer to `chat_history`; after `say`: the message",
        "block_list": "the answer to `block`: everyone you mute or block",
        "my_rooms": "the answer to `my_rooms`",
        "account": "the answer to `register`",
        "token": "the answer to `end_sessions`: your new token (24.12)",
        "secret": "the answer to `set_webhook` with a `url`: the key that signs calls (23.14)",
    },
    "Welcome": {
        "protocol": "the protocol and its version: `pierule.1`",
        "server": "the server's own version, for people; it has no meaning for clients",
        "name": "your name",
        "limits": "the limits of this server (1.6)",
        "games": "the games that this server can play",
        "features": "what this server can do (15.4); ignore features that you do not know",
        "token": "proves who you are in a later `hello`; keep it, and keep it secret",
    },
    "Limits": {
        "frame_bytes": "bytes of a message",
        "rooms_followed": "rooms that a connection may follow",
        "errors": "frames of a connection that are not messages",
        "hello_seconds": "seconds within which `hello` must come",
        "ping_seconds": "seconds between the server's pings, and for their answers; 0: it "
        "sends none (1.4)",
        "connection_rate": "requests of a connection per second",
        "connection_burst": "requests of a connection in a burst, after a silence",
        "user_rate": "requests of a user per second",
        "user_burst": "requests of a user in a burst, after a silence",
        "connections_per_user": "connections of a user to this node",
        "rooms_per_user": "open or running rooms that a user made or sits in",
        "chat_rate": "chat messages of a user per second",
        "chat_burst": "chat messages of a user in a burst, after a silence",
        "messages_kept": "chat messages that each channel of a room keeps",
        "seeks_per_user": "waiting seeks of a user",
        "challenges_per_user": "open challenges of a user",
        "address_budget": "what young guests of one address may spend per second (1.11)",
        "address_budget_burst": "what they may spend in a burst, after a silence",
        "user_budget": "what an older guest, or another user, may spend per second (1.11)",
        "user_budget_burst": "what they may spend in a burst, after a silence",
        "channel_rate": "chat messages of all users in a channel of a room per second",
        "channel_burst": "chat messages of all users in a channel in a burst, after a silence",
    },
    "GameOptions": {
        "sizes": "the sizes that new rooms can have",
        "default_size": "the size if `create` names none",
        "draws": "whether a game can end in a draw, and players can offer one",
        "rules": "the versions of the rules that this server can play; new rooms use the last",
        "hash": "names the game's document (26.1)",
    },
    "Legal": {
        "turn": "the turn of this position",
        "total": "how many legal actions begin with the prefix",
        "next": "what you may append to the prefix",
        "actions": "all legal actions with the prefix, if there are at most 1,000; otherwise null",
        "template": "in set-up phases: the parts of an action",
        "refusal": "for an `action` or `points`, if `total` is 0: why (6.12); otherwise null",
        "preview": "for `points`, if `total` is 1: what they would put on the board (26.13), as "
        "`[index, value]` pairs",
    },
    "LegalRefusal": {
        "rule": "the short name of the rule that forbids it (8.3)",
        "points": "the points that show it",
        "text": "the reason, in words",
    },
    "Replay": {
        "position": "the position at ply `first`",
        "diffs": "what each following action changes, at most 200 of them",
        "account": "where the score after the last action comes from (26.12); null: not asked",
        "legal": "what is legal after the last action (6.15); null: not asked",
    },
    "LegalPart": {
        "what": "the name of a piece (26.8), or of a number such as `komi`",
        "count": "how many pieces",
        "points": "the points where they may stand",
        "first": "the lowest number",
        "last": "the highest number",
        "step": "the step between the numbers",
        "cell": "the value of the cells that will hold these pieces; null for numbers",
    },
    "LogEntry": {
        "names": "the names of the users that the event seats; the chain does not cover them (3.9)",
    },
    "Standing": {
        "rating": "the rating, rounded to a whole number",
        "deviation": "its deviation, rounded up",
    },
    "Named": {"user": "the user's id", "name": "the user's name"},
    "Card": {
        "names": "the names of the players in seat 0 and seat 1; null: the seat is free",
        "at": "the store's time of the latest event, in ms since 1970",
        "bots": "whether the players in seat 0 and seat 1 are bots",
        "rated": "whether the game can still count for ratings (30.2)",
        "standings": "the ratings of the players in seat 0 and seat 1 when they sat down (30.6); "
        "null: none",
        "away": "whether nobody waits in the open room: neither its maker nor a player in it "
        "follows it (23.18)",
    },
    "AccountState": {
        "name": "your name, which nobody else can have",
        "recovery": "the recovery code: whoever has it is this user; earlier codes are void",
        "token": "a new token with the new name, as in a `welcome`. If the name is the same as "
        "before, it ends all other sessions when you use it (24.12)",
    },
    "MyRoom": {
        "card": "the room",
        "seats": "the seats that you hold in it",
        "to_act": "the seat whose turn it is; null while the room is open or set aside",
        "aside": "whether the room is set aside (23.9)",
    },
    "Pool": {"waiting": "how many users wait; 0: the pool is gone"},
    "FreeBots": {"bot_level": "the level", "free": "how many bots of the level are free"},
    "LobbyRoom": {"card": "the room", "spectators": "how many watch it, at all nodes together"},
    "Paired": {
        "nonce": "the nonce of your request; if you accepted a challenge, its `challenge`",
        "room": "the running room",
        "seat": "the seat that you hold",
    },
    "Challenged": {
        "challenge": "names the challenge in `answer_challenge`",
        "user": "the challenger",
        "seat": "the seat that you would get; null: seats are drawn by lot",
    },
    "LobbyState": {
        "seq": "the number of this state (23.7)",
        "rooms": "open and running rooms, the latest first",
        "pools": "pools in which somebody waits",
        "bots": "how many house bots are free (23.16)",
        "bot_levels": "the levels of house bots that run (23.21)",
    },
    "LobbyChange": {
        "seq": "the number of the state after this change (23.7)",
        "rooms": "new or changed rooms",
        "gone": "ids of rooms that are no longer listed",
        "pools": "new or changed pools",
        "bots": "how many house bots are free (23.16); null: unchanged",
        "bot_levels": "the levels of house bots that run (23.21); null: unchanged",
    },
    "Error": {
        "id": "the request's id; null if it could not be read",
        "code": "a code of section 7; later versions may have more",
        "text": "the reason in words, for people",
        "field": "the field that was wrong",
        "rule": "`illegal`: the short name of the rule that forbids it (8.3)",
        "points": "`illegal`: the points that show it",
        "place": "`stale`: the room's place",
        "turn": "`stale`: the room's turn",
        "late": "`flagged`: how many ms after the deadline it arrived",
        "left": "`too_early`, `unrated` (30.7): ms until you can do it",
        "retry_ms": "`rate`: ms to wait before you send the request again",
    },
    "Snapshot": {"state": "the whole room (4.1)"},
    "Event": {"diff": "what the event changed in the state (4.2)"},
    "Presence": {
        "players": "whether the players of seat 0 and seat 1 are connected",
        "spectators": "how many others follow the room, at all nodes together",
        "gone": "while a game runs, for each seat: since when its player has been gone (25.1), in "
        "ms since 1970; null: not gone",
        "claim": "for each seat: the time from which the other player may claim the game (25.2), "
        "in ms since 1970; null: not at all",
    },
    "Notice": {
        "kind": "`draining`, `store_away`, `store_back`, `room_gone`, `announcement`, "
        "`seek_expired`, `challenge_declined`, `challenge_withdrawn`, `your_turn`, `webhook_off`, "
        "`rated_from`; later versions may have more (1.5)",
        "seconds": "`draining`: seconds until the server closes this connection",
        "room": "`room_gone`, `your_turn`: the room",
        "text": "`announcement`: the operators' words; `store_away`: what is wrong, in words; "
        "`room_gone`: the reason, unless the room has simply expired",
        "at": "`announcement`: when it will happen, in ms since 1970; null: no time given. "
        "`rated_from`: the time from which you can enter rated games",
        "nonce": "`seek_expired`, `challenge_declined`: the nonce of your request",
        "challenge": "`challenge_withdrawn`: the challenge",
    },
}
