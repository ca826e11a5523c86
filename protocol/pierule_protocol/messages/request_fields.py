"""What the fields of requests mean, in words; see `pierule_protocol.fields`."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "Since": {
        "seq": "the last event that the client has",
        "proof": "the proof that came with that place, at most 64 characters (6.13); null: none",
    },
    "Hello": {
        "token": "the token of an earlier `welcome`; null: a new guest",
        "name": "the name that you want: 1 to 24 characters (1.3); null: no change",
        "agent": "the client's own name and version, for the operators; null: unknown",
        "recovery": "the recovery code of the account `name` (24.2); null: none",
        "bot": "true: this user is a bot, from now on and forever (16.8)",
    },
    "Create": {
        "game": "one of the `games` of the `welcome`",
        "size": "one of the game's `sizes`; null: its default",
        "seat": "the seat that the maker takes, `random` for either; null: none",
        "clock": "how the room is timed (9.1); null: not at all",
        "invitation": "only for a private room: the secret that guests need to join (20.3)",
    },
    "Join": {
        "seat": "the seat to take, `any` for the first free one; null: none",
        "nonce": "needed with `seat`, and only then (2.3)",
        "since": "the place that you know, to get only what came after it; null: a snapshot",
        "invitation": "the secret of a private room; its players need none (20.3)",
        "goto": "true: you are ready to connect elsewhere, where the room's clients meet (1.16)",
    },
    "Act": {
        "turn": "the turn for which the action was chosen (6.3)",
        "epoch": "the epoch for which it was chosen; null: any (6.3)",
    },
    "Resign": {"seat": "the seat, if you hold both; null: the seat that is to act"},
    "Abort": {"seat": "the seat, if you hold both; null: a seat that has not acted"},
    "Offer": {"seat": "the seat, if you hold both; null: the seat that is to act"},
    "Accept": {
        "turn": "the turn at which you saw the offer",
        "seat": "the seat that accepts, if you hold both; null: the seat that got the offer",
    },
    "Decline": {
        "seat": "the seat that declines, if you hold both; null: the seat that got the offer",
    },
    "Withdraw": {"seat": "the seat, if you hold both; null: the seat that made the offer"},
    "LegalQuery": {
        "prefix": "the beginning of the actions that you ask for; empty: all (6.4)",
        "turn": "the turn that the question is about; null: any (6.12)",
        "action": "ask whether this action is legal; empty: not asked (6.12)",
        "points": "ask whether these points, in this order, lead to a legal action (6.12)",
    },
    "Claim": {"seat": "the seat, if you hold both; null: seat 0"},
    "LogQuery": {"first": "the first event wanted"},
    "ReceiptQuery": {"seq": "the last event to sign; null: the last one that you may see"},
    "RoomsQuery": {
        "limit": "the most rooms to list",
        "game": "only rooms of this game; null: any (23.18)",
        "size": "only rooms of this size; null: any",
        "status": "only `open` or only `running` rooms; null: both",
        "free_seat": "only rooms in which this seat is free, or `any` seat; null: all",
        "after": "the `next` of the previous page; null: the first page (23.18)",
    },
    "DownloadAccount": {"after": "the `next` of the previous page; null: the first page (24.11)"},
    "Say": {"text": "the message: 1 to 300 characters (21.3)"},
    "ChatHistoryQuery": {"first": "the first message wanted"},
    "ReportMessage": {
        "seq": "the message's number in its channel",
        "text": "what is wrong with it, for the operators",
    },
    "Block": {
        "user": "the user; null: change nothing, only ask for the block list",
        "level": "`mute`: hide their chat; `block`: never play with them, too (21.7); null: none",
    },
    "ReplayQuery": {
        "game": "one of the `games` of the `welcome`",
        "size": "one of the game's `sizes`; null: its default",
        "actions": "the actions, from the start of the game",
        "first": "the ply of the first position wanted",
        "rules": "the version of the rules, from the state of the room; null: the newest",
        "account": "whether you also want the account of the last position (26.12)",
        "legal": "what you want to know of the legal actions after the last one (6.15); null: "
        "nothing",
    },
    "LineQuestion": {
        "prefix": "the beginning of the actions that you ask for; empty: all (6.4)",
        "action": "ask whether this action is legal; empty: not asked (6.12)",
        "points": "ask whether these points, in this order, lead to a legal action (6.12)",
    },
    "GameQuery": {
        "game": "one of the `games` of the `welcome`",
        "lessons": "true: ask for its lessons (26.16); refused if it has none",
    },
    "Seek": {
        "game": "one of the `games` of the `welcome`",
        "size": "one of the game's `sizes`; null: its default",
        "clock": "how the room will be timed (9.1); null: not at all",
        "bot_after": "seconds of waiting after which a house bot may play (23.15); null: never",
        "bot_level": "a level of house bots: play only with a bot of this level (23.20)",
        "range": "how strong the opponent may be (23.22); null: any strength",
    },
    "RatingRange": {
        "below": "how many points weaker the opponent may be; null: any number",
        "above": "how many points stronger the opponent may be; null: any number",
    },
    "Challenge": {
        "to": "the user that you challenge, by id or registered name",
        "named": "true: `to` is a registered name (24.1)",
        "game": "one of the `games` of the `welcome`",
        "size": "one of the game's `sizes`; null: its default",
        "clock": "how the room will be timed (9.1); null: not at all",
        "seat": "the seat that you want; null: draw the seats by lot",
    },
    "WithdrawChallenge": {"nonce": "the nonce of the `challenge`"},
    "AnswerChallenge": {
        "challenge": "the challenge, as `challenged` names it",
        "accept": "true: accept; false: decline",
    },
    "StandIn": {"bot_level": "the level at which the bot plays (23.20); null: no level"},
    "CancelSeek": {"nonce": "the nonce of the `seek` or `stand_in`"},
    "WatchLobby": {
        "watch": "false: stop watching the lobby",
        "game": "only rooms and pools of this game; null: any (23.19)",
        "status": "only `open` or only `running` rooms; null: both",
        "free_seat": "only rooms in which this seat is free, or `any` seat; null: all",
    },
    "BoardMismatch": {
        "epoch": "the epoch of the event after which the board differed",
        "seq": "the number of that event",
        "problem": "`mismatch`: the first time; `desync`: again, after a fresh snapshot (6.2)",
    },
    "Register": {"name": "the name to register (24.1)"},
    "EndSessions": {"token": "the token of an earlier answer (24.12); null: ask for one"},
    "SetWebhook": {
        "url": "the address to call (23.13); null: stop calling",
    },
}
