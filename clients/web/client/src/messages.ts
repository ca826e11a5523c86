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
  | SetWebhook;

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

/** The first request, once per connection. Without a token the server makes a guest and sends its token. Answered with `welcome`. */
export interface Hello {
  type: "hello";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the token of an earlier `welcome`; null: a new guest */
  token?: string | null;
  /** the name that you want: 1 to 24 characters (1.3); null: no change */
  name?: string | null;
  /** the client's own name and version, for the operators; null: not given */
  agent?: string | null;
  /** true: this user is a bot, from now on and for ever (16.8) */
  bot?: boolean;
  /** the recovery code of the user who is registered as `name` (24.2); null: none */
  recovery?: string | null;
}

/** Make a room. The maker takes `seat` (null: none); `clock` says how the room is timed (null: not at all). A private room needs an `invitation`, which its guests show to join. Answered with `room`, `seats`, `place` (of the room's first event) and `turn` (0). The maker does not follow the room yet: send `join`. */
export interface Create {
  type: "create";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
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
  /** for a private room, and only there: the secret that its guests need (20.3) */
  invitation?: string | null;
  /** plies that spectators are behind (20.5) */
  delay?: number;
  /** whether it is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
}

export interface FischerRequest {
  /** its kind; the other fields depend on it */
  kind: "fischer";
  /** main time, in seconds */
  main: number;
  /** seconds added after each turn */
  increment?: number;
}

export interface ByoyomiRequest {
  /** its kind; the other fields depend on it */
  kind: "byoyomi";
  /** main time, in seconds */
  main: number;
  /** how many periods follow the main time */
  periods: number;
  /** a period's length, in seconds */
  period: number;
}

export interface TurnwiseRequest {
  /** its kind; the other fields depend on it */
  kind: "turnwise";
  /** seconds for each turn */
  time: number;
}

export interface CorrespondenceRequest {
  /** its kind; the other fields depend on it */
  kind: "correspondence";
  /** days for each turn */
  days: number;
}

/** Follow a room, or catch up; with `seat` also take a seat (`any`: the first free one). With `since` the server sends the events after that place, if the log still knows it. Answered with `room`, `seats`, `place`, `turn` and `resumed`; then come the events or the snapshot, and `presence` (6.1). With `goto` it may be answered with the error `goto` (1.16). */
export interface Join {
  type: "join";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the seat to take, `any` for the first free one; null: none */
  seat?: 0 | 1 | "any" | null;
  /** needed with `seat`, and only there (2.3) */
  nonce?: string | null;
  /** the place that you know, to get only what came after it; null: a snapshot */
  since?: Since | null;
  /** the secret of a private room; its players need none (20.3) */
  invitation?: string | null;
  /** the client would connect elsewhere, where the room's others meet (1.16) */
  goto?: boolean;
}

/** The last event that the client has, from which it wants to go on. `proof` came with that place. */
export interface Since {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the last event that the client has */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** what came with that place, at most 64 characters (6.13); null: none */
  proof?: string | null;
}

/** Stop following a room. You keep your seat. Also answered with `ok` if you did not follow it. */
export interface Leave {
  type: "leave";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
}

/** Play an action at a turn. With `epoch` (3.2), only in that life of the log. Answered with `room`, `place` (of the action's event) and `turn` (after it). Followers of the room also get the event, before or after the answer. */
export interface Act {
  type: "act";
  /** chosen by the client; the answer repeats it */
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

/** Give a running game up. A user who holds both seats names one, or gives up the seat that is to act. Answered with `room`, `place` and `turn`. */
export interface Resign {
  type: "resign";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** which one, if you hold both; null: the one that is to act */
  seat?: 0 | 1 | null;
}

/** Ask for the legal actions that begin with `prefix`, or whether one `action`, or an action put together from `points`, is legal, and if not, why. With `turn`: only at that turn. Answered with `room` and `legal`. */
export interface LegalQuery {
  type: "legal";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the beginning of the actions that you ask for; empty: all (6.4) */
  prefix?: string;
  /** the turn that the question is about; null: any (6.12) */
  turn?: number | null;
  /** an action: whether it is legal; empty: not asked (6.12) */
  action?: string;
  /** points in the order picked: whether they lead to a legal action (6.12) */
  points?: string[];
}

/** Ask for a room's log from `first` on, as it is kept. Answered with `room` and `log`, at most 1 000 entries; none if `first` is beyond the end. Ask again from the next number on until you get none. */
export interface LogQuery {
  type: "log";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the first event wanted */
  first?: number;
}

/** Ask the server to sign a room's log from its beginning to event `seq` (null: the last that you may see), so that you can prove what it has acknowledged (28.10). Answered with `room` and `receipt`. */
export interface ReceiptQuery {
  type: "receipt";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the last event to sign; null: the last one that you may see */
  seq?: number | null;
}

/** Ask for rooms that are open or running: all, or those that match the fields that are not null (23.18). `after` is the `next` of the page before. Answered with `rooms`, and with `next` if there may be more. */
export interface RoomsQuery {
  type: "rooms";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the most rooms to list */
  limit?: number;
  /** only rooms of this game; null: any (23.18) */
  game?: string | null;
  /** only rooms of this size; null: any */
  size?: number | null;
  /** only `open` or only `running` rooms; null: both */
  status?: "open" | "running" | null;
  /** only rooms in which this seat, or `any`, is free; null: all */
  free_seat?: 0 | 1 | "any" | null;
  /** the `next` of the page before; null: the first page (23.18) */
  after?: string | null;
}

/** Ask for the positions to which actions lead from a game's opening, from ply `first` on, and with `legal` what may follow. You need no rules for it. Answered with `replay` (6.11). */
export interface ReplayQuery {
  type: "replay";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** the actions, from the game's opening on */
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

/** What you want to know of the position after the last action: the same as of a room with `legal`. */
export interface LineQuestion {
  /** the beginning of the actions that you ask for; empty: all (6.4) */
  prefix?: string;
  /** an action: whether it is legal; empty: not asked (6.12) */
  action?: string;
  /** points in the order picked: whether they lead to a legal action (6.12) */
  points?: string[];
}

/** Ask whether the server is there, at any time after `hello`. Answered with `now`, the server's time. */
export interface Ping {
  type: "ping";
  /** chosen by the client; the answer repeats it */
  id: number;
}

/** Report a board that differs from the server's after the event at `epoch` and `seq` (6.2): `mismatch` when it is first seen, `desync` when it differs again after a fresh snapshot. Answered with `room`. */
export interface BoardMismatch {
  type: "board_mismatch";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** of the event after which the board differed */
  epoch: number;
  /** of the event after which the board differed */
  seq: number;
  /** `mismatch`: the first time; `desync`: again, after a fresh snapshot (6.2) */
  problem: "desync" | "mismatch";
}

/** End the game before you have acted in it; nobody loses (19.3). A user who holds both seats names one in `seat`. Answered with `room`, `place` and `turn`. */
export interface Abort {
  type: "abort";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** which one, if you hold both; null: one that has not acted */
  seat?: 0 | 1 | null;
}

/** Offer something to the other player, or accept it if the other player offers the same (19.1). Answered with `room`, `place` and `turn`. */
export interface Offer {
  type: "offer";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** which one, if you hold both; null: the one that is to act */
  seat?: 0 | 1 | null;
}

/** Accept what the other player offered at this turn. Answered with `room`, `place` (of the resulting event) and `turn` (after it). */
export interface Accept {
  type: "accept";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** the turn at which the offer was seen */
  turn: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** if you hold both: the one that accepts; null: the one that received the offer */
  seat?: 0 | 1 | null;
}

/** Decline what the other player offers. Answered with `room`, `place` and `turn`. */
export interface Decline {
  type: "decline";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** if you hold both: the one that declines; null: the one that received the offer */
  seat?: 0 | 1 | null;
}

/** Take an offer back. Answered with `room`, `place` and `turn`. */
export interface Withdraw {
  type: "withdraw";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** which one, if you hold both; null: the one that offers it */
  seat?: 0 | 1 | null;
}

/** End the game because your opponent is gone: you win, or nobody does (25.3). Answered with `room`, `place` and `turn`. */
export interface Claim {
  type: "claim";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** `win`, or `abort`: nobody wins */
  outcome: "abort" | "win";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** which one, if you hold both; null: seat 0 */
  seat?: 0 | 1 | null;
}

/** Ask for the text of a game's file, or of its lessons' (26.2). Answered with `document`. */
export interface GameQuery {
  type: "game";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** one of the `games` of the `welcome` */
  game: string;
  /** ask for its lessons (26.16); refused if there are none */
  lessons?: boolean;
}

/** Send a chat message in a room, to the channel of your side: players or spectators (21). Answered with `room`, `channel` and `messages`: the message. */
export interface Say {
  type: "say";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the message: 1 to 300 characters (21.3) */
  text: string;
}

/** Ask for the messages of a channel from number `first` on, as far as they are kept: to read them again, or those that you missed (21.5). Answered with `room`, `channel` and `messages`, at most 50. */
export interface ChatHistoryQuery {
  type: "chat_history";
  /** chosen by the client; the answer repeats it */
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
  /** chosen by the client; the answer repeats it */
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

/** Mute or block a user, or (null) take them off your block list (21.7). Without a `user`, only ask for the list. Answered with `block_list`. */
export interface Block {
  type: "block";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the user; null: nobody, only send the block list */
  user?: string | null;
  /** `mute`: hide their chat; `block`: also never meet them in a game (21.7); null: neither */
  level?: "block" | "mute" | null;
}

/** Find an opponent who wants the same game, size and clock (null: none) (23.1). The answer has `room` and `seats` if you are paired at once; otherwise you wait. */
export interface Seek {
  type: "seek";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** how the room will be timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** seconds of waiting after which a house bot may play (23.15); null: never */
  bot_after?: number | null;
  /** whether it is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
  /** a level of house bots: play one of these, and nobody else (23.20) */
  bot_level?: string | null;
  /** how strong the opponent may be (23.22); null: as strong as they are */
  range?: RatingRange | null;
}

/** By how many points an opponent may be weaker or stronger (null: any number) (23.22). */
export interface RatingRange {
  /** points that the opponent may be weaker; null: any number */
  below: number | null;
  /** points that the opponent may be stronger; null: any number */
  above: number | null;
}

/** As a house bot, play with the next user who finds nobody (23.16), or who wants this level (23.20). Answered like `seek`. */
export interface StandIn {
  type: "stand_in";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the level at which the bot plays (23.20); null: it tells none */
  bot_level?: string | null;
}

/** Stop waiting (23.5). Answered like `seek`. */
export interface CancelSeek {
  type: "cancel_seek";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the nonce of the `seek` or `stand_in` */
  nonce: string;
}

/** Challenge a user to a game (23.10). `seat` is the seat that you would take (null: it is drawn). Answered with nothing while it stands, with `room` and `seats` if there is a room. */
export interface Challenge {
  type: "challenge";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the user whom you challenge: the id, or the registered name */
  to: string;
  /** true: `to` is a registered name (24.1) */
  named?: boolean;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** how the room will be timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** the seat that you would take; null: it is drawn */
  seat?: 0 | 1 | null;
  /** whether it is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes";
}

/** Take a challenge back (23.11). Answered like `challenge`. */
export interface WithdrawChallenge {
  type: "withdraw_challenge";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the nonce of the `challenge` */
  nonce: string;
}

/** Accept a challenge, or (not `accept`) decline it (23.10). Answered with `room` and `seats`, or nothing. */
export interface AnswerChallenge {
  type: "answer_challenge";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the challenge, as `challenged` names it */
  challenge: string;
  /** true: play; false: do not */
  accept: boolean;
}

/** Watch the lobby, or (not `watch`) stop: all of it, or the rooms that match the fields that are not null, and the pools of that `game` (23.6, 23.19). A `lobby` follows the `ok`, unless `watch` is false. */
export interface WatchLobby {
  type: "lobby";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** false: stop watching the lobby */
  watch?: boolean;
  /** only rooms and pools of this game; null: any (23.19) */
  game?: string | null;
  /** only `open` or only `running` rooms; null: both */
  status?: "open" | "running" | null;
  /** only rooms in which this seat, or `any`, is free; null: all */
  free_seat?: 0 | 1 | "any" | null;
}

/** Ask for the rooms that are not over and in which you hold a seat (23.9). Answered with `my_rooms`. */
export interface MyRoomsQuery {
  type: "my_rooms";
  /** chosen by the client; the answer repeats it */
  id: number;
}

/** Take a name that nobody else can have, or change it (24.1). Answered with `account`. */
export interface Register {
  type: "register";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the name to register (24.1) */
  name: string;
}

/** Delete your account (24.4). From then on nobody is this user. */
export interface DeleteAccount {
  type: "delete_account";
  /** chosen by the client; the answer repeats it */
  id: number;
}

/** Ask for everything that the server stores about you (24.11). `after` is the `next` of the page before. Answered with `lines`, and with `next` if there is more. */
export interface DownloadAccount {
  type: "download_account";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the `next` of the page before; null: the first page (24.11) */
  after?: string | null;
}

/** Have a URL called when you are to act and are not connected; null: none any more (23.13). Answered with `secret` if there is a `url`. */
export interface SetWebhook {
  type: "set_webhook";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the address to call (23.13); null: none any more */
  url?: string | null;
}

/** The one answer to a request that was done. Which other fields are set depends on the request. */
export interface Ok {
  type: "ok";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room that the request was about, or that was made */
  room?: string | null;
  /** the seats that you hold in the room */
  seats?: (0 | 1)[] | null;
  /** of the event that the request caused; after `join`: the room's */
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
  /** the answer to `set_webhook` with a `url`: the key that signs calls (23.14) */
  secret?: string | null;
  /** after `rooms`: the cursor of the next page; null: there is none (23.18) */
  next?: string | null;
  /** the answer to `game`: JSON text (26.2) */
  document?: string | null;
  /** the answer to `download_account`: each is JSON text (24.11) */
  lines?: string[] | null;
  /** the answer to `receipt` */
  receipt?: Receipt | null;
}

/** A place, and the server's `proof` that it has told of it. The proof is not part of the place: a `ProvenPlace` equals any place with the same epoch, seq and chain. */
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

/** The answer to `hello`: who you are, and what this server offers. `token` is the user, for any later connection: keep it, and keep it secret. */
export interface Welcome {
  /** the protocol and its version: `pierule.1` */
  protocol: string;
  /** the server's own version; it means nothing */
  server: string;
  /** the user's id, which never changes */
  user: string;
  /** your name */
  name: string;
  limits: Limits;
  /** the games that can be played here */
  games: GameOptions[];
  /** what this server can do (15.4); ignore what you do not know */
  features: string[];
  /** the user: for every later `hello`; keep it, and keep it secret */
  token: string;
}

/** The limits that the server keeps and makes clients keep. 0: no limit (for a burst: 1). */
export interface Limits {
  /** bytes of one message */
  frame_bytes: number;
  /** rooms that one connection follows */
  rooms_followed: number;
  /** frames of a connection that are no messages */
  errors: number;
  /** seconds within which hello must come */
  hello_seconds: number;
  /** seconds between the server's pings, and for their answers; 0: it sends none (1.4) */
  ping_seconds: number;
  /** requests a second of one connection */
  connection_rate?: number;
  /** requests of one connection at once after a silence */
  connection_burst?: number;
  /** requests a second of one user */
  user_rate?: number;
  /** requests of one user at once after a silence */
  user_burst?: number;
  /** connections of one user to this node */
  connections_per_user?: number;
  /** rooms, open or running, that one user made or sits in */
  rooms_per_user?: number;
  /** messages a second of one user */
  chat_rate?: number;
  /** messages of one user at once after a silence */
  chat_burst?: number;
  /** messages that each channel of a room keeps */
  messages_kept?: number;
  /** waiting seeks of one user */
  seeks_per_user?: number;
  /** standing challenges of one user */
  challenges_per_user?: number;
  /** what young guests of one address may spend a second (1.11) */
  address_budget?: number;
  /** what they may spend at once after a silence */
  address_budget_burst?: number;
  /** what an older guest, or another user, may spend a second (1.11) */
  user_budget?: number;
  /** what they may spend at once after a silence */
  user_budget_burst?: number;
  /** messages a second of all users in one channel of a room */
  channel_rate?: number;
  /** messages of all users in one channel at once after a silence */
  channel_burst?: number;
}

/** A game that this server can play; `draws` says whether it knows draws. `hash` names its document, which has the rest (26). */
export interface GameOptions {
  /** the name of the game */
  game: string;
  /** the sizes of new rooms */
  sizes: number[];
  /** the size without one in `create` */
  default_size: number;
  /** whether a game can end in a draw, so that players can offer one */
  draws?: boolean;
  /** the versions of the rules that this server can play; new rooms take the last one */
  rules?: number[];
  /** names the game's document (26.1) */
  hash?: string;
}

/** The legal actions with a prefix: how many there are; the points or words that may come next; the actions, if there are at most 1 000; in set-up phases, the template instead. For one action, or for points: 1 or 0, and why not. */
export interface Legal {
  /** the turn that this is about */
  turn: number;
  /** how many actions begin with the prefix */
  total: number;
  /** what you may append to the prefix */
  next?: string[];
  /** all of them, if there are at most 1 000; else null */
  actions?: string[] | null;
  /** in set-up phases: the parts of an action */
  template?: LegalPart[];
  /** for an `action` or `points`, if `total` is 0: why (6.12); else null */
  refusal?: LegalRefusal | null;
  /** for `points`, if `total` is 1: what they would put on the board (26.13), as `[index, value]` pairs */
  preview?: ([number, number])[];
}

/** One part of a set-up action: `count` of `what` on `points`, or a number `first` to `last` in steps of `step`. */
export interface LegalPart {
  /** the name of a piece (26.8), or of a number such as `komi` */
  what: string;
  /** how many */
  count?: number;
  /** where they may be placed */
  points?: string[];
  /** the lowest number, of komi */
  first?: number | null;
  /** the highest number */
  last?: number | null;
  /** the step between the numbers */
  step?: number | null;
  /** the value of the cells that will hold these pieces; null for numbers */
  cell?: number | null;
}

/** Why an action is not legal, or why no action can be put together from points: as in `illegal`. */
export interface LegalRefusal {
  /** the short name of the rule that forbids it (8.3) */
  rule: string;
  /** the points that show it */
  points: string[];
  /** why, in words */
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
  /** the names of the players in seat 0 and seat 1; null where it is free */
  names: [string | null, string | null];
  /** how many actions and takebacks the room has seen (3.5) */
  turn: number;
  /** the store's time of the latest event, in ms since 1970 */
  at: number;
  /** how the room is timed (9.1); null: not at all */
  control?: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** whether the player in seat 0, and in seat 1, is a bot */
  bots?: [boolean, boolean];
  /** whether nobody waits in the open room: neither its maker nor anyone who sits in it follows it anywhere (23.18) */
  away?: boolean;
  /** whether nothing speaks against its counting for ratings yet (30.2) */
  rated?: boolean;
  /** the ratings of seat 0 and seat 1 as they sat down (30.6); null: none */
  standings?: [Standing | null, Standing | null];
}

/** Main time, and an increment for each turn. At least one of them is not 0. */
export interface Fischer {
  /** its kind; the other fields depend on it */
  kind: "fischer";
  /** main time, in seconds */
  main: number;
  /** seconds added after each turn */
  increment?: number;
}

/** Main time, then periods that begin anew with each turn (Japanese byo-yomi). */
export interface Byoyomi {
  /** its kind; the other fields depend on it */
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
  /** its kind; the other fields depend on it */
  kind: "turnwise";
  /** seconds for each turn */
  time: number;
}

/** Days for each turn. */
export interface Correspondence {
  /** its kind; the other fields depend on it */
  kind: "correspondence";
  /** days for each turn */
  days: number;
}

/** A player's rating in a game and its deviation, in whole points. With a deviation of more than 110 the rating is provisional (SPEC 30.5). */
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
  /** the names of the users whom the event seats; the chain leaves them out (3.9) */
  names?: Named[];
}

/** A user's name. */
export interface Named {
  /** the user's id */
  user: string;
  /** the user's name */
  name: string;
}

/** Positions of a list of actions: the position at ply `first`, and what each action after it changes, at most 200. On request, also the account of the last position, and what is legal there. */
export interface Replay {
  position: PositionState;
  /** what each following action changes, at most 200 */
  diffs: PositionDiff[];
  /** where the score after the last action comes from (26.12); null: not asked */
  account?: Account | null;
  /** what may be played after the last action (6.15); null: not asked */
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
  /** points that White gets; null where there is none or it is not set yet */
  komi: number | null;
  /** passes in succession, 0 to 2 */
  passes: number;
  /** Black's score and White's, as the board stands, komi included */
  score: [number, number];
  /** the seat that has won, `draw`, or null */
  winner: 0 | 1 | "draw" | null;
  /** the board, `size * size` values (5.2) */
  cells: number[];
}

/** The fields of a position that an event changed; `cells` as (index, value) pairs. */
export interface PositionDiff {
  /** the game's phase (8.1) */
  phase?: string;
  /** the seat that acts next; null when the game is over */
  to_act?: 0 | 1 | null;
  /** the seat that plays Black; null until the colors are chosen */
  black?: 0 | 1 | null;
  /** points that White gets; null where there is none or it is not set yet */
  komi?: number | null;
  /** passes in succession, 0 to 2 */
  passes?: number;
  /** Black's score and White's, as the board stands, komi included */
  score?: [number, number];
  /** the seat that has won, `draw`, or null */
  winner?: 0 | 1 | "draw" | null;
  /** changed cells, as pairs of index and value */
  cells?: ([number, number])[];
}

/** Where a score comes from: what is marked on the board, and sums that add up to each color's score. */
export interface Account {
  /** points that count */
  marks?: Mark[];
  /** what adds up to each color's score */
  sums?: Sum[];
}

/** Points that count for a color, and how much they count together (null: no number). */
export interface Mark {
  /** what it is, by name of `texts.marks` */
  kind: string;
  /** for which color */
  color: "black" | "white";
  /** the points */
  points: string[];
  /** how much they count together; null: show no number */
  value?: number | null;
}

/** A part of a color's score; `numbers` fill the placeholders of its text. */
export interface Sum {
  /** what it is, by name of `texts.sums` */
  kind: string;
  /** of which color's score */
  color: "black" | "white";
  /** how much it adds */
  value: number;
  /** what fills the placeholders of its text */
  numbers?: number[];
}

/** A chat message, numbered by its channel. If you have muted the user, it has neither `name` nor `text`. */
export interface ChatMessage {
  /** the message's number in its channel: 1, 2, 3, … */
  seq: number;
  /** the store's time, in ms since 1970 */
  at: number;
  /** the user's id, which never changes */
  user: string;
  /** the user's name at that time; empty if muted */
  name?: string;
  /** what was said: text that nobody has checked; null if muted */
  text?: string | null;
}

/** An entry of a block list. */
export interface BlockListEntry {
  /** the user's id, which never changes */
  user: string;
  /** `mute` or `block` */
  level: "block" | "mute";
}

/** A room in which you hold `seats`, and the seat whose turn it is. */
export interface MyRoom {
  card: Card;
  /** the seats that you hold in it */
  seats: (0 | 1)[];
  /** the seat whose turn it is; null while the room is open */
  to_act: 0 | 1 | null;
}

/** Your account: the name, the recovery code, which is shown only this once, and a new token. */
export interface AccountState {
  /** your name, which nobody else can have */
  name: string;
  /** the recovery code: whoever has it is this user; it replaces any earlier one */
  recovery: string;
  /** the user, under the new name, as in a `welcome` */
  token: string;
}

/** What a server signed of a room's log up to a place: `log` is the hash of its events (28.1). It proves that the server acknowledged them (28.10). */
export interface Receipt {
  /** of the last event that is signed */
  epoch: number;
  /** how many events are signed: all from 1 on */
  seq: number;
  /** of the last event that is signed */
  chain: number;
  /** the hash of these events (28.1) */
  log: string;
  /** the id of the key that signed (28.4) */
  key: string;
  /** the signature, in hexadecimal (28.10) */
  signature: string;
}

/** The one answer to a request that was not done: nothing has changed. Also sent for a frame that is no request; `id` is null if it could not be read. */
export interface Error {
  type: "error";
  /** the request's id; null if it could not be read */
  id: number | null;
  /** one of section 7; there may come more */
  code: string;
  /** why, in words, for people */
  text: string;
  /** the field that was wrong */
  field?: string | null;
  /** `illegal`: the short name of the rule that forbids it (8.3) */
  rule?: string | null;
  /** `illegal`: the points that show it */
  points?: string[] | null;
  /** `stale`: where the room is */
  place?: Place | null;
  /** `stale`: the turn that the room is at */
  turn?: number | null;
  /** `flagged`: ms after the deadline */
  late?: number | null;
  /** `too_early`, `unrated` (30.7): ms until you can do it */
  left?: number | null;
  /** `rate`: ms to wait before you send the request again */
  retry_ms?: number | null;
}

/** Where a log is after an event: `epoch` names its life, `seq` counts its events from 1 and `chain` is the CRC over all of them. */
export interface Place {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
}

/** A whole room, after the `ok` of a `join` that was not `resumed`, and when a new epoch begins. Forget what you knew of the room before. `proof` is for the place of the state. */
export interface Snapshot {
  type: "snapshot";
  state: RoomState;
  /** opaque text that proves the place; send it back in `since` (6.13); null: none */
  proof?: string | null;
}

/** Everything of a room that a client sees. `ply` equals the length of `actions`. */
export interface RoomState {
  /** the room's id */
  room: string;
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event after which this is the state */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** the time of that event, in ms since 1970 */
  at: number;
  /** the digest of the position (5.4) */
  digest: number;
  /** `open` (a seat is free), `running` or `over` */
  status: "open" | "over" | "running";
  /** who holds seat 0 and seat 1; null where it is free */
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
  /** both clocks (9.7); null in a room without */
  clock?: ClockState | null;
  /** how the room ended; null while it has not */
  result?: Result | null;
  /** for each seat what its player offers (19.1); null: nothing */
  offers?: ["draw" | "pause" | "rematch" | "resume" | "takeback" | null, "draw" | "pause" | "rematch" | "resume" | "takeback" | null];
  /** `public` (listings show the room), `unlisted`, or `private` (20) */
  access?: "private" | "public" | "unlisted";
  /** plies that spectators are behind (20.5) */
  delay?: number;
  /** the room whose rematch this is (19.7); null: none */
  rematch_of?: string | null;
  /** the room of the rematch, once it is there (19.7) */
  rematch?: string | null;
  /** the version of the game's rules (26.14) */
  rules?: number;
  /** whether it is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes" | null;
  /** why it does not count for ratings (30.2); null: nothing speaks against it yet */
  unrated?: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
}

/** The user in a seat. A `bot` has said that it is a bot. A `registered` user had a name of their own when they sat down (SPEC 30.1); `standing` is their rating at that time, if they had one (SPEC 30.6), or the fixed one of a bot (SPEC 30.9). In a record the `name` is empty. */
export interface Holder {
  /** the user's id, which never changes */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** whether that user has said that it is a bot */
  bot?: boolean;
  /** whether that user had a name of their own as they sat down (30.1) */
  registered?: boolean;
  /** the user's rating in the game as they sat down, if they had one (30.6); the fixed one of a bot (30.9) */
  standing?: Standing | null;
}

/** Both clocks: the seat whose turn it is, when its turn began, until when its action counts, and since when the clocks are paused, by the store's time in milliseconds. */
export interface ClockState {
  /** what seat 0 and seat 1 had left when their last turns ended */
  hands: [HandState, HandState];
  /** the seat whose turn it is; null if no clock runs */
  running: 0 | 1 | null;
  /** when that turn began, in ms since 1970 */
  started: number;
  /** the last moment at which its action counts, in ms since 1970; in a pause, the moment when the clocks go on by themselves; null if none */
  deadline: number | null;
  /** since when the clocks stand still (19.6), in ms since 1970; null if they do not */
  paused?: number | null;
}

/** What a seat had left when its last turn ended: main time and lag quota in milliseconds, and periods. */
export interface HandState {
  /** main time, in ms */
  main: number;
  /** periods left */
  periods: number;
  /** lag quota, in ms (9.5) */
  quota: number;
}

/** How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `agreed` (a draw), `left` (a player was gone, and the opponent claimed the game), `aborted` (by a player, or not begun in time), `closed` (by the operators), or `voided` (it had ended, and the operators have voided its result). The last three have no winner. */
export interface Result {
  /** the seat that has won, `draw`, or null */
  winner: 0 | 1 | "draw" | null;
  /** `played`, `resigned`, `flagged`, `agreed`, `left`, `aborted`, `closed`, `voided`; there may come more */
  reason: string;
}

/** One event of a room that you follow, in order: its place and time, the record as the log keeps it (JSON text), what it changed, the digest of the position after it, and the `proof` of its place. */
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

/** What an event changed. New `actions` end at the new `ply`: keep the first `ply - len(actions)` of the old ones and append. */
export interface Diff {
  /** `open` (a seat is free), `running` or `over` */
  status?: "open" | "over" | "running";
  /** who holds seat 0 and seat 1; null where it is free */
  seats?: [Holder | null, Holder | null];
  /** how many actions and takebacks the room has seen (3.5) */
  turn?: number;
  /** how many actions stand (3.5) */
  ply?: number;
  /** new actions, which end at the new `ply` (4.2) */
  actions?: string[];
  position?: PositionDiff;
  /** both clocks (9.7); null in a room without */
  clock?: ClockState | null;
  /** how the room ended; null while it has not */
  result?: Result | null;
  /** for each seat what its player offers (19.1); null: nothing */
  offers?: ["draw" | "pause" | "rematch" | "resume" | "takeback" | null, "draw" | "pause" | "rematch" | "resume" | "takeback" | null];
  /** the room of the rematch, once it is there (19.7) */
  rematch?: string | null;
  /** why it does not count for ratings (30.2); null: nothing speaks against it yet */
  unrated?: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
}

/** Who is there, after joining and when it changes (6.5): for each seat whether its player is connected, and how many others watch. While a game runs, for an absent player: since when, and from when on the opponent may claim the game. */
export interface Presence {
  type: "presence";
  /** the room's id */
  room: string;
  /** whether the player of seat 0, and of seat 1, is connected */
  players: [boolean, boolean];
  /** how many others follow the room, over all nodes */
  spectators: number;
  /** while a game runs, for each seat since when its player is gone (25.1), in ms since 1970; null if not */
  gone?: [number | null, number | null];
  /** for each seat from when on the other player may claim the game (25.2), in ms since 1970; null: not at all */
  claim?: [number | null, number | null];
}

/** News of the server itself, at any time (1.5): `draining` (it closes this connection within `seconds`; connect again), `store_away` (requests that need the store are refused; `text` says why), `store_back`, `room_gone` (`room` no longer exists, and you no longer follow it), `announcement` (the operators say `text`, about something that happens `at` a time), `seek_expired` (the seek that `nonce` names found nobody), `challenge_declined` (the challenge that `nonce` names), `challenge_withdrawn` (`challenge` says which), `your_turn` (in `room`), `webhook_off` (your webhook is no longer called), or `rated_from` (you have left rated games and can enter new ones from `at` on, 30.7). */
export interface Notice {
  type: "notice";
  /** `draining`, `store_away`, `store_back`, `room_gone`, `announcement`, `seek_expired`, `challenge_declined`, `challenge_withdrawn`, `your_turn`, `webhook_off`, `rated_from`; there may come more (1.5) */
  kind: string;
  /** `draining`: seconds until this connection is closed */
  seconds?: number | null;
  /** `room_gone`, `your_turn`: the room */
  room?: string | null;
  /** `announcement`: what the operators say; `store_away`: what is wrong, in words; `room_gone`: why, unless its time is over */
  text?: string | null;
  /** `announcement`: when it will happen, in ms since 1970; null: no time was given. `rated_from`: from when on you can enter rated games */
  at?: number | null;
  /** `seek_expired`, `challenge_declined`: the nonce of your request */
  nonce?: string | null;
  /** `challenge_withdrawn`: the challenge */
  challenge?: string | null;
}

/** Messages of a channel that you may hear, in order (21.4): the latest after joining, then each new one. */
export interface Chat {
  type: "chat";
  /** the room's id */
  room: string;
  /** `players` or `spectators` (21.1) */
  channel: "players" | "spectators";
  /** new messages, without holes among them */
  messages: ChatMessage[];
}

/** A room runs in which you hold `seat`: the result of your request with this `nonce`. Sent when there is the room, and after `hello` (23.4). */
export interface Paired {
  type: "paired";
  /** the nonce of your request; if you accepted a challenge, the challenge's name */
  nonce: string;
  /** the running room */
  room: string;
  /** the seat that you hold */
  seat: 0 | 1;
}

/** Another user challenges you to a game: sent when they do, and after `hello` (23.10). `seat` is the seat that you would have (null: it is drawn). */
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
  /** the seat that you would have; null: it is drawn */
  seat: 0 | 1 | null;
  /** whether that user has said that it is a bot */
  bot?: boolean;
  /** whether it is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
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
  /** free house bots that stand in (23.16) */
  bots?: number;
  /** levels of house bots that somebody runs (23.21) */
  bot_levels?: FreeBots[];
}

/** A room in the lobby, and how many spectators it has. */
export interface LobbyRoom {
  card: Card;
  /** how many watch it, over all nodes */
  spectators: number;
}

/** Users who wait for the same game, and how many they are. */
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

/** A level of house bots that somebody runs, and how many of its bots are free. */
export interface FreeBots {
  /** the level */
  bot_level: string;
  /** how many of its bots stand in */
  free: number;
}

/** What has changed in the lobby while you watch it (23.7): new or changed rooms, ids of rooms that are no longer listed, and new or changed pools. A pool in which nobody waits is gone. */
export interface LobbyChange {
  type: "lobby_change";
  /** the number of the state after it (23.7) */
  seq: number;
  /** new or changed rooms */
  rooms?: LobbyRoom[];
  /** ids of rooms that are no longer listed */
  gone?: string[];
  /** new or changed pools */
  pools?: Pool[];
  /** free house bots that stand in (23.16); null: as many as before */
  bots?: number | null;
  /** levels of house bots that somebody runs (23.21); null: as before */
  bot_levels?: FreeBots[] | null;
}

/** The room was made. If `seat` is given, its maker sits there from the start; if `players` are given, both of them do, and the game starts at once. The secret that a private room's guests need is kept only as a hash. Every `name` is empty: see `Entry`. `rules` is the version of the game's rules by which the room is played to its end. `rated` is the maker's wish, or what both players agree with; `registered` and `standing` are the maker's if they sit. Rooms of earlier servers have none of these. */
export interface Created {
  /** its kind; the other fields depend on it */
  kind: "created";
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** the user's id, which never changes */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** names the intention, so that a retry is safe (2.3) */
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
  /** who holds seat 0 and seat 1 from the start; absent: nobody but the maker */
  players?: [Holder, Holder] | null;
  /** the room whose rematch this is (19.7); null: none */
  rematch_of?: string | null;
  /** whether that user has said that it is a bot */
  bot?: boolean;
  /** the version of the game's rules (26.14) */
  rules?: number;
  /** whether it is to count for ratings: `yes`, `no`, or `either`: if it can (30.1) */
  rated?: "either" | "no" | "yes" | null;
  /** whether that user had a name of their own as they sat down (30.1) */
  registered?: boolean;
  /** the user's rating in the game as they sat down, if they had one (30.6); the fixed one of a bot (30.9) */
  standing?: Standing | null;
}

/** A user took a free seat. With the second seat the game starts. The `name` is empty. */
export interface Seated {
  /** its kind; the other fields depend on it */
  kind: "seated";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** the user's id, which never changes */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** whether that user has said that it is a bot */
  bot?: boolean;
  /** whether that user had a name of their own as they sat down (30.1) */
  registered?: boolean;
  /** the user's rating in the game as they sat down, if they had one (30.6); the fixed one of a bot (30.9) */
  standing?: Standing | null;
}

/** The player of a seat played an action. On a clock, `lag` is the round trip that the server measured in this turn, in milliseconds, and `given` the part of it that the player's quota covered. */
export interface Acted {
  /** its kind; the other fields depend on it */
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

/** The player of a seat gave the game up. */
export interface Resigned {
  /** its kind; the other fields depend on it */
  kind: "resigned";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The time of a seat was up. */
export interface Flagged {
  /** its kind; the other fields depend on it */
  kind: "flagged";
  /** seat 0 or 1 */
  seat: 0 | 1;
}

/** The game did not begin in time, or was abandoned, or a player who had not acted yet aborted it. Nobody has lost. */
export interface Aborted {
  /** its kind; the other fields depend on it */
  kind: "aborted";
  /** who aborted it; absent: it did not begin in time, or was abandoned */
  seat?: 0 | 1 | null;
  /** as in the request; absent without a seat */
  nonce?: string | null;
}

/** The player of a seat ended the game, as a win or without a winner, because the opponent had been gone since `gone` (the store's ms) and for `bound` ms. */
export interface Claimed {
  /** its kind; the other fields depend on it */
  kind: "claimed";
  /** who claims the game */
  seat: 0 | 1;
  /** `win`, or `abort`: nobody wins */
  outcome: "abort" | "win";
  /** since when the other player was gone, by the store's time in ms since 1970 */
  gone: number;
  /** for how many ms that player must have been gone (25.2) */
  bound: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The operators have ended the room, or voided the result of a room that had ended. `text` tells everybody why. */
export interface Closed {
  /** its kind; the other fields depend on it */
  kind: "closed";
  /** why, in the operators' words */
  text: string;
}

/** The store or all nodes were away between two times of the store. The running clock gets back the part that fell into the present turn. */
export interface Credited {
  /** its kind; the other fields depend on it */
  kind: "credited";
  /** when the outage began, by the store's time in ms since 1970 */
  lost_from: number;
  /** when it ended */
  lost_to: number;
}

/** The store lost the end of the log; a new epoch begins with what was left (SPEC 3.2). */
export interface Renewed {
  /** its kind; the other fields depend on it */
  kind: "renewed";
}

/** The player of a seat offered something. */
export interface Offered {
  /** its kind; the other fields depend on it */
  kind: "offered";
  /** who offers it */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat declined the opponent's offer. */
export interface Declined {
  /** its kind; the other fields depend on it */
  kind: "declined";
  /** who declined it */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat took an offer back. */
export interface Withdrawn {
  /** its kind; the other fields depend on it */
  kind: "withdrawn";
  /** who had offered it */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat let the opponent take back the latest action. */
export interface TakenBack {
  /** its kind; the other fields depend on it */
  kind: "taken_back";
  /** who allowed it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat accepted a draw. */
export interface Drawn {
  /** its kind; the other fields depend on it */
  kind: "drawn";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat accepted a pause: the clocks stand still. */
export interface Paused {
  /** its kind; the other fields depend on it */
  kind: "paused";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The clocks go on, because the player of a seat accepted that, or because the pause was over (no seat). */
export interface Resumed {
  /** its kind; the other fields depend on it */
  kind: "resumed";
  /** who accepted it; absent: the pause has reached its longest time */
  seat?: 0 | 1 | null;
  /** as in the request; absent without a seat */
  nonce?: string | null;
}

/** The player of a seat accepted a rematch: its room is about to be made. */
export interface Rematching {
  /** its kind; the other fields depend on it */
  kind: "rematching";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The room of the rematch that the player of a seat accepted exists now. */
export interface Rematched {
  /** its kind; the other fields depend on it */
  kind: "rematched";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the id of the new room */
  room: string;
}

/** A room, running or over: its options, the players, all events as the log keeps them (times in the store's milliseconds since 1970), and the final state; from an archive also its number and a proof; with a receipt, if the server was asked for one. */
export interface RoomRecord {
  /** always `pierule.room` */
  format: "pierule.room";
  /** 1 */
  version: 1;
  /** the room's id */
  room: string;
  options: RoomOptions;
  /** who holds seat 0 and seat 1; null where it is free */
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

/** The room after the last event: the place of that event, so that a missing last event is noticed like any other; the status, the result (null while there is none), the position's text (SPEC 5.3), the clocks (SPEC 9.7; null without), and why the game does not count for ratings (SPEC 30.2). Records of earlier servers leave the last out. */
export interface FinalState {
  place: Place;
  /** `open` (a seat is free), `running` or `over` */
  status: "open" | "over" | "running";
  /** how the room ended; null while it has not */
  result: Result | null;
  /** the position's text (5.3) */
  position: string;
  /** both clocks (9.7); null in a room without */
  clock: ClockState | null;
  /** why it does not count for ratings (30.2); null: nothing speaks against it yet */
  unrated?: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
}

/** The signature of the server that archived a game, or acknowledged its events, and the id of its key (SPEC 28). */
export interface Proof {
  /** the id of the key that signed (28.4) */
  key: string;
  /** the signature, in hexadecimal (28.2) */
  signature: string;
}

/** Variations of a game: which one, its actions as a tree, and the record of the room that was analyzed, if it was one. */
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
  /** what is said about the opening */
  comment?: string;
  /** the actions, at most 2 000: each has the number of its place, from 1 on */
  nodes: AnalysisNode[];
  record?: RoomRecord;
}

/** An action of an analysis, and what is said about it. */
export interface AnalysisNode {
  /** the number of the node after which it is played; 0: the opening */
  after: number;
  /** the action */
  action: string;
  /** how good it is: `!` good, `?` bad, `!!` very good, `??` very bad, `!?` interesting, `?!` doubtful; empty: nothing is said */
  symbol?: "" | "!" | "!!" | "!?" | "?" | "?!" | "??";
  /** what is said about it, at most 1 000 characters */
  comment?: string;
}

/** Everything about a game that a client needs to draw and explain it. `rules` are the versions that this server can play; new rooms take the last one. `lessons_hash` names its lessons (26.16). */
export interface GameDocument {
  /** always `pierule.game` */
  format: "pierule.game";
  /** 1; a higher version may have more than this */
  version: number;
  /** the name of the game */
  game: string;
  /** the versions of the rules that this server can play; new rooms take the last one */
  rules: number[];
  /** the sizes of new rooms */
  sizes: number[];
  /** the size without one in `create` */
  default_size: number;
  /** whether a game can end in a draw */
  draws?: boolean;
  /** the phases in order, `over` the last */
  phases: string[];
  /** whether `a1-a4` names all points from one to the other (26.8) */
  segments?: boolean;
  board: BoardDescriptor;
  /** what the values of cells look like; 0 is empty */
  pieces: Piece[];
  /** how to show changes of cells (26.8) */
  changes?: Change[];
  sample: Picture;
  /** boards for the rules, in the order of `captions` */
  examples?: Picture[];
  /** names its lessons (26.16); null: there are none */
  lessons_hash?: string | null;
  /** all texts of the game, by language */
  texts: Record<string, GameTexts>;
}

/** How boards are drawn: on which grid, whether pieces stand on points of lines or in cells, where coordinates are written, and each size. */
export interface BoardDescriptor {
  /** where points lie (26.5) */
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

/** The board of one size: a box of `size` * `size` without the `missing` points. A line runs straight from each of its points to the next; `strong` ones are drawn thicker; `dots` are points that are marked. */
export interface BoardShape {
  /** the board's size */
  size: number;
  /** points of the box that the board does not have */
  missing?: string[];
  /** lines, each by the points at which it bends or ends */
  lines?: string[][];
  /** lines to draw thicker */
  strong?: string[][];
  /** points with a small mark */
  dots?: string[];
  /** parts of the outside that belong to a color */
  edges?: Edge[];
}

/** A stretch of the board's outside that belongs to a color: the sides of these points beyond which there is no point. */
export interface Edge {
  /** the points along that part */
  points: string[];
  /** `black` or `white` */
  color: "black" | "white";
}

/** A kind of piece: what a cell of this value shows. Shapes differ where colors do, so that color alone says nothing; `glyph` and `plain` stand for it in terminals. */
export interface Piece {
  /** the value of a cell, 1 to 62 */
  cell: number;
  /** what templates call it (`what`, 6.4); several values may share it */
  name: string;
  /** its main color */
  tint: "black" | "neutral" | "white";
  /** `disc`, `ring`, `star`, `square`, `diamond`, `triangle`, `cross`, `hexagon`; there may come more */
  shape: string;
  /** a color to mark in its middle; null: none */
  owner?: "black" | "white" | null;
  /** one character for terminals */
  glyph: string;
  /** one ASCII character, for terminals without others */
  plain: string;
}

/** A change of a cell that is shown as `motion`, and told if the texts have words for it: from a value among `of` to one among `to`; `named` is whether the action names the point, or null for either. The first that fits a change is meant. */
export interface Change {
  /** the values before, one of which fits */
  of: number[];
  /** the values after, one of which fits */
  to: number[];
  /** whether the action names the point; null: either */
  named?: boolean | null;
  /** `appear`, `vanish`, `turn` or `claim`; there may come more */
  motion: string;
}

/** A board to draw: its `cells`; what an `action` then changes in them, if there is one; and the points that it is about. */
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

/** All that is said of a game in one language: plain text, with `{0}`, `{1}`, … to be filled in. */
export interface GameTexts {
  /** the name of the game */
  name: string;
  /** who made it, and when */
  by: string;
  /** the game in one sentence */
  about: string;
  /** what players try to do, for somebody new to the game */
  aim: string;
  /** the name of a size (`{0}`: the size) */
  size: string;
  /** the names of the pieces, in the order of `pieces` */
  pieces: string[];
  /** by phase what to tell the player who is to act */
  phases: Record<string, PhaseTexts>;
  /** by word the names of actions such as `pass` */
  words?: Record<string, WordTexts>;
  /** by name the words for numbers such as `komi` */
  numbers?: Record<string, NumberTexts>;
  /** what to say about a change (`{0}`: the points), in the order of `changes`; null: nothing */
  changes: (string | null)[];
  result: ResultTexts;
  /** by kind the words for marks of an account (26.12) */
  marks?: Record<string, string>;
  /** by kind the words for sums of an account (26.12) */
  sums?: Record<string, string>;
  /** by rule why an action is not legal (26.7) */
  refusals: Record<string, string>;
  /** the rules, paragraph by paragraph */
  rules: string[];
  /** what the examples show, in their order */
  captions?: string[];
}

/** What whoever is to act is told in a phase: at first, what can be typed, and by `steps` what the next pick is for (26.8). */
export interface PhaseTexts {
  /** what to do */
  prompt: string;
  /** how to type actions in a line of text; in phases with a template without an example, for clients make one that can be played */
  typed?: string;
  /** what the next pick is for (26.8) */
  steps?: Record<string, string>;
}

/** A word that is an action: its button, and what it does when `passes` is over 0 already. */
export interface WordTexts {
  /** the label of its button */
  label: string;
  /** what to say about it while `passes` is over 0; null: nothing */
  again?: string | null;
}

/** A number that is an action: what it is, its button, and how it is told once it is set. */
export interface NumberTexts {
  /** what the number is */
  label: string;
  /** the label of the button that plays it */
  set: string;
  /** how to show it once it is set (`{0}`: the number) */
  shown: string;
}

/** How a game ended by its rules, if the winner's score is the higher one, if scores are level and there is a winner all the same, and if it is a draw (26.9). */
export interface ResultTexts {
  /** the winner has the higher score */
  ahead: string;
  /** there is a winner, though scores are equal; null: this cannot happen */
  level?: string | null;
  /** there is no winner; null: this cannot happen */
  draw?: string | null;
}

/** The lessons of a game, and by language what they say, in the same order. */
export interface GameLessons {
  /** always `pierule.lessons` */
  format: "pierule.lessons";
  /** 1; a higher version may have more than this */
  version: number;
  /** the name of the game */
  game: string;
  /** the lessons, to be taken in this order */
  lessons: LessonTree[];
  /** by language what the lessons say, in the same order */
  texts: Record<string, LessonTexts[]>;
}

/** A lesson: its name, the position at its node 0, and its nodes. Each node is reached in one way only, so its position follows from the diffs on the way. */
export interface LessonTree {
  /** names it among the lessons of the game; stays when the lesson changes */
  name?: string;
  position: PositionState;
  /** its nodes; it begins with the first */
  nodes: LessonNode[];
}

/** A moment of a lesson: what to do, the choices, and by point why no action begins there. */
export interface LessonNode {
  /** the name of the text that says what to do */
  says: string;
  /** the actions that it knows */
  choices: LessonChoice[];
  /** by point why no action begins with it; an action begins with every other point */
  refusals?: Record<string, Why>;
}

/** An action that the learner may play: what the lesson then says, what the action and the replies to it change, and the next node (null: the lesson is done). A choice that is not `good` leads back to its own node. */
export interface LessonChoice {
  /** the name of the text to show then */
  says: string;
  /** whether the lesson goes on; else take the board back */
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

/** What a lesson says, by the names that its nodes and choices give. */
export interface LessonTexts {
  /** the title of the lesson */
  title: string;
  /** by name the texts of nodes and choices */
  says: Record<string, string>;
}
