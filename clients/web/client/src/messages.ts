// Written from protocol/schema by `npm run types`: do not edit.

export type ClientMessage =
  | Hello
  | Create
  | Join
  | Leave
  | Act
  | Resign
  | LegalQuery
  | LogQuery
  | RoomsQuery
  | ReplayQuery
  | Ping
  | BoardMismatch
  | Say
  | ChatHistoryQuery
  | ReportMessage
  | Block
  | Abort
  | Offer
  | Accept
  | Decline
  | Withdraw
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
  | Claim
  | SetWebhook
  | GameQuery;

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

/** The first request. Without a token the server makes a guest and hands out its token. */
export interface Hello {
  type: "hello";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** who one is, as an earlier `welcome` said; null: a new guest */
  token?: string | null;
  /** what one wants to be called: 1 to 24 characters (1.3); null: no change */
  name?: string | null;
  /** the client's own name and version, for the operators; null: not told */
  agent?: string | null;
  /** true: one is a bot, from now on and for ever (16.8) */
  bot?: boolean;
  /** the recovery code of the user who is registered as `name` (24.2); null: none */
  recovery?: string | null;
}

/** Make a room; `seat` is the one that its maker takes (null: none), `clock` how it is timed (null: not at all). A private room needs an `invitation`, which its guests show to join. */
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
  /** of a private room, and only there: the secret that its guests need (20.3) */
  invitation?: string | null;
  /** plies that spectators are behind (20.5) */
  delay?: number;
}

export interface FischerRequest {
  /** which kind it is; the other fields follow from it */
  kind: "fischer";
  /** main time, in seconds */
  main: number;
  /** seconds added after each turn */
  increment?: number;
}

export interface ByoyomiRequest {
  /** which kind it is; the other fields follow from it */
  kind: "byoyomi";
  /** main time, in seconds */
  main: number;
  /** how many periods follow the main time */
  periods: number;
  /** a period's length, in seconds */
  period: number;
}

export interface TurnwiseRequest {
  /** which kind it is; the other fields follow from it */
  kind: "turnwise";
  /** seconds for each turn */
  time: number;
}

export interface CorrespondenceRequest {
  /** which kind it is; the other fields follow from it */
  kind: "correspondence";
  /** days for each turn */
  days: number;
}

/** Follow a room: with `seat` also take a seat (`any`: the first free one). With `since` the server sends the events after it, if the log still knows that place. */
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
  /** the place that one knows, to be sent only what came after it; null: a snapshot */
  since?: Since | null;
  /** the secret of a private room; its players need none (20.3) */
  invitation?: string | null;
}

/** The last event that the client has: where it wants to go on. `proof` came with that place. */
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

/** No longer follow a room. A seat is kept. */
export interface Leave {
  type: "leave";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
}

/** Play an action, aimed at a turn; with `epoch` (3.2) at a turn of that life of the log. */
export interface Act {
  type: "act";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the turn for which the action was thought out (6.3) */
  turn: number;
  /** the action, in the game's notation (8) */
  action: string;
  /** the epoch for which it was; null: whichever it is (6.3) */
  epoch?: number | null;
}

/** Give the game up. Who holds both seats names one, or gives up the seat that is to act. */
export interface Resign {
  type: "resign";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** for who holds both; null: the one that is to act */
  seat?: 0 | 1 | null;
}

/** Ask for the legal actions that begin with `prefix`; or whether one `action`, or one that is put together from `points`, is legal, and if not, why. With `turn`: only at that turn. */
export interface LegalQuery {
  type: "legal";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** what the actions asked for begin with; empty: all (6.4) */
  prefix?: string;
  /** the turn that the question is about; null: whichever it is (6.12) */
  turn?: number | null;
  /** an action: whether it is legal; empty: not asked (6.12) */
  action?: string;
  /** points in the order picked: whether they lead to a legal action (6.12) */
  points?: string[];
}

/** Ask for a room's log from `first` on, as it is kept. */
export interface LogQuery {
  type: "log";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** the first event wanted */
  first?: number;
}

/** Ask for rooms that are open or running: all, or those that agree with what is not null. `after` is the `next` of the page before. */
export interface RoomsQuery {
  type: "rooms";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** rooms at most */
  limit?: number;
  /** only rooms of this game; null: of any (23.18) */
  game?: string | null;
  /** only rooms of this size; null: of any */
  size?: number | null;
  /** only `open` or only `running` rooms; null: both */
  status?: "open" | "running" | null;
  /** only rooms in which this seat, or `any`, is free; null: all */
  free_seat?: 0 | 1 | "any" | null;
  /** the `next` of the page before; null: the first page (23.18) */
  after?: string | null;
}

/** Ask for the positions to which actions lead from a game's opening, from ply `first` on. */
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
  /** whether the account of the last position is wanted, too (26.12) */
  account?: boolean;
  /** the version of the rules, as the state of the room names it; null: the newest */
  rules?: number | null;
}

/** Ask whether the server is there; the answer tells its time. */
export interface Ping {
  type: "ping";
  /** chosen by the client; the answer repeats it */
  id: number;
}

/** Tell of a board that differs from the server's after the event at `epoch` and `seq`: `mismatch` when it is first seen, `desync` when a fresh snapshot has not mended it. */
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
  /** `mismatch`: for the first time; `desync`: again, after a fresh snapshot (6.2) */
  problem: "desync" | "mismatch";
}

/** Say a line in a room, in the channel of one's side: players or spectators. */
export interface Say {
  type: "say";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** what to say: 1 to 300 characters (21.3) */
  text: string;
}

/** Ask for the lines of a channel from number `first` on, as far as they are kept. */
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

/** Tell the operators of a line that somebody should not have said. */
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

/** Say what one wants of a user from now on: `mute`, `block`, or nothing more of it (null). Without a `user` only ask for the block list. */
export interface Block {
  type: "block";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** whom; null: nobody, to be told the block list */
  user?: string | null;
  /** `mute`: hear no more of; `block`: that, and not play with (21.7); null: neither */
  level?: "block" | "mute" | null;
}

/** End the game before one has acted in it; nobody loses. `seat` is for who holds both. */
export interface Abort {
  type: "abort";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room's id */
  room: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** for who holds both; null: one that has not acted */
  seat?: 0 | 1 | null;
}

/** Offer something to the other player, or accept it if that one offers the same. */
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
  /** for who holds both; null: the one that is to act */
  seat?: 0 | 1 | null;
}

/** Accept what the other player offers, aimed at the turn at which that was offered. */
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
  /** for who holds both: the one that accepts; null: the one that was offered it */
  seat?: 0 | 1 | null;
}

/** Decline what the other player offers. */
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
  /** for who holds both: the one that declines; null: the one that was offered it */
  seat?: 0 | 1 | null;
}

/** Take an offer back. */
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
  /** for who holds both; null: the one that offers it */
  seat?: 0 | 1 | null;
}

/** Wait for anyone who wants the same game, size and clock (null: none). */
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
  /** how the room is to be timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** seconds of waiting after which a house bot may play (23.15); null: never */
  bot_after?: number | null;
}

/** As a house bot, play with the next user who seeks in vain. */
export interface StandIn {
  type: "stand_in";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** Wait no longer. */
export interface CancelSeek {
  type: "cancel_seek";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the one of the `seek` or `stand_in` */
  nonce: string;
}

/** Ask a certain user for a game; `seat` is the one that one would take (null: it is drawn). */
export interface Challenge {
  type: "challenge";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the user who is asked: the id, or the registered name */
  to: string;
  /** true: `to` is a registered name (24.1) */
  named?: boolean;
  /** one of the `games` of the `welcome` */
  game: string;
  /** one of the game's `sizes`; null: its default */
  size?: number | null;
  /** how the room is to be timed (9.1); null: not at all */
  clock?: FischerRequest | ByoyomiRequest | TurnwiseRequest | CorrespondenceRequest | null;
  /** the seat that one would take; null: it is drawn */
  seat?: 0 | 1 | null;
}

/** Take a challenge back. */
export interface WithdrawChallenge {
  type: "withdraw_challenge";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the one of the `challenge` */
  nonce: string;
}

/** Accept a challenge, or (not `accept`) decline it. */
export interface AnswerChallenge {
  type: "answer_challenge";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** which one, as `challenged` names it */
  challenge: string;
  /** true: play; false: do not */
  accept: boolean;
}

/** Watch the lobby, or (not `watch`) no longer: all of it, or the rooms that agree with what is not null, and the pools of that `game`. */
export interface WatchLobby {
  type: "lobby";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** false: be told of the lobby no longer */
  watch?: boolean;
  /** only rooms and pools of this game; null: of any (23.19) */
  game?: string | null;
  /** only `open` or only `running` rooms; null: both */
  status?: "open" | "running" | null;
  /** only rooms in which this seat, or `any`, is free; null: all */
  free_seat?: 0 | 1 | "any" | null;
}

/** Ask for the rooms in which one holds a seat and that are not over. */
export interface MyRoomsQuery {
  type: "my_rooms";
  /** chosen by the client; the answer repeats it */
  id: number;
}

/** Take a name that nobody else can have. */
export interface Register {
  type: "register";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the name that is to be one's own (24.1) */
  name: string;
}

/** Delete one's account. Nobody is this user from then on. */
export interface DeleteAccount {
  type: "delete_account";
  /** chosen by the client; the answer repeats it */
  id: number;
}

/** End the game of a player who is gone: with a win for oneself, or with none. */
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
  /** for who holds both; null: seat 0 */
  seat?: 0 | 1 | null;
}

/** Have a URL called when one is to act and nowhere connected, or (null) none any more. */
export interface SetWebhook {
  type: "set_webhook";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** what is to be called (23.13); null: nothing any more */
  url?: string | null;
}

/** Ask for the document of a game, as a GET of its file would tell it. */
export interface GameQuery {
  type: "game";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** one of the `games` of the `welcome` */
  game: string;
}

/** A request was done. Which other fields are set depends on the request. */
export interface Ok {
  type: "ok";
  /** chosen by the client; the answer repeats it */
  id: number;
  /** the room that the request was about, or that was made */
  room?: string | null;
  /** the seats that one holds in the room */
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
  /** after `say`: in which channel */
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
}

/** A place, and the server's `proof` that it has told of it. The proof is not part of the place: one equals a `Place`, and another one, with the same epoch, seq and chain. */
export interface ProvenPlace {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
  /** opaque text that proves the place, to come back in `since` (6.13); null: none */
  proof?: string | null;
}

/** What the answer to hello tells: who one is, and what there is. `token` is the user, for any later connection: keep it, and keep it secret. */
export interface Welcome {
  /** the protocol and its version: `pierule.1` */
  protocol: string;
  /** the server's own version; it means nothing */
  server: string;
  /** the user's id, for ever the same */
  user: string;
  /** one's name */
  name: string;
  limits: Limits;
  /** the games that can be played here */
  games: GameOptions[];
  /** what this server can do (15.4); ignore what you do not know */
  features: string[];
  /** the user: for every later `hello`; keep it, and keep it secret */
  token: string;
}

/** What the server will not exceed and not let a client exceed. 0: no limit (of a burst: 1). */
export interface Limits {
  /** bytes of one message */
  frame_bytes: number;
  /** rooms that one connection follows */
  rooms_followed: number;
  /** frames of a connection that are no messages */
  errors: number;
  /** seconds until hello must have come */
  hello_seconds: number;
  /** seconds between the server's pings, and for their answers; 0: none are sent (1.4) */
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
  /** seeks of one user that wait */
  seeks_per_user?: number;
  /** challenges of one user that stand */
  challenges_per_user?: number;
  /** what young guests of one address may spend a second (1.11) */
  address_budget?: number;
  /** what they may spend at once after a silence */
  address_budget_burst?: number;
  /** what any other user may spend a second (1.11) */
  user_budget?: number;
  /** what they may spend at once after a silence */
  user_budget_burst?: number;
  /** messages a second of all users in one channel of a room */
  channel_rate?: number;
  /** messages of all users in one channel at once after a silence */
  channel_burst?: number;
}

/** A game that can be played here; `draws` says whether it knows draws. Its document, named by `hash`, has all else (26). */
export interface GameOptions {
  /** the name of the game */
  game: string;
  /** the sizes that there are */
  sizes: number[];
  /** the size without one in `create` */
  default_size: number;
  /** whether a game can end in a draw, and so whether one can be offered */
  draws?: boolean;
  /** the versions of the rules that can be played here, new rooms by the last one */
  rules?: number[];
  /** names the game's document (26.1) */
  hash?: string;
}

/** The legal actions with a prefix: how many; the points or words that may come next; the actions, if they are no more than 1 000; in set-up phases, the template instead. Of one action, or of points: 1 or 0, and then why not. */
export interface Legal {
  /** the turn that this holds for */
  turn: number;
  /** how many actions begin with the prefix */
  total: number;
  /** what may be appended to the prefix */
  next?: string[];
  /** all of them, if no more than 1 000; else null */
  actions?: string[] | null;
  /** in set-up phases: what an action is put together from */
  template?: LegalPart[];
  /** of an `action` or `points`, if `total` is 0: why (6.12); else null */
  refusal?: LegalRefusal | null;
  /** of `points`, if `total` is 1: what they would put on the board (26.13), as `[index, value]` pairs */
  preview?: ([number, number])[];
}

/** One part of a set-up action: `count` of `what` on `points`, or a number `first` to `last` in steps of `step`. */
export interface LegalPart {
  /** the name of a piece (26.8), or of a number such as `komi` */
  what: string;
  /** how many */
  count?: number;
  /** where they may stand */
  points?: string[];
  /** the lowest number, of komi */
  first?: number | null;
  /** the highest number */
  last?: number | null;
  /** the step between the numbers */
  step?: number | null;
  /** the value of the cells on which these pieces will stand; null for numbers */
  cell?: number | null;
}

/** Why an action is not legal, or none can be put together from points: as in `illegal`. */
export interface LegalRefusal {
  /** the rule that forbids it, by a short name (8.3) */
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
  /** the names of who holds seat 0 and seat 1; null where it is free */
  names: [string | null, string | null];
  /** how many actions and takebacks the room has seen (3.5) */
  turn: number;
  /** the store's time of the latest event, in ms since 1970 */
  at: number;
  /** how the room is timed (9.1); null: not at all */
  control?: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** whether who holds seat 0, and seat 1, is a bot */
  bots?: [boolean, boolean];
  /** whether nobody waits in the open room: neither its maker nor who sits in it follows it anywhere (23.18) */
  away?: boolean;
}

/** Main time, and an increment for each turn. One of them must not be 0. */
export interface Fischer {
  /** which kind it is; the other fields follow from it */
  kind: "fischer";
  /** main time, in seconds */
  main: number;
  /** seconds added after each turn */
  increment?: number;
}

/** Main time, then periods that begin anew with each turn (Japanese byo-yomi). */
export interface Byoyomi {
  /** which kind it is; the other fields follow from it */
  kind: "byoyomi";
  /** main time, in seconds */
  main: number;
  /** how many periods follow the main time */
  periods: number;
  /** a period's length, in seconds */
  period: number;
}

/** The same time for each turn, never saved up. */
export interface Turnwise {
  /** which kind it is; the other fields follow from it */
  kind: "turnwise";
  /** seconds for each turn */
  time: number;
}

/** Days for each turn. */
export interface Correspondence {
  /** which kind it is; the other fields follow from it */
  kind: "correspondence";
  /** days for each turn */
  days: number;
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
  /** what those are called whom the event seats; the chain leaves it out (3.9) */
  names?: Named[];
}

/** What a user is called. */
export interface Named {
  /** the user's id */
  user: string;
  /** what the user is called */
  name: string;
}

/** Positions of a line of actions: the one at ply `first`, and what each of the actions after it changes, of at most 200. If it was asked for, the account of the position after the last of them. */
export interface Replay {
  position: PositionState;
  /** what each of the following actions changes, of at most 200 */
  diffs: PositionDiff[];
  /** where the score after the last action comes from (26.12); null: not asked for */
  account?: Account | null;
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
  /** points that White is given; null where there is none or it is not set yet */
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
  /** points that White is given; null where there is none or it is not set yet */
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
  /** how much they count together; null: no number is shown */
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

/** What somebody said, as a channel numbers it. Of a user whom one has muted there is neither `name` nor `text`. */
export interface ChatMessage {
  /** the message's number in its channel: 1, 2, 3, … */
  seq: number;
  /** the store's time, in ms since 1970 */
  at: number;
  /** the user's id, for ever the same */
  user: string;
  /** what the user was called then; empty if muted */
  name?: string;
  /** what was said: text that nobody has checked; null if muted */
  text?: string | null;
}

/** An entry of a block list. */
export interface BlockListEntry {
  /** the user's id, for ever the same */
  user: string;
  /** `mute` or `block` */
  level: "block" | "mute";
}

/** A room in which one holds `seats`, and the seat whose turn it is. */
export interface MyRoom {
  card: Card;
  /** the seats that one holds in it */
  seats: (0 | 1)[];
  /** the seat whose turn it is; null while the room is open */
  to_act: 0 | 1 | null;
}

/** One's account: the name, the recovery code, which is shown this once, and a new token. */
export interface AccountState {
  /** one's name, which is nobody else's */
  name: string;
  /** the recovery code: whoever has it is this user; it replaces any earlier one */
  recovery: string;
  /** the user, under the new name, as in a `welcome` */
  token: string;
}

/** A request was not done, and nothing has changed. `id` is null when it could not be read. */
export interface Error {
  type: "error";
  /** the request's; null when it could not be read */
  id: number | null;
  /** one of section 7; there may come more */
  code: string;
  /** why, in words, for people */
  text: string;
  /** the field that was wrong */
  field?: string | null;
  /** `illegal`: which rule forbids it, by a short name (8.3) */
  rule?: string | null;
  /** `illegal`: the points that show it */
  points?: string[] | null;
  /** `stale`: where the room is */
  place?: Place | null;
  /** `stale`: the turn that the room is at */
  turn?: number | null;
  /** `flagged`: ms after the deadline */
  late?: number | null;
  /** `too_early`: ms until it can be done */
  left?: number | null;
  /** `rate`: ms to wait before the request is sent again */
  retry_ms?: number | null;
}

/** Where a log stands after an event: `epoch` names its life, `seq` counts its events from 1 and `chain` is the CRC over all of them. */
export interface Place {
  /** the life of the room's log (3.2) */
  epoch: number;
  /** the event's number in the log: 1, 2, 3, … (3.2) */
  seq: number;
  /** the CRC over all events so far (3.4) */
  chain: number;
}

/** A room as it is; what was known of it before is to be forgotten. `proof` is for the place of the state. */
export interface Snapshot {
  type: "snapshot";
  state: RoomState;
  /** opaque text that proves the place, to come back in `since` (6.13); null: none */
  proof?: string | null;
}

/** All of a room that a client sees. `ply` equals the length of `actions`. */
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
  /** the room of which this is the rematch (19.7); null: none */
  rematch_of?: string | null;
  /** the room of the rematch, once it is there (19.7) */
  rematch?: string | null;
  /** the version of the game's rules (26.14) */
  rules?: number;
}

/** Who holds a seat; a `bot` has said that it is one. In a record the `name` is empty. */
export interface Holder {
  /** the user's id, for ever the same */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** whether that user is a bot, as it has said itself */
  bot?: boolean;
}

/** Both clocks: the seat whose turn it is, when its turn began, until when its action counts, and since when the clocks are paused, by the store's time in milliseconds. */
export interface ClockState {
  /** what seat 0 and seat 1 had left when their last turns ended */
  hands: [HandState, HandState];
  /** the seat whose turn it is; null if no clock runs */
  running: 0 | 1 | null;
  /** when that turn began, in ms since 1970 */
  started: number;
  /** the last moment at which its action counts, in ms since 1970; in a pause, at which the clocks go on by themselves; null if none */
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

/** How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `agreed` (a draw), `left` (one was gone, and the other claimed the game), `aborted` (not begun, by a player's wish or in time), `closed` (by the operators), or `voided` (it had ended, and the operators have taken its result back). The last three have no winner. */
export interface Result {
  /** the seat that has won, `draw`, or null */
  winner: 0 | 1 | "draw" | null;
  /** `played`, `resigned`, `flagged`, `agreed`, `left`, `aborted`, `closed`, `voided`; there may come more */
  reason: string;
}

/** One event of a room: its place and time, the record as the log keeps it (JSON text), what it changed, the digest of the position after it, and the `proof` of its place. */
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
  /** opaque text that proves the place, to come back in `since` (6.13); null: none */
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
  /** new actions, that end at the new `ply` (4.2) */
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
}

/** Who is there: for each seat whether its player is connected, and how many watch. While a game runs, of a player who is not: since when, and from when on the other one may claim. */
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

/** News of the server itself: `draining` (it closes this connection within `seconds`; connect again), `store_away` (requests that need the store are refused; `text` says why), `store_back`, `room_gone` (`room` does not exist any more, and is no longer followed), `announcement` (the operators say `text`, about something that is to happen `at` a time), `seek_expired` (the seek that `nonce` names was in vain), `challenge_declined` (the one that `nonce` names), `challenge_withdrawn` (`challenge` says which), `your_turn` (in `room`), or `webhook_off` (nobody is called any more). */
export interface Notice {
  type: "notice";
  /** `draining`, `store_away`, `store_back`, `room_gone`, `announcement`, `seek_expired`, `challenge_declined`, `challenge_withdrawn`, `your_turn`, `webhook_off`; there may come more (1.5) */
  kind: string;
  /** `draining`: until this connection is closed */
  seconds?: number | null;
  /** `room_gone`, `your_turn`: which one */
  room?: string | null;
  /** `announcement`: what the operators say; `store_away`: what is wrong, in words; `room_gone`: why, if not because its time is over */
  text?: string | null;
  /** `announcement`: when it is to happen, in ms since 1970; null: no time was said */
  at?: number | null;
  /** `seek_expired`, `challenge_declined`: of one's request */
  nonce?: string | null;
  /** `challenge_withdrawn`: which one */
  challenge?: string | null;
}

/** Lines of a channel that one hears, in order: the latest after joining, then each as it is said. */
export interface Chat {
  type: "chat";
  /** the room's id */
  room: string;
  /** `players` or `spectators` (21.1) */
  channel: "players" | "spectators";
  /** new ones, without holes among them */
  messages: ChatMessage[];
}

/** A room runs in which one holds `seat`: what one's request with this `nonce` was for. */
export interface Paired {
  type: "paired";
  /** of the request that it was for; for who has accepted a challenge, its name */
  nonce: string;
  /** the room, which runs */
  room: string;
  /** the seat that one holds */
  seat: 0 | 1;
}

/** Another user asks for a game: `seat` is the one that one would have (null: it is drawn). */
export interface Challenged {
  type: "challenged";
  /** names it in the `answer_challenge` */
  challenge: string;
  /** who asks */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** how the room is timed (9.1); null: not at all */
  control: Fischer | Byoyomi | Turnwise | Correspondence | null;
  /** the seat that one would have; null: it is drawn */
  seat: 0 | 1 | null;
  /** whether that user is a bot, as it has said itself */
  bot?: boolean;
}

/** The lobby as it is; what was known of it before is to be forgotten. */
export interface LobbyState {
  type: "lobby";
  /** the number of this state (23.7) */
  seq: number;
  /** open and running rooms, the latest first */
  rooms: LobbyRoom[];
  /** pools in which somebody waits */
  pools: Pool[];
  /** house bots that are free to stand in (23.16) */
  bots?: number;
}

/** A room in the lobby, and how many spectators it has. */
export interface LobbyRoom {
  card: Card;
  /** how many watch it, over all nodes */
  spectators: number;
}

/** Users who wait for the same game: how many there are. */
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

/** What has changed in the lobby: rooms that are new or different, ids of those that are no longer listed, and pools that are new or different; one in which nobody waits is gone. */
export interface LobbyChange {
  type: "lobby_change";
  /** the number of the state after it (23.7) */
  seq: number;
  /** rooms that are new or different */
  rooms?: LobbyRoom[];
  /** ids of rooms that are no longer listed */
  gone?: string[];
  /** pools that are new or different */
  pools?: Pool[];
  /** house bots that are free to stand in (23.16); null: as many as before */
  bots?: number | null;
}

/** The room was made. If `seat` is given, its maker sits there from the start; if `players` are given, both of them do, and the game starts at once. Of the secret that a private room's guests need there is only a hash. Every `name` is empty: see `Entry`. `rules` is the version of the game's rules, by which the room is played to its end. */
export interface Created {
  /** which kind it is; the other fields follow from it */
  kind: "created";
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** the user's id, for ever the same */
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
  /** the room of which this is the rematch (19.7); null: none */
  rematch_of?: string | null;
  /** whether that user is a bot, as it has said itself */
  bot?: boolean;
  /** the version of the game's rules (26.14) */
  rules?: number;
}

/** A user took a free seat. With the second seat the game starts. The `name` is empty. */
export interface Seated {
  /** which kind it is; the other fields follow from it */
  kind: "seated";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** the user's id, for ever the same */
  user: string;
  /** the user's name, as others see it: text that nobody has checked */
  name: string;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** whether that user is a bot, as it has said itself */
  bot?: boolean;
}

/** The player of a seat played an action. On a clock, `lag` is the round trip that the server measured in this turn, in milliseconds, and `given` the part of it that the player's quota covered. */
export interface Acted {
  /** which kind it is; the other fields follow from it */
  kind: "acted";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** the action, in the game's notation (8) */
  action: string;
  /** the round trip that was measured in this turn, in ms */
  lag?: number;
  /** how much of it the quota covered, in ms (9.5) */
  given?: number;
}

/** The player of a seat gave the game up. */
export interface Resigned {
  /** which kind it is; the other fields follow from it */
  kind: "resigned";
  /** seat 0 or 1 */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The time of a seat was up. */
export interface Flagged {
  /** which kind it is; the other fields follow from it */
  kind: "flagged";
  /** seat 0 or 1 */
  seat: 0 | 1;
}

/** The game was not begun in time, or abandoned, or a player who had not acted yet aborted it; nobody has lost. */
export interface Aborted {
  /** which kind it is; the other fields follow from it */
  kind: "aborted";
  /** who aborted it; absent: it was not begun in time, or abandoned */
  seat?: 0 | 1 | null;
  /** as in the request; absent without a seat */
  nonce?: string | null;
}

/** The player of a seat ended the game, because the other one had been gone since `gone` (the store's ms) and for `bound` ms: with a win, or with none. */
export interface Claimed {
  /** which kind it is; the other fields follow from it */
  kind: "claimed";
  /** who claims the game */
  seat: 0 | 1;
  /** `win`, or `abort`: nobody wins */
  outcome: "abort" | "win";
  /** since when the other player was gone, by the store's time in ms since 1970 */
  gone: number;
  /** for how many ms he must have been gone (25.2) */
  bound: number;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The operators have ended the room, or taken back the result of one that had ended. `text` says why, to everybody. */
export interface Closed {
  /** which kind it is; the other fields follow from it */
  kind: "closed";
  /** why, in the operators' words */
  text: string;
}

/** The store or all nodes were away between two times of the store; what of that fell into the present turn is given back to the running clock. */
export interface Credited {
  /** which kind it is; the other fields follow from it */
  kind: "credited";
  /** when the outage began, by the store's time in ms since 1970 */
  lost_from: number;
  /** when it ended */
  lost_to: number;
}

/** The store lost the end of the log; a new epoch begins with what was left of it (SPEC 3.2). */
export interface Renewed {
  /** which kind it is; the other fields follow from it */
  kind: "renewed";
}

/** The player of a seat offered something. */
export interface Offered {
  /** which kind it is; the other fields follow from it */
  kind: "offered";
  /** who offers it */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat declined what the other one offered. */
export interface Declined {
  /** which kind it is; the other fields follow from it */
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
  /** which kind it is; the other fields follow from it */
  kind: "withdrawn";
  /** who had offered it */
  seat: 0 | 1;
  /** `takeback`, `draw`, `pause`, `resume` or `rematch` (19) */
  what: "draw" | "pause" | "rematch" | "resume" | "takeback";
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat let the other one take back the latest action. */
export interface TakenBack {
  /** which kind it is; the other fields follow from it */
  kind: "taken_back";
  /** who allowed it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat accepted a draw. */
export interface Drawn {
  /** which kind it is; the other fields follow from it */
  kind: "drawn";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The player of a seat accepted a pause: the clocks stand still. */
export interface Paused {
  /** which kind it is; the other fields follow from it */
  kind: "paused";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The clocks go on, as the player of a seat accepted; without one, for the pause was over. */
export interface Resumed {
  /** which kind it is; the other fields follow from it */
  kind: "resumed";
  /** who accepted it; absent: the pause had lasted as long as it may */
  seat?: 0 | 1 | null;
  /** as in the request; absent without a seat */
  nonce?: string | null;
}

/** The player of a seat accepted a rematch: its room is about to be made. */
export interface Rematching {
  /** which kind it is; the other fields follow from it */
  kind: "rematching";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
}

/** The room of the rematch that the player of a seat accepted is there. */
export interface Rematched {
  /** which kind it is; the other fields follow from it */
  kind: "rematched";
  /** who accepted it */
  seat: 0 | 1;
  /** names the intention, so that a retry is safe (2.3) */
  nonce: string;
  /** the id of the new room */
  room: string;
}

/** A room that is over or still goes on: options, who sits, all events as the log keeps them (times in the store's milliseconds since 1970), and what has come of them. */
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
}

/** What was chosen when the room was made; `control` is null in a room without clocks. */
export interface RoomOptions {
  /** the name of the game */
  game: string;
  /** the board's size */
  size: number;
  /** how the room is timed (9.1); null: not at all */
  control: Fischer | Byoyomi | Turnwise | Correspondence | null;
}

/** The room after the last event: the place of that event, so that the last one is missed like any other; the status, the result (null while there is none), the position's text (SPEC 5.3) and the clocks (SPEC 9.7; null without). */
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
}

/** All of a game that a client needs in order to draw it and to speak of it. `rules` are the versions that this server can play, the last one that of new rooms. */
export interface GameDocument {
  /** always `pierule.game` */
  format: "pierule.game";
  /** 1; a higher one may have more than this */
  version: number;
  /** the name of the game */
  game: string;
  /** the versions of the rules that can be played here, new rooms by the last one */
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
  /** how changes of cells are shown (26.8) */
  changes?: Change[];
  sample: Picture;
  /** boards for the rules, in the order of `captions` */
  examples?: Picture[];
  /** lessons, in the order of those of the texts */
  lessons?: LessonTree[];
  /** all that is said of the game, by language */
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
  /** lines that are drawn thicker */
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
  /** a color that is marked in its middle; null: none */
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

/** A board to be drawn: its `cells`; what an `action` then changes in them, if there is one; and the points that it is about. */
export interface Picture {
  /** the board's size */
  size: number;
  /** the cells, as in a position (5.2) */
  cells: number[];
  /** the action that is shown; null: none */
  action?: string | null;
  /** what it changes, as `[index, value]` pairs */
  changes?: ([number, number])[];
  /** points that are to be marked */
  pointed?: string[];
}

/** A lesson: the position at its node 0, and its nodes. A node is reached in one way only, so that its position follows from the diffs on the way. */
export interface LessonTree {
  position: PositionState;
  /** its nodes; it begins with the first */
  nodes: LessonNode[];
}

/** A moment of a lesson: what is asked for, the choices, and by point why no action begins there. */
export interface LessonNode {
  /** the name of the text that says what to do */
  says: string;
  /** the actions that it knows */
  choices: LessonChoice[];
  /** by point why no action begins with it; of the points that are not here one does */
  refusals?: Record<string, Why>;
}

/** An action that the learner may play: what is said then, what it and the replies to it change, and the node that comes next (null: the lesson is done). One that is not `good` leads back to its own node. */
export interface LessonChoice {
  /** the name of the text that is told then */
  says: string;
  /** whether the lesson goes on; else the board is taken back */
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

/** All that is said of a game in one language: plain text, with `{0}`, `{1}`, … to be filled in. */
export interface GameTexts {
  /** what the game is called */
  name: string;
  /** who made it, and when */
  by: string;
  /** the game in one sentence */
  about: string;
  /** what players try to do, for somebody who has read nothing */
  aim: string;
  /** what a size is called (`{0}`: the size) */
  size: string;
  /** what pieces are called, in the order of `pieces` */
  pieces: string[];
  /** by phase what whoever is to act is told */
  phases: Record<string, PhaseTexts>;
  /** by word what actions such as `pass` are called */
  words?: Record<string, WordTexts>;
  /** by name what numbers such as `komi` are called */
  numbers?: Record<string, NumberTexts>;
  /** what is said of a change (`{0}`: the points), in the order of `changes`; null: nothing */
  changes: (string | null)[];
  result: ResultTexts;
  /** by kind what marks of an account are (26.12) */
  marks?: Record<string, string>;
  /** by kind what sums of an account are (26.12) */
  sums?: Record<string, string>;
  /** by rule why an action is not legal (26.7) */
  refusals: Record<string, string>;
  /** the rules, paragraph by paragraph */
  rules: string[];
  /** what the examples show, in their order */
  captions?: string[];
  /** what lessons say, in their order */
  lessons?: LessonTexts[];
}

/** What whoever is to act is told in a phase: at first, what can be typed, and by `steps` what the next pick is for (26.8). */
export interface PhaseTexts {
  /** what there is to do */
  prompt: string;
  /** how actions are typed, for a line of text */
  typed?: string;
  /** what the next pick is for (26.8) */
  steps?: Record<string, string>;
}

/** A word that is an action: its button, and what it does when `passes` is over 0 already. */
export interface WordTexts {
  /** what its button says */
  label: string;
  /** what is told of it while `passes` is over 0; null: nothing */
  again?: string | null;
}

/** A number that is an action: what it is, its button, and how it is told once it is set. */
export interface NumberTexts {
  /** what the number is */
  label: string;
  /** what the button says that plays it */
  set: string;
  /** how it is told once it is set (`{0}`: the number) */
  shown: string;
}

/** How a game ended by its rules, if the winner's score is the higher one, if scores are level and there is a winner all the same, and if it is a draw (26.9). */
export interface ResultTexts {
  /** the winner has the higher score */
  ahead: string;
  /** there is a winner, though scores are equal; null: that cannot be */
  level?: string | null;
  /** there is none; null: that cannot be */
  draw?: string | null;
}

/** What a lesson says, by the names that its nodes and choices give. */
export interface LessonTexts {
  /** what the lesson is called */
  title: string;
  /** by name what nodes and choices say */
  says: Record<string, string>;
}
