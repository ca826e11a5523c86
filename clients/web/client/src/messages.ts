// Written from protocol/schema by `make generated`: do not edit.

export type ClientMessage =
  | Hello
  | Create
  | Join
  | Leave
  | Act
  | Resign
  | LegalQuery
  | LogQuery
  | ReceiptQuery
  | RoomsQuery
  | ReplayQuery
  | Ping
  | BoardMismatch
  | Abort
  | Offer
  | Accept
  | Decline
  | Withdraw
  | Claim
  | GameQuery
  | Say
  | ChatHistoryQuery
  | ReportMessage
  | Block
  | Seek
  | StandIn
  | CancelSeek
  | Challenge
  | WithdrawChallenge
  | AnswerChallenge
  | WatchLobby
  | MyRoomsQuery
  | Register
  | DeleteAccount
  | DownloadAccount
  | SetWebhook
  | EndSessions;

export type ServerMessage =
  | Ok
  | Error
  | Snapshot
  | Event
  | Presence
  | Notice
  | Chat
  | Paired
  | Challenged
  | LobbyState
  | LobbyChange;

export type LogRecord =
  | Created
  | Seated
  | Acted
  | Resigned
  | Flagged
  | Aborted
  | Claimed
  | Closed
  | Credited
  | Renewed
  | Offered
  | Declined
  | Withdrawn
  | TakenBack
  | Drawn
  | Paused
  | Resumed
  | Rematching
  | Rematched;

/** The first request, once per connection. Without a token, the server makes you a guest and sends your token. Answered with `welcome`. */
export interface Hello {
  type: "hello";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the token of an earlier `welcome`; null: a new guest */
  token?: string | null;
  /** the name that you want: 1 to 24 characters (1.3); null: no change */
  name?: string | null;
  /** the client's own name and version, for the operators; null: unknown */
  agent?: string | null;
  /** true: this user is a bot, from now on and forever (16.8) */
  bot?: boolean;
  /** the recovery code of the account `name` (24.2); null: none */
  recovery?: string | null;
}

/** Make a room, and take `seat` in it (null: none). `clock` says how the room is timed (null: not at all). A private room needs an `invitation`, which its guests show to join. Answered with `room`, `seats`, `place` (of the room's first event) and `turn` (0). You do not follow the room yet: send `join`. */
export interface Create {
  type: "create";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** the seat that the maker takes, `random` for either; null: none */
  seat?: 0 | 1 | "random" | null;
  /** how the room is timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** `public` (listings show the room), `unlisted`, or `private` (20) */
  access?: "private" | "public" | "unlisted";
  /** only for a private room: the secret that guests need to join (20.3) */
  invitation?: string | null;
  /** plies that spectators are behind (20.5) */
  delay?: number;
  /** whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
}

export interface FischerRequest {
  /** the kind, on which the other fields depend */
  kind: "fischer";
  /** main time, in seconds */
  main: number;
  /** seconds added after each turn */
  increment?: number;
}

export interface ByoyomiRequest {
  /** the kind, on which the other fields depend */
  kind: "byoyomi";
  /** main time, in seconds */
  main: number;
  /** how many periods follow the main time */
  periods: number;
  /** a period's length, in seconds */
  period: number;
}

export interface TurnwiseRequest {
  /** the kind, on which the other fields depend */
  kind: "turnwise";
  /** seconds for each turn */
  time: number;
}

export interface CorrespondenceRequest {
  /** the kind, on which the other fields depend */
  kind: "correspondence";
  /** days for each turn */
  days: number;
}

/** Follow a room, or catch up; with `seat`, also take a seat (`any`: the first free one). With `since`, the server sends the events after that place, if the log still knows it. Answered with `room`, `seats`, `place`, `turn` and `resumed`; then come the events or the snapshot, and `presence` (6.1). With `goto`, the answer may be the error `goto` (1.16). */
export interface Join {
  type: "join";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the seat to take, `any` for the first free one; null: none */
  seat?: 0 | 1 | "any" | null;
  /** needed with `seat`, and only then (2.3) */
  nonce?: string | null;
  /** the place that you know, to get only what came after it; null: a snapshot */
  since?: Since | null;
  /** the secret of a private room; its players need none (20.3) */
  invitation?: string | null;
  /** true: you are ready to connect elsewhere, where the room's clients meet (1.16) */
  goto?: boolean;
}

/** The last event that the client has. It wants to go on from there. `proof` is the proof that came with that place. */
export interface Since {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the last event that the client has */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** the proof that came with that place, at most 64 characters (6.13); null: none */
  proof?: string | null;
}

/** Stop following a room. You keep your seat. The answer is `ok` even if you did not follow it. */
export interface Leave {
  type: "leave";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
}

/** Play an action at a turn; with `epoch`, only in that life of the log (3.2). Answered with `room`, `place` (of the action's event) and `turn` (after it). Followers of the room, you too, also get the event, before or after the answer. */
export interface Act {
  type: "act";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the turn for which the action was chosen (6.3) */
  turn: number;
  /** the action, in the game's notation (8) */
  action: string;
  /** the epoch for which it was chosen; null: any (6.3) */
  epoch?: number | null;
}

/** Resign a running game. If you hold both seats, name one in `seat`, or resign for the seat that is to act. Answered with `room`, `place` and `turn`. */
export interface Resign {
  type: "resign";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat, if you hold both; null: the seat that is to act */
  seat?: 0 | 1 | null;
}

/** Ask for the legal actions that begin with `prefix`. Or ask whether an `action` is legal, or one that begins with `points`, and if not, why. With `turn`, only at that turn. Answered with `room` and `legal`. */
export interface LegalQuery {
  type: "legal";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the beginning of the actions that you ask for; empty: all (6.4) */
  prefix?: string;
  /** the turn that the question is about; null: any (6.12) */
  turn?: number | null;
  /** ask whether this action is legal; empty: not asked (6.12) */
  action?: string;
  /** ask whether these points, in this order, lead to a legal action (6.12) */
  points?: string[];
}

/** Ask for a room's log as the store keeps it, from event `first` on. Answered with `room` and `log`: at most 1,000 entries, none if `first` is beyond the end. Ask again from the next number on until you get none. */
export interface LogQuery {
  type: "log";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the first event wanted */
  first?: number;
}

/** Ask the server to sign a room's log from its beginning to event `seq` (null: the last that you may see). With the receipt you can prove what it has acknowledged (28.10). Answered with `room` and `receipt`. */
export interface ReceiptQuery {
  type: "receipt";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the last event to sign; null: the last one that you may see */
  seq?: number | null;
}

/** Ask for open and running rooms that match all fields that are not null (23.18). `after` is the `next` of the previous page. Answered with `rooms`, and with `next` if there may be more. */
export interface RoomsQuery {
  type: "rooms";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the most rooms to list */
  limit?: number;
  /** only rooms of this game; null: any (23.18) */
  game?: string | null;
  /** only rooms of this size; null: any */
  size?: number | null;
  /** only `open` or only `running` rooms; null: both */
  status?: "open" | "running" | null;
  /** only rooms in which this seat is free, or `any` seat; null: all */
  free_seat?: 0 | 1 | "any" | null;
  /** the `next` of the previous page; null: the first page (23.18) */
  after?: string | null;
}

/** Ask for the positions that a list of actions leads to, from ply `first` on, and with `legal` what may follow. So a client needs no rules. Answered with `replay` (6.11). */
export interface ReplayQuery {
  type: "replay";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** the actions, from the start of the game */
  actions: string[];
  /** the ply of the first position wanted */
  first?: number;
  /** whether you also want the account of the last position (26.12) */
  account?: boolean;
  /** the version of the rules, from the state of the room; null: the newest */
  rules?: number | null;
  /** what you want to know of the legal actions after the last one (6.15); null: nothing */
  legal?: LineQuestion | null;
}

/** What you want to know about the position after the last action, as with `legal` about a room. */
export interface LineQuestion {
  /** the beginning of the actions that you ask for; empty: all (6.4) */
  prefix?: string;
  /** ask whether this action is legal; empty: not asked (6.12) */
  action?: string;
  /** ask whether these points, in this order, lead to a legal action (6.12) */
  points?: string[];
}

/** Ask whether the server is there, at any time after `hello`. Answered with `now`, the store's time. */
export interface Ping {
  type: "ping";
  /** a number that the client chooses; the answer repeats it */
  id: number;
}

/** Report that your board differs from the server's after the event at `epoch` and `seq` (6.2): `mismatch` the first time, `desync` if it differs again after a fresh snapshot. Answered with `room`. */
export interface BoardMismatch {
  type: "board_mismatch";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the epoch of the event after which the board differed */
  epoch: number;
  /** the number of that event */
  seq: number;
  /** `mismatch`: the first time; `desync`: again, after a fresh snapshot (6.2) */
  problem: "desync" | "mismatch";
}

/** End the game before you have acted in it; nobody loses (19.3). Answered with `room`, `place` and `turn`. */
export interface Abort {
  type: "abort";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat, if you hold both; null: a seat that has not acted */
  seat?: 0 | 1 | null;
}

/** Offer something to the other player. If they already offer the same, this accepts it (19.1). Answered with `room`, `place` and `turn`. */
export interface Offer {
  type: "offer";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat, if you hold both; null: the seat that is to act */
  seat?: 0 | 1 | null;
}

/** Accept what the other player offered at this turn. Answered with `room`, `place` (of the resulting event) and `turn` (after it). */
export interface Accept {
  type: "accept";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** the turn at which you saw the offer */
  turn: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat that accepts, if you hold both; null: the seat that got the offer */
  seat?: 0 | 1 | null;
}

/** Decline the other player's offer. Answered with `room`, `place` and `turn`. */
export interface Decline {
  type: "decline";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat that declines, if you hold both; null: the seat that got the offer */
  seat?: 0 | 1 | null;
}

/** Take your offer back. Answered with `room`, `place` and `turn`. */
export interface Withdraw {
  type: "withdraw";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat, if you hold both; null: the seat that made the offer */
  seat?: 0 | 1 | null;
}

/** End the game because your opponent is gone: you win, or nobody wins (25.3). Answered with `room`, `place` and `turn`. */
export interface Claim {
  type: "claim";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `win`: you win; `abort`: nobody wins */
  outcome: "abort" | "win";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat, if you hold both; null: seat 0 */
  seat?: 0 | 1 | null;
}

/** Ask for a game's document, or with `lessons` for its lessons (26.2). Answered with `document`. */
export interface GameQuery {
  type: "game";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** one of the `games` of the `welcome` */
  game: string;
  /** true: ask for its lessons (26.16); refused if it has none */
  lessons?: boolean;
}

/** Send a chat message in a room, to the channel of the players or of the spectators, whichever you are (21). Answered with `room`, `channel` and `messages`: the message. */
export interface Say {
  type: "say";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the message: 1 to 300 characters (21.3) */
  text: string;
}

/** Ask for the messages of a channel from number `first` on, as far as the server keeps them (21.5). Answered with `room`, `channel` and `messages`, at most 50. */
export interface ChatHistoryQuery {
  type: "chat_history";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `players` or `spectators` (21.1) */
  channel: "players" | "spectators";
  /** the first message wanted */
  first?: number;
}

/** Report a chat message to the operators (21.8). Answered with `room`. */
export interface ReportMessage {
  type: "report_message";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `players` or `spectators` (21.1) */
  channel: "players" | "spectators";
  /** the message's number in its channel */
  seq: number;
  /** what is wrong with it, for the operators */
  text?: string;
}

/** Mute or block a user, or with `level` null, take them off your block list (21.7). Without a `user`, only ask for the list. Answered with `block_list`. */
export interface Block {
  type: "block";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the user; null: change nothing, only ask for the block list */
  user?: string | null;
  /** `mute`: hide their chat; `block`: never play with them, too (21.7); null: none */
  level?: "block" | "mute" | null;
}

/** Find an opponent who wants the same game, size and clock (23.1). If somebody already waits for the same, the answer has your `room` and `seats`; otherwise you wait. */
export interface Seek {
  type: "seek";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** how the room will be timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** seconds of waiting after which a house bot may play (23.15); null: never */
  bot_after?: number | null;
  /** whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
  /** a level of house bots: play only with a bot of this level (23.20) */
  bot_level?: string | null;
  /** how strong the opponent may be (23.22); null: any strength */
  range?: RatingRange | null;
}

/** How many points weaker or stronger an opponent may be (null: any number; 23.22). */
export interface RatingRange {
  /** how many points weaker the opponent may be; null: any number */
  below: number | null;
  /** how many points stronger the opponent may be; null: any number */
  above: number | null;
}

/** For house bots: play with the next user who finds nobody (23.16), or who wants this level (23.20). Answered like `seek`. */
export interface StandIn {
  type: "stand_in";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the level at which the bot plays (23.20); null: no level */
  bot_level?: string | null;
}

/** Withdraw a `seek` or `stand_in` (23.5). Answered like `seek`. */
export interface CancelSeek {
  type: "cancel_seek";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the nonce of the `seek` or `stand_in` */
  nonce: string;
}

/** Challenge a user to a game (23.10). `seat` is the seat that you want (null: seats are drawn by lot). The `ok` has `room` and `seats` if the challenge has led to a room. */
export interface Challenge {
  type: "challenge";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the user that you challenge, by id or registered name */
  to: string;
  /** true: `to` is a registered name (24.1) */
  named?: boolean;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** how the room will be timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** the seat that you want; null: draw the seats by lot */
  seat?: 0 | 1 | null;
  /** whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
}

/** Take a challenge back (23.11). Answered like `challenge`. */
export interface WithdrawChallenge {
  type: "withdraw_challenge";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the nonce of the `challenge` */
  nonce: string;
}

/** Accept a challenge, or if `accept` is false, decline it (23.10). If you accept, the `ok` has `room` and `seats`. */
export interface AnswerChallenge {
  type: "answer_challenge";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the challenge, as `challenged` names it */
  challenge: string;
  /** true: accept; false: decline */
  accept: boolean;
}

/** Watch the lobby, or if `watch` is false, stop. Fields that are not null restrict it to matching rooms, and to the pools of that `game` (23.6, 23.19). A `lobby` follows the `ok`, unless `watch` is false. */
export interface WatchLobby {
  type: "lobby";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** false: stop watching the lobby */
  watch?: boolean;
  /** only rooms and pools of this game; null: any (23.19) */
  game?: string | null;
  /** only `open` or only `running` rooms; null: both */
  status?: "open" | "running" | null;
  /** only rooms in which this seat is free, or `any` seat; null: all */
  free_seat?: 0 | 1 | "any" | null;
}

/** Ask for the open and running rooms in which you hold a seat (23.9). Answered with `my_rooms`. */
export interface MyRoomsQuery {
  type: "my_rooms";
  /** a number that the client chooses; the answer repeats it */
  id: number;
}

/** Take a name that nobody else can have, or change it (24.1). Answered with `account`. */
export interface Register {
  type: "register";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the name to register (24.1) */
  name: string;
}

/** Delete your account (24.4). Nobody can be this user any more. */
export interface DeleteAccount {
  type: "delete_account";
  /** a number that the client chooses; the answer repeats it */
  id: number;
}

/** Ask for everything that the server stores about you (24.11). `after` is the `next` of the previous page. Answered with `lines`, and with `next` if there is more. */
export interface DownloadAccount {
  type: "download_account";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the `next` of the previous page; null: the first page (24.11) */
  after?: string | null;
}

/** Ask the server to call a URL when you are to act and are not connected; null: stop (23.13). Answered with `secret` if there is a `url`. */
export interface SetWebhook {
  type: "set_webhook";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the address to call (23.13); null: stop calling */
  url?: string | null;
}

/** Sign out everywhere else (24.12). Without a `token`, ask for one, and keep it; with that `token`, end all your other sessions. Answered with `token`. */
export interface EndSessions {
  type: "end_sessions";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the token of an earlier answer (24.12); null: ask for one */
  token?: string | null;
}

/** The answer to a request that succeeded. The request decides which other fields are set. */
export interface Ok {
  type: "ok";
  /** a number that the client chooses; the answer repeats it */
  id: number;
  /** the room that the request was about, or made */
  room?: string | null;
  /** the seats that you hold in the room */
  seats?: (0 | 1)[] | null;
  /** the place of the event that the request caused; after `join`: the room's place */
  place?: ProvenPlace | null;
  /** the room's turn after that */
  turn?: number | null;
  /** after `join`: true if the events after `since` follow, false: a snapshot */
  resumed?: boolean | null;
  /** the answer to `hello` */
  welcome?: Welcome | null;
  /** the answer to `legal` */
  legal?: Legal | null;
  /** the answer to `rooms` */
  rooms?: Card[] | null;
  /** the answer to `log` */
  log?: LogEntry[] | null;
  /** the answer to `replay` */
  replay?: Replay | null;
  /** the answer to `ping`: the store's time, in ms since 1970 */
  now?: number | null;
  /** after `say`: the channel */
  channel?: "players" | "spectators" | null;
  /** the answer to `chat_history`; after `say`: the message */
  messages?: ChatMessage[] | null;
  /** the answer to `block`: everyone you mute or block */
  block_list?: BlockListEntry[] | null;
  /** the answer to `my_rooms` */
  my_rooms?: MyRoom[] | null;
  /** the answer to `register` */
  account?: AccountState | null;
  /** the answer to `end_sessions`: your new token (24.12) */
  token?: string | null;
  /** the answer to `set_webhook` with a `url`: the key that signs calls (23.14) */
  secret?: string | null;
  /** the cursor of the next page; null: there is none (23.18, 24.11) */
  next?: string | null;
  /** the answer to `game`: JSON text (26.2) */
  document?: string | null;
  /** the answer to `download_account`: each is JSON text (24.11) */
  lines?: string[] | null;
  /** the answer to `receipt` */
  receipt?: Receipt | null;
}

/** A place, and the server's `proof` that it has told you this place (6.13). The proof is not part of the place: a `ProvenPlace` equals any place with the same epoch, seq and chain. */
export interface ProvenPlace {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** opaque text that proves the place; send it back in `since` (6.13); null: none */
  proof?: string | null;
}

/** The answer to `hello`: who you are, and what this server offers. Send `token` with every later `hello` to be the same user. Keep it, and keep it secret. */
export interface Welcome {
  /** the protocol and its version: `pierule.1` */
  protocol: string;
  /** the server's own version, for people; it has no meaning for clients */
  server: string;
  /** the user's id, which never changes */
  user: string;
  /** your name */
  name: string;
  limits: Limits;
  /** the games that this server can play */
  games: GameOptions[];
  /** what this server can do (15.4); ignore features that you do not know */
  features: string[];
  /** proves who you are in a later `hello`; keep it, and keep it secret */
  token: string;
}

/** The limits of the server, for itself and for clients. 0: no limit (for a burst: 1). */
export interface Limits {
  /** bytes of a message */
  frame_bytes: number;
  /** rooms that a connection may follow */
  rooms_followed: number;
  /** frames of a connection that are not messages */
  errors: number;
  /** seconds within which `hello` must come */
  hello_seconds: number;
  /** seconds between the server's pings, and for their answers; 0: it sends none (1.4) */
  ping_seconds: number;
  /** requests of a connection per second */
  connection_rate?: number;
  /** requests of a connection in a burst, after a silence */
  connection_burst?: number;
  /** requests of a user per second */
  user_rate?: number;
  /** requests of a user in a burst, after a silence */
  user_burst?: number;
  /** connections of a user to this node */
  connections_per_user?: number;
  /** open or running rooms that a user made or sits in */
  rooms_per_user?: number;
  /** chat messages of a user per second */
  chat_rate?: number;
  /** chat messages of a user in a burst, after a silence */
  chat_burst?: number;
  /** chat messages that each channel of a room keeps */
  messages_kept?: number;
  /** waiting seeks of a user */
  seeks_per_user?: number;
  /** open challenges of a user */
  challenges_per_user?: number;
  /** what young guests of one address may spend per second (1.11) */
  address_budget?: number;
  /** what they may spend in a burst, after a silence */
  address_budget_burst?: number;
  /** what an older guest, or another user, may spend per second (1.11) */
  user_budget?: number;
  /** what they may spend in a burst, after a silence */
  user_budget_burst?: number;
  /** chat messages of all users in a channel of a room per second */
  channel_rate?: number;
  /** chat messages of all users in a channel in a burst, after a silence */
  channel_burst?: number;
}

/** A game that this server can play. `hash` names its document, which tells the rest (26). */
export interface GameOptions {
  /** the name of the game */
  game: string;
  /** the sizes that new rooms can have */
  sizes: number[];
  /** the size if `create` names none */
  default_size: number;
  /** whether a game can end in a draw, and players can offer one */
  draws?: boolean;
  /** the versions of the rules that this server can play; new rooms use the last */
  rules?: number[];
  /** names the game's document (26.1) */
  hash?: string;
}

/** The legal actions with a prefix: how many there are, the points or words that may come next, and the actions, if there are at most 1,000. In set-up phases, the template replaces the actions. If you asked about an action or points, `total` is 1 or 0, and `refusal` says why. */
export interface Legal {
  /** the turn of this position */
  turn: number;
  /** how many legal actions begin with the prefix */
  total: number;
  /** what you may append to the prefix */
  next?: string[];
  /** all legal actions with the prefix, if there are at most 1,000; otherwise null */
  actions?: string[] | null;
  /** in set-up phases: the parts of an action */
  template?: LegalPart[];
  /** for an `action` or `points`, if `total` is 0: why (6.12); otherwise null */
  refusal?: LegalRefusal | null;
  /** for `points`, if `total` is 1: what they would put on the board (26.13), as `[index, value]` pairs */
  preview?: ([number, number])[];
}

/** A part of a set-up action: `count` pieces `what` on `points`, or a number from `first` to `last` in steps of `step`. */
export interface LegalPart {
  /** the name of a piece (26.8), or of a number such as `komi` */
  what: string;
  /** how many pieces */
  count?: number;
  /** the points where they may stand */
  points?: string[];
  /** the lowest number */
  first?: number | null;
  /** the highest number */
  last?: number | null;
  /** the step between the numbers */
  step?: number | null;
  /** the value of the cells that will hold these pieces; null for numbers */
  cell?: number | null;
}

/** Why an action is not legal, or why no legal action begins with these points, as in `illegal`. */
export interface LegalRefusal {
  /** the short name of the rule that forbids it (8.3) */
  rule: string;
  /** the points that show it */
  points: string[];
  /** the reason, in words */
  text: string;
}

/** A room in a listing. */
export interface Card {
  /** the room's id */
  room: string;
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** `open` (a seat is free), `running` or `over` */
  status: "open" | "over" | "running";
  /** the names of the players in seat 0 and seat 1; null: the seat is free */
  names: [string | null, string | null];
  /** how many actions and takebacks the room has seen (3.5) */
  turn: number;
  /** the store's time of the latest event, in ms since 1970 */
  at: number;
  /** how the room is timed (9.1); null: not at all */
  control?: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** whether the players in seat 0 and seat 1 are bots */
  bots?: [boolean, boolean];
  /** whether nobody waits in the open room: neither its maker nor a player in it follows it (23.18) */
  away?: boolean;
  /** whether the game can still count for ratings (30.2) */
  rated?: boolean;
  /** the ratings of the players in seat 0 and seat 1 when they sat down (30.6); null: none */
  standings?: [Standing | null, Standing | null];
}

/** Main time, and an increment for each turn. At least one of them is not 0. */
export interface Fischer {
  /** the kind, on which the other fields depend */
  kind: "fischer";
  /** main time, in seconds */
  main: number;
  /** seconds added after each turn */
  increment?: number;
}

/** Main time, then periods that begin anew with each turn (Japanese byo-yomi). */
export interface Byoyomi {
  /** the kind, on which the other fields depend */
  kind: "byoyomi";
  /** main time, in seconds */
  main: number;
  /** how many periods follow the main time */
  periods: number;
  /** a period's length, in seconds */
  period: number;
}

/** The same time for each turn; unused time is lost. */
export interface Turnwise {
  /** the kind, on which the other fields depend */
  kind: "turnwise";
  /** seconds for each turn */
  time: number;
}

/** Days for each turn. */
export interface Correspondence {
  /** the kind, on which the other fields depend */
  kind: "correspondence";
  /** days for each turn */
  days: number;
}

/** A player's rating in a game and its deviation, in whole points. If the deviation exceeds 110, the rating is provisional (SPEC 30.5). */
export interface Standing {
  /** the rating, rounded to a whole number */
  rating: number;
  /** its deviation, rounded up */
  deviation: number;
}

/** An entry of a room's log, and the digest of the position after it. */
export interface LogEntry {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** the store's time, in ms since 1970 */
  at: number;
  /** the event as the log keeps it: JSON text (3.3) */
  record: string;
  /** the digest of the position (5.4) */
  digest: number;
  /** the names of the users that the event seats; the chain does not cover them (3.9) */
  names?: Named[];
}

/** A user's name. */
export interface Named {
  /** the user's id */
  user: string;
  /** the user's name */
  name: string;
}

/** The positions of a list of actions: the position at ply `first`, and what each of at most 200 further actions changes. On request, also the account of the last position, and what is legal there. */
export interface Replay {
  position: PositionState;
  /** what each following action changes, at most 200 of them */
  diffs: PositionDiff[];
  /** where the score after the last action comes from (26.12); null: not asked */
  account?: Account | null;
  /** what is legal after the last action (6.15); null: not asked */
  legal?: Legal | null;
}

/** A position's fields. `score` is (Black, White); `black` is the seat that plays Black. */
export interface PositionState {
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** the game's phase (8.1) */
  phase: string;
  /** the seat that acts next; null when the game is over */
  to_act: 0 | 1 | null;
  /** the seat that plays Black; null until the colors are chosen */
  black: 0 | 1 | null;
  /** points that White gets; null: there is no komi, or it is not set yet */
  komi: number | null;
  /** how many of the last actions were passes, 0 to 2 */
  passes: number;
  /** the present score of Black and of White, including the komi */
  score: [number, number];
  /** the seat that has won, `draw`, or null */
  winner: 0 | 1 | "draw" | null;
  /** the board, `size * size` values (5.2) */
  cells: number[];
}

/** The fields of a position that an event changed. `cells` has (index, value) pairs. */
export interface PositionDiff {
  /** the game's phase (8.1) */
  phase?: string;
  /** the seat that acts next; null when the game is over */
  to_act?: 0 | 1 | null;
  /** the seat that plays Black; null until the colors are chosen */
  black?: 0 | 1 | null;
  /** points that White gets; null: there is no komi, or it is not set yet */
  komi?: number | null;
  /** how many of the last actions were passes, 0 to 2 */
  passes?: number;
  /** the present score of Black and of White, including the komi */
  score?: [number, number];
  /** the seat that has won, `draw`, or null */
  winner?: 0 | 1 | "draw" | null;
  /** changed cells, as pairs of index and value */
  cells?: ([number, number])[];
}

/** Where a score comes from: what to mark on the board, and the sums that add up to each color's score. */
export interface Account {
  /** points that count */
  marks?: Mark[];
  /** what adds up to each color's score */
  sums?: Sum[];
}

/** Points that count for a color, and how much they count together (null: show no number). */
export interface Mark {
  /** its name in `texts.marks` */
  kind: string;
  /** the color for which they count */
  color: "black" | "white";
  /** the points */
  points: string[];
  /** how much they count together; null: show no number */
  value?: number | null;
}

/** A part of a color's score. `numbers` fill the placeholders of its text. */
export interface Sum {
  /** its name in `texts.sums` */
  kind: string;
  /** the color whose score it is part of */
  color: "black" | "white";
  /** how much it adds */
  value: number;
  /** the numbers for the placeholders of its text */
  numbers?: number[];
}

/** A chat message, with its number in its channel. If you have muted the user, it has neither `name` nor `text`. */
export interface ChatMessage {
  /** the message's number in its channel: 1, 2, 3, … */
  seq: number;
  /** the store's time, in ms since 1970 */
  at: number;
  /** the user's id, which never changes */
  user: string;
  /** the user's name at that time; empty if you have muted them */
  name?: string;
  /** the message, which nobody has checked; null if you have muted the user */
  text?: string | null;
}

/** An entry of a block list. */
export interface BlockListEntry {
  /** the user's id, which never changes */
  user: string;
  /** `mute` or `block` */
  level: "block" | "mute";
}

/** A room in which you hold `seats`, and the seat whose turn it is; or that the room is set aside, so nobody can play there now. */
export interface MyRoom {
  card: Card;
  /** the seats that you hold in it */
  seats: (0 | 1)[];
  /** the seat whose turn it is; null while the room is open or set aside */
  to_act: 0 | 1 | null;
  /** whether the room is set aside (23.9) */
  aside?: boolean;
}

/** Your account: the name, a new recovery code, which the server shows only once, and a new token. */
export interface AccountState {
  /** your name, which nobody else can have */
  name: string;
  /** the recovery code: whoever has it is this user; earlier codes are void */
  recovery: string;
  /** a new token with the new name, as in a `welcome`. If the name is the same as before, it ends all other sessions when you use it (24.12) */
  token: string;
}

/** The server's signature of a room's log up to a place. It proves that the server acknowledged these events (28.10). `log` is their hash (28.1). */
export interface Receipt {
  /** the epoch of the last signed event */
  epoch: number;
  /** how many events are signed, from the first on */
  seq: number;
  /** the chain of the last signed event */
  chain: number;
  /** the hash of these events (28.1) */
  log: string;
  /** the id of the key that signed (28.4) */
  key: string;
  /** the signature, in hexadecimal (28.10) */
  signature: string;
}

/** The answer to a request that was refused: nothing has changed, unless section 7 says otherwise. Also sent for a frame that is not a request. `id` is null if it could not be read. */
export interface Error {
  type: "error";
  /** the request's id; null if it could not be read */
  id: number | null;
  /** a code of section 7; later versions may have more */
  code: string;
  /** the reason in words, for people */
  text: string;
  /** the field that was wrong */
  field?: string | null;
  /** `illegal`: the short name of the rule that forbids it (8.3) */
  rule?: string | null;
  /** `illegal`: the points that show it */
  points?: string[] | null;
  /** `stale`: the room's place */
  place?: Place | null;
  /** `stale`: the room's turn */
  turn?: number | null;
  /** `flagged`: how many ms after the deadline it arrived */
  late?: number | null;
  /** `too_early`, `unrated` (30.7): ms until you can do it */
  left?: number | null;
  /** `rate`: ms to wait before you send the request again */
  retry_ms?: number | null;
}

/** Where a log is after an event: `epoch` names the life of the log, `seq` counts its events from 1, and `chain` is the CRC over all of them. */
export interface Place {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
}

/** A whole room, after the `ok` of a `join` that was not `resumed`, and when a new epoch begins. Forget what you knew of the room before. `proof` belongs to the place of the state. */
export interface Snapshot {
  type: "snapshot";
  state: RoomState;
  /** opaque text that proves the place; send it back in `since` (6.13); null: none */
  proof?: string | null;
}

/** Everything that a client sees of a room. `ply` is the length of `actions`. */
export interface RoomState {
  /** the room's id */
  room: string;
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the number of the latest event in this state */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** the time of that event, in ms since 1970 */
  at: number;
  /** the digest of the position (5.4) */
  digest: number;
  /** `open` (a seat is free), `running` or `over` */
  status: "open" | "over" | "running";
  /** the users in seat 0 and seat 1; null: the seat is free */
  seats: [Holder | null, Holder | null];
  /** how many actions and takebacks the room has seen (3.5) */
  turn: number;
  /** how many actions stand (3.5) */
  ply: number;
  /** the actions that stand, in order */
  actions: string[];
  position: PositionState;
  /** how the room is timed (9.1); null: not at all */
  control?: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** both clocks (9.7); null: the room has none */
  clock?: ClockState | null;
  /** how the room ended; null: it has not ended */
  result?: Result | null;
  /** what the players of seat 0 and seat 1 offer (19.1); null: nothing */
  offers?: ["draw" | "pause" | "rematch" | "resume" | "takeback" | null, "draw" | "pause" | "rematch" | "resume" | "takeback" | null];
  /** `public` (listings show the room), `unlisted`, or `private` (20) */
  access?: "private" | "public" | "unlisted";
  /** plies that spectators are behind (20.5) */
  delay?: number;
  /** the room whose rematch this is (19.7); null: none */
  rematch_of?: string | null;
  /** the room of the rematch, once it exists (19.7) */
  rematch?: string | null;
  /** the version of the game's rules (26.14) */
  rules?: number;
  /** whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes" | null;
  /** why the game does not count for ratings (30.2); null: no reason so far */
  unrated?: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
}

/** The user in a seat. A `bot` has said that it is a bot. A `registered` user had a registered name when they sat down (SPEC 30.1). `standing` is their rating at that time, if they had one (SPEC 30.6), or the fixed rating of a bot (SPEC 30.9). In a record, `name` is empty. */
export interface Holder {
  /** the user's id, which never changes */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** whether the user has said that it is a bot */
  bot?: boolean;
  /** whether the user had a registered name when they sat down (30.1) */
  registered?: boolean;
  /** the user's rating in the game when they sat down, if they had one (30.6); for a bot, its fixed rating (30.9) */
  standing?: Standing | null;
}

/** Both clocks: the seat whose turn it is, when its turn began, its deadline, and since when the clocks are paused. All times are the store's, in milliseconds since 1970. */
export interface ClockState {
  /** what seat 0 and seat 1 had left when their last turns ended */
  hands: [HandState, HandState];
  /** the seat whose turn it is; null if no clock runs */
  running: 0 | 1 | null;
  /** when that turn began, in ms since 1970 */
  started: number;
  /** the last moment at which its action counts, in ms since 1970; in a pause, the moment when the clocks go on by themselves; null: no clock runs */
  deadline: number | null;
  /** since when the clocks stand still (19.6), in ms since 1970; null: no pause */
  paused?: number | null;
}

/** What a seat had left when its last turn ended: main time and lag quota in milliseconds, and the number of periods. */
export interface HandState {
  /** main time, in ms */
  main: number;
  /** periods left */
  periods: number;
  /** lag quota, in ms (9.5) */
  quota: number;
}

/** How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `agreed` (a draw), `left` (a player was gone, and the opponent claimed the game), `aborted` (by a player, or because it did not begin in time or was abandoned), `closed` (by the operators, or by the server as in SPEC 9.11), or `voided` (by the operators, after its end). The last three have no winner. */
export interface Result {
  /** the seat that has won, `draw`, or null */
  winner: 0 | 1 | "draw" | null;
  /** `played`, `resigned`, `flagged`, `agreed`, `left`, `aborted`, `closed`, `voided`; later versions may have more */
  reason: string;
}

/** An event of a room that you follow. Events come in order. Each has its place and time, the record as the log keeps it (JSON text), what it changed, the digest of the position after it, and the `proof` of its place. */
export interface Event {
  type: "event";
  /** the room's id */
  room: string;
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** the store's time, in ms since 1970 */
  at: number;
  /** the event as the log keeps it: JSON text (3.3) */
  record: string;
  diff: Diff;
  /** the digest of the position (5.4) */
  digest: number;
  /** opaque text that proves the place; send it back in `since` (6.13); null: none */
  proof?: string | null;
}

/** What an event changed. New `actions` end at the new `ply`: keep the first `ply - len(actions)` old actions, and append the new ones. */
export interface Diff {
  /** `open` (a seat is free), `running` or `over` */
  status?: "open" | "over" | "running";
  /** the users in seat 0 and seat 1; null: the seat is free */
  seats?: [Holder | null, Holder | null];
  /** how many actions and takebacks the room has seen (3.5) */
  turn?: number;
  /** how many actions stand (3.5) */
  ply?: number;
  /** new actions, which end at the new `ply` (4.2) */
  actions?: string[];
  position?: PositionDiff;
  /** both clocks (9.7); null: the room has none */
  clock?: ClockState | null;
  /** how the room ended; null: it has not ended */
  result?: Result | null;
  /** what the players of seat 0 and seat 1 offer (19.1); null: nothing */
  offers?: ["draw" | "pause" | "rematch" | "resume" | "takeback" | null, "draw" | "pause" | "rematch" | "resume" | "takeback" | null];
  /** the room of the rematch, once it exists (19.7) */
  rematch?: string | null;
  /** why the game does not count for ratings (30.2); null: no reason so far */
  unrated?: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
}

/** Who is there, sent after you join and when it changes (6.5): for each seat, whether its player is connected, and how many others watch. While a game runs, for an absent player: when they left, and when the opponent may claim the game. */
export interface Presence {
  type: "presence";
  /** the room's id */
  room: string;
  /** whether the players of seat 0 and seat 1 are connected */
  players: [boolean, boolean];
  /** how many others follow the room, at all nodes together */
  spectators: number;
  /** while a game runs, for each seat: since when its player has been gone (25.1), in ms since 1970; null: not gone */
  gone?: [number | null, number | null];
  /** for each seat: the time from which the other player may claim the game (25.2), in ms since 1970; null: not at all */
  claim?: [number | null, number | null];
}

/** News from the server, at any time (1.5): `draining` (it closes this connection within `seconds`; connect again), `store_away` (it refuses requests that need the store; `text` says why), `store_back`, `room_gone` (`room` no longer exists, and you no longer follow it), `announcement` (`text` from the operators, about something that happens `at` a time), `seek_expired` (the seek with this `nonce` found nobody), `challenge_declined` (the challenge with this `nonce`), `challenge_withdrawn` (`challenge` says which), `your_turn` (in `room`), `webhook_off` (your webhook is no longer called), or `rated_from` (you have left rated games and can enter new ones from `at` on, 30.7). */
export interface Notice {
  type: "notice";
  /** `draining`, `store_away`, `store_back`, `room_gone`, `announcement`, `seek_expired`, `challenge_declined`, `challenge_withdrawn`, `your_turn`, `webhook_off`, `rated_from`; later versions may have more (1.5) */
  kind: string;
  /** `draining`: seconds until the server closes this connection */
  seconds?: number | null;
  /** `room_gone`, `your_turn`: the room */
  room?: string | null;
  /** `announcement`: the operators' words; `store_away`: what is wrong, in words; `room_gone`: the reason, unless the room has simply expired */
  text?: string | null;
  /** `announcement`: when it will happen, in ms since 1970; null: no time given. `rated_from`: the time from which you can enter rated games */
  at?: number | null;
  /** `seek_expired`, `challenge_declined`: the nonce of your request */
  nonce?: string | null;
  /** `challenge_withdrawn`: the challenge */
  challenge?: string | null;
}

/** Messages of a channel that you may read, in order (21.4): the latest after you join, then each new one. */
export interface Chat {
  type: "chat";
  /** the room's id */
  room: string;
  /** `players` or `spectators` (21.1) */
  channel: "players" | "spectators";
  /** new messages, none left out between them */
  messages: ChatMessage[];
}

/** Your request with this `nonce` has led to a running room in which you hold `seat`. Sent when the room begins, and after `hello` (23.4). */
export interface Paired {
  type: "paired";
  /** the nonce of your request; if you accepted a challenge, its `challenge` */
  nonce: string;
  /** the running room */
  room: string;
  /** the seat that you hold */
  seat: 0 | 1;
}

/** Another user challenges you to a game. Sent when they do, and after `hello` (23.10). `seat` is the seat that you would get (null: seats are drawn by lot). */
export interface Challenged {
  type: "challenged";
  /** names the challenge in `answer_challenge` */
  challenge: string;
  /** the challenger */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** how the room is timed (9.1); null: not at all */
  control: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** the seat that you would get; null: seats are drawn by lot */
  seat: 0 | 1 | null;
  /** whether the user has said that it is a bot */
  bot?: boolean;
  /** whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
}

/** The whole lobby, after the `ok` of a `lobby` (23.6). Forget what you knew of it before. */
export interface LobbyState {
  type: "lobby";
  /** the number of this state (23.7) */
  seq: number;
  /** open and running rooms, the latest first */
  rooms: LobbyRoom[];
  /** pools in which somebody waits */
  pools: Pool[];
  /** how many house bots are free (23.16) */
  bots?: number;
  /** the levels of house bots that run (23.21) */
  bot_levels?: FreeBots[];
}

/** A room in the lobby, and how many spectators it has. */
export interface LobbyRoom {
  card: Card;
  /** how many watch it, at all nodes together */
  spectators: number;
}

/** A pool: how many users wait for the same game, size and clock. */
export interface Pool {
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** how the room is timed (9.1); null: not at all */
  control: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** how many users wait; 0: the pool is gone */
  waiting: number;
}

/** A level of house bots that run here, and how many of its bots are free. */
export interface FreeBots {
  /** the level */
  bot_level: string;
  /** how many bots of the level are free */
  free: number;
}

/** What has changed in the lobby that you watch (23.7): new or changed rooms, ids of rooms that are no longer listed, and new or changed pools. A pool in which nobody waits is gone. */
export interface LobbyChange {
  type: "lobby_change";
  /** the number of the state after this change (23.7) */
  seq: number;
  /** new or changed rooms */
  rooms?: LobbyRoom[];
  /** ids of rooms that are no longer listed */
  gone?: string[];
  /** new or changed pools */
  pools?: Pool[];
  /** how many house bots are free (23.16); null: unchanged */
  bots?: number | null;
  /** the levels of house bots that run (23.21); null: unchanged */
  bot_levels?: FreeBots[] | null;
}

/** The room was made. If `seat` is given, its maker sits there from the start. If `players` are given, they sit there, and the game starts immediately. The log keeps only a hash of a private room's `invitation`. Every `name` is empty (3.9). `rules` is the version of the game's rules, which the room keeps to its end. `rated` is what the maker wishes, or what both players agreed to. `registered` and `standing` describe the maker, if they sit. Rooms of earlier servers lack `rules`, `rated`, `registered` and `standing`. */
export interface Created {
  /** the kind, on which the other fields depend */
  kind: "created";
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** the user's id, which never changes */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the seat that the maker takes; absent: none */
  seat?: 0 | 1 | null;
  /** how the room is timed (9.1); absent: not at all */
  clock?: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** `public` (listings show the room), `unlisted`, or `private` (20) */
  access?: "private" | "public" | "unlisted";
  /** the SHA-256 of a private room's invitation, in 64 hexadecimal digits */
  invitation?: string | null;
  /** plies that spectators are behind (20.5) */
  delay?: number;
  /** the users in seat 0 and seat 1 from the start; absent: nobody but the maker */
  players?: [Holder, Holder] | null;
  /** the room whose rematch this is (19.7); null: none */
  rematch_of?: string | null;
  /** whether the user has said that it is a bot */
  bot?: boolean;
  /** the version of the game's rules (26.14) */
  rules?: number;
  /** whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes" | null;
  /** whether the user had a registered name when they sat down (30.1) */
  registered?: boolean;
  /** the user's rating in the game when they sat down, if they had one (30.6); for a bot, its fixed rating (30.9) */
  standing?: Standing | null;
}

/** A user took a free seat. With the second seat the game starts. The `name` is empty. */
export interface Seated {
  /** the kind, on which the other fields depend */
  kind: "seated";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** the user's id, which never changes */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** whether the user has said that it is a bot */
  bot?: boolean;
  /** whether the user had a registered name when they sat down (30.1) */
  registered?: boolean;
  /** the user's rating in the game when they sat down, if they had one (30.6); for a bot, its fixed rating (30.9) */
  standing?: Standing | null;
}

/** The player of a seat played an action. In a room with clocks, `lag` is the round trip in milliseconds that the server measured in this turn, and `given` is the part of it that the player's quota covered. */
export interface Acted {
  /** the kind, on which the other fields depend */
  kind: "acted";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** the action, in the game's notation (8) */
  action: string;
  /** the round trip measured in this turn, in ms */
  lag?: number;
  /** how much of it the quota covered, in ms (9.5) */
  given?: number;
}

/** The player of a seat resigned. */
export interface Resigned {
  /** the kind, on which the other fields depend */
  kind: "resigned";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The time of a seat ran out. */
export interface Flagged {
  /** the kind, on which the other fields depend */
  kind: "flagged";
  /** seat 0 or 1 */
  seat: 0 | 1;
}

/** The game did not begin in time, or was abandoned, or a player who had not acted yet aborted it. Nobody loses. */
export interface Aborted {
  /** the kind, on which the other fields depend */
  kind: "aborted";
  /** the seat that aborted it; absent: it did not begin in time, or was abandoned */
  seat?: 0 | 1 | null;
  /** as in the request; absent without a seat */
  nonce?: string | null;
}

/** The player of a seat ended the game, as a win or without a winner, because the opponent had been gone for at least `bound` ms, since `gone` by the store's time. */
export interface Claimed {
  /** the kind, on which the other fields depend */
  kind: "claimed";
  /** the seat that claims the game */
  seat: 0 | 1;
  /** `win`: you win; `abort`: nobody wins */
  outcome: "abort" | "win";
  /** since when the other player was gone, by the store's time in ms since 1970 */
  gone: number;
  /** how many ms that player must have been gone (25.2) */
  bound: number;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The operators ended the room, or voided the result of a room that was over; or the server ended it, because an address had too many unfinished games (SPEC 9.11). `by` says which, and `text` tells everybody why. */
export interface Closed {
  /** the kind, on which the other fields depend */
  kind: "closed";
  /** the reason: in the operators' words, or in English */
  text: string;
  /** `operators`, or `limit`: the server (9.11); later versions may have more */
  by?: string;
}

/** The store or all nodes were away from `lost_from` to `lost_to`. The running clock gets the part back that fell into the present turn. */
export interface Credited {
  /** the kind, on which the other fields depend */
  kind: "credited";
  /** when the outage began, by the store's time in ms since 1970 */
  lost_from: number;
  /** when it ended */
  lost_to: number;
}

/** The store lost the end of the log. A new epoch begins with what is left (SPEC 3.2). */
export interface Renewed {
  /** the kind, on which the other fields depend */
  kind: "renewed";
}

/** The player of a seat offered something. */
export interface Offered {
  /** the kind, on which the other fields depend */
  kind: "offered";
  /** the seat that made the offer */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The player of a seat declined the opponent's offer. */
export interface Declined {
  /** the kind, on which the other fields depend */
  kind: "declined";
  /** the seat that declined */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The player of a seat took an offer back. */
export interface Withdrawn {
  /** the kind, on which the other fields depend */
  kind: "withdrawn";
  /** the seat that had made the offer */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The player of a seat let the opponent take back the latest action. */
export interface TakenBack {
  /** the kind, on which the other fields depend */
  kind: "taken_back";
  /** the seat that allowed it */
  seat: 0 | 1;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The player of a seat accepted a draw. */
export interface Drawn {
  /** the kind, on which the other fields depend */
  kind: "drawn";
  /** the seat that accepted */
  seat: 0 | 1;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The player of a seat accepted a pause: the clocks stand still. */
export interface Paused {
  /** the kind, on which the other fields depend */
  kind: "paused";
  /** the seat that accepted */
  seat: 0 | 1;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The clocks go on, because the player of a seat accepted that, or because the pause reached its longest time (no seat). */
export interface Resumed {
  /** the kind, on which the other fields depend */
  kind: "resumed";
  /** the seat that accepted; absent: the pause has reached its longest time */
  seat?: 0 | 1 | null;
  /** as in the request; absent without a seat */
  nonce?: string | null;
}

/** The player of a seat accepted a rematch: its room is about to be made. */
export interface Rematching {
  /** the kind, on which the other fields depend */
  kind: "rematching";
  /** the seat that accepted */
  seat: 0 | 1;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
}

/** The room of the rematch exists now. `seat` is that of the player who accepted. */
export interface Rematched {
  /** the kind, on which the other fields depend */
  kind: "rematched";
  /** the seat that accepted */
  seat: 0 | 1;
  /** names the intention, which makes a retry safe (2.3) */
  nonce: string;
  /** the id of the new room */
  room: string;
}

/** A room, running or over: its options, the players, all events as the log keeps them (times in the store's milliseconds since 1970), and the final state. A record from an archive also has its number and a proof. A record may have a receipt, if you asked the server for one. */
export interface RoomRecord {
  /** always `pierule.room` */
  format: "pierule.room";
  /** 1 */
  version: 1;
  /** the room's id */
  room: string;
  options: RoomOptions;
  /** the users in seat 0 and seat 1; null: the seat is free */
  seats: [Holder | null, Holder | null];
  /** all events of the log, in order */
  events: LogEntry[];
  final: FinalState;
  /** the game's number in an archive (17.4) */
  feed?: number;
  proof?: Proof;
  receipt?: Proof;
}

/** The choices made when the room was created; `control` is null in a room without clocks. */
export interface RoomOptions {
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** how the room is timed (9.1); null: not at all */
  control: Fischer | Byoyomi | Turnwise | Correspondence | null;
}

/** The room after the last event: the event's place, which shows if the last events are missing; the status; the result (null: none yet); the position's text (SPEC 5.3); the clocks (SPEC 9.7; null: none); and why the game does not count for ratings (SPEC 30.2). Records of earlier servers lack `unrated`. */
export interface FinalState {
  place: Place;
  /** `open` (a seat is free), `running` or `over` */
  status: "open" | "over" | "running";
  /** how the room ended; null: it has not ended */
  result: Result | null;
  /** the position's text (5.3) */
  position: string;
  /** both clocks (9.7); null: the room has none */
  clock: ClockState | null;
  /** why the game does not count for ratings (30.2); null: no reason so far */
  unrated?: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
}

/** The signature of a server that archived a game or acknowledged its events, and the id of its key (SPEC 28). */
export interface Proof {
  /** the id of the key that signed (28.4) */
  key: string;
  /** the signature, in hexadecimal (28.2) */
  signature: string;
}

/** Variations of a game: the game, its actions as a tree, and the record of the analyzed room, if the analysis began with a room. */
export interface Analysis {
  /** always `pierule.analysis` */
  format: "pierule.analysis";
  /** 1 */
  version: 1;
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** the version of the rules (26.14) */
  rules: number;
  /** a comment on the opening */
  comment?: string;
  /** the actions, at most 2,000; nodes are numbered in this order, from 1 */
  nodes: AnalysisNode[];
  record?: RoomRecord;
}

/** An action of an analysis, and what is said about it. */
export interface AnalysisNode {
  /** the number of the node after which it is played; 0: the opening */
  after: number;
  /** the action */
  action: string;
  /** how good it is: `!` good, `?` bad, `!!` very good, `??` very bad, `!?` interesting, `?!` doubtful; empty: no judgment */
  symbol?: "" | "!" | "!!" | "!?" | "?" | "?!" | "??";
  /** a comment on it, at most 1,000 characters */
  comment?: string;
}

/** Everything about a game that a client needs to draw and explain it. `rules` are the versions that this server can play; new rooms use the last. `lessons_hash` names its lessons (26.16). */
export interface GameDocument {
  /** always `pierule.game` */
  format: "pierule.game";
  /** 1; a higher version may have more fields */
  version: number;
  /** the name of the game */
  game: string;
  /** the versions of the rules that this server can play; new rooms use the last */
  rules: number[];
  /** the sizes that new rooms can have */
  sizes: number[];
  /** the size if `create` names none */
  default_size: number;
  /** whether a game can end in a draw */
  draws?: boolean;
  /** the phases in order; the last is `over` */
  phases: string[];
  /** whether `a1-a4` means all points from a1 to a4 (26.8) */
  segments?: boolean;
  board: BoardDescriptor;
  /** what the values of cells look like; 0 is empty */
  pieces: Piece[];
  /** how to show changes of cells (26.8) */
  changes?: Change[];
  sample: Picture;
  /** boards for the rules, in the order of `captions` */
  examples?: Picture[];
  /** names the game's lessons (26.16); null: it has none */
  lessons_hash?: string | null;
  /** all texts of the game, by language */
  texts: Record<string, GameTexts>;
}

/** How to draw boards: the grid, whether pieces stand on the points of lines or in cells, where the coordinates stand, and the board of each size. */
export interface BoardDescriptor {
  /** how points are arranged (26.5) */
  grid: "hexagonal" | "square";
  /** whether pieces stand on `points` of lines or in `cells` */
  surface: "cells" | "points";
  /** where the letters of columns stand (26.6) */
  columns?: "above" | "below";
  /** where the numbers of rows stand */
  rows?: "left" | "right";
  /** the board of each size */
  boards: BoardShape[];
}

/** The board of one size: a box of `size` * `size` without the `missing` points. Each line runs straight from each of its points to the next. `strong` lines are thicker. `dots` are marked points. */
export interface BoardShape {
  /** the board's size */
  size: number;
  /** points of the box that are not on the board */
  missing?: string[];
  /** lines, each given by the points at which it begins, bends or ends */
  lines?: string[][];
  /** lines to draw thicker, in the same form */
  strong?: string[][];
  /** points with a small mark */
  dots?: string[];
  /** parts of the border that belong to a color */
  edges?: Edge[];
}

/** A part of the board's border that belongs to a color: those sides of the points that have no neighbor. */
export interface Edge {
  /** the points along that part */
  points: string[];
  /** `black` or `white` */
  color: "black" | "white";
}

/** A kind of piece: what a cell of this value shows. Two kinds never differ in color alone. Terminals show `glyph`, or `plain` without UTF-8. */
export interface Piece {
  /** the value of a cell, 1 to 62 */
  cell: number;
  /** its name in templates (`what`, 6.4); several values may share it */
  name: string;
  /** its main color */
  tint: "black" | "neutral" | "white";
  /** `disc`, `ring`, `star`, `square`, `diamond`, `triangle`, `cross`, `hexagon`; later versions may have more */
  shape: string;
  /** a color to mark in its middle; null: none */
  owner?: "black" | "white" | null;
  /** one character for terminals */
  glyph: string;
  /** one ASCII character, for terminals that show only ASCII */
  plain: string;
}

/** How clients show a cell's change from a value in `of` to a value in `to`: as `motion`, and in words if the texts have any for it. `named` says whether the action names the point; null fits both. The first entry that fits a change applies. */
export interface Change {
  /** the value before is one of these */
  of: number[];
  /** the value after is one of these */
  to: number[];
  /** whether the action names the point; null: either */
  named?: boolean | null;
  /** `appear`, `vanish`, `turn` or `claim`; later versions may have more */
  motion: string;
}

/** A board to draw: its `cells`, the `changes` that an `action` then makes, if there is one, and the points to mark. */
export interface Picture {
  /** the board's size */
  size: number;
  /** the cells, as in a position (5.2) */
  cells: number[];
  /** the action to show; null: none */
  action?: string | null;
  /** what it changes, as `[index, value]` pairs */
  changes?: ([number, number])[];
  /** points to mark */
  pointed?: string[];
}

/** All texts of a game in one language. They are plain text with placeholders `{0}`, `{1}`, … */
export interface GameTexts {
  /** the name of the game */
  name: string;
  /** its designer and year */
  by: string;
  /** the game in one sentence */
  about: string;
  /** what players try to do, for somebody new to the game */
  aim: string;
  /** the name of a size (`{0}`: the size) */
  size: string;
  /** the names of the pieces, in the order of `pieces` */
  pieces: string[];
  /** by phase: what to tell the player who is to act */
  phases: Record<string, PhaseTexts>;
  /** by word: the labels of actions such as `pass` */
  words?: Record<string, WordTexts>;
  /** by name: the texts for numbers such as `komi` */
  numbers?: Record<string, NumberTexts>;
  /** what to say about a change (`{0}`: the points), in the order of `changes`; null: nothing */
  changes: (string | null)[];
  result: ResultTexts;
  /** by kind: the texts for marks of an account (26.12) */
  marks?: Record<string, string>;
  /** by kind: the texts for sums of an account (26.12) */
  sums?: Record<string, string>;
  /** by rule: why an action is not legal (26.7) */
  refusals: Record<string, string>;
  /** the rules, paragraph by paragraph */
  rules: string[];
  /** what the examples show, in their order */
  captions?: string[];
}

/** The texts of a phase for the player whose turn it is: `prompt` on a board, `typed` in a terminal, and `steps` for each next pick (26.8). */
export interface PhaseTexts {
  /** what to do */
  prompt: string;
  /** how to type an action as text; in phases with a template, without an example, because clients add one that is legal */
  typed?: string;
  /** what the next pick is for (26.8) */
  steps?: Record<string, string>;
}

/** A word that is an action: its button's label, and what to say about it while `passes` is above 0. */
export interface WordTexts {
  /** the label of its button */
  label: string;
  /** what to say about it while `passes` is above 0; null: nothing */
  again?: string | null;
}

/** A number that is an action: its label, the button that sets it, and how to show it once it is set. */
export interface NumberTexts {
  /** what the number is */
  label: string;
  /** the label of the button that plays it */
  set: string;
  /** how to show it once it is set (`{0}`: the number) */
  shown: string;
}

/** How a game ended by its rules (26.9): the winner is `ahead` in score, the scores are `level` and there is a winner all the same, or it is a `draw`. */
export interface ResultTexts {
  /** the winner has the higher score */
  ahead: string;
  /** there is a winner although the scores are equal; null: this cannot happen */
  level?: string | null;
  /** there is no winner; null: this cannot happen */
  draw?: string | null;
}

/** The lessons of a game, and their texts by language, in the same order. */
export interface GameLessons {
  /** always `pierule.lessons` */
  format: "pierule.lessons";
  /** 1; a higher version may have more fields */
  version: number;
  /** the name of the game */
  game: string;
  /** the lessons, in the order in which to take them */
  lessons: LessonTree[];
  /** the texts of the lessons by language, in the same order */
  texts: Record<string, LessonTexts[]>;
}

/** A lesson: its name, the position at its node 0, and its nodes. Only one way leads to each node, so its position follows from the diffs on that way. */
export interface LessonTree {
  /** its name among the lessons of the game, which stays when the lesson changes */
  name?: string;
  position: PositionState;
  /** its nodes; the lesson begins with node 0 */
  nodes: LessonNode[];
}

/** A moment of a lesson: what to do, the choices, and why no action begins at certain points. */
export interface LessonNode {
  /** the name of the text that says what to do */
  says: string;
  /** the actions that the lesson expects */
  choices: LessonChoice[];
  /** the points with which no action begins, and why; an action begins with every other point */
  refusals?: Record<string, Why>;
}

/** An action that the learner may play: what the lesson then says, what the action and the replies to it change, and the next node (null: the lesson is done). A choice that is not `good` leads back to its own node. */
export interface LessonChoice {
  /** the name of the text to show then */
  says: string;
  /** whether the lesson goes on; if not, take the action back */
  good?: boolean;
  /** the learner's action, then the replies */
  played: Played[];
  /** the number of the next node; null: the lesson is done */
  next?: number | null;
}

/** An action of a lesson, and what it changes. */
export interface Played {
  /** the action, in the game's notation (8) */
  action: string;
  diff: PositionDiff;
}

/** Why no action can begin with a point, as in `illegal` (8.3). */
export interface Why {
  /** the rule that forbids it (8.3) */
  rule: string;
  /** the points that show it */
  points?: string[];
}

/** What a lesson says. Its nodes and choices name the entries of `says`. */
export interface LessonTexts {
  /** the title of the lesson */
  title: string;
  /** by name: the texts of nodes and choices */
  says: Record<string, string>;
}
