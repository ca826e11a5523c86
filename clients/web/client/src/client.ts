/** A client of Pierule, with a method for every request (SPEC 2). */

import type { Channel } from "./chat.js";
import type { Ask } from "./connection.js";
import { newInvitation, newNonce } from "./environment.js";
import type { Refused } from "./errors.js";
import { applyPosition } from "./fold.js";
import { gameDocument, gameLessons } from "./gameDocument.js";
import { listRooms, type RoomFilter } from "./listing.js";
import { watchLobby, type LobbyPart, type LobbyView, type LobbyWatch } from "./lobby.js";
import type {
  Account,
  AccountState,
  BlockListEntry,
  Card,
  Claim,
  GameDocument,
  GameLessons,
  Legal,
  LegalRefusal,
  LineQuestion,
  LogEntry,
  MyRoom,
  Offer,
  PositionState,
  Receipt,
} from "./messages.js";
import { requestRoom, type PendingRoom } from "./pendingRoom.js";
import type { Room, Seat } from "./room.js";
import { Session } from "./session.js";

/** What you choose about a request: its fields without those that the client fills in. */
type Choices<K extends Ask["type"]> = Omit<Extract<Ask, { type: K }>, "type" | "nonce">;

/** What to play, and how, in a room that you make; only `game` is needed. */
export type CreateOptions = Omit<Choices<"create">, "invitation">;
/** What to play with anyone who wants the same. */
export type SeekOptions = Choices<"seek">;
/** Whom to challenge, and to which game. */
export type ChallengeOptions = Choices<"challenge">;
/** What players agree on. */
export type What = Offer["what"];

/** A line of actions from a game's opening on. `rules` is the version of the rules, as a room's state
 * names it; null: the newest. */
export interface Line {
  game: string;
  size?: number | null;
  actions: readonly string[];
  rules?: number | null;
}

/** What a server says about the position after a line; `before` is null at the opening. */
export interface Analyzed {
  before: PositionState | null;
  position: PositionState;
  legal: Legal;
  account: Account | null;
}

/** All methods that send a request reject with Refused if the server refuses it, and with Stopped. They send
 * it until there is an answer, over as many connections as it takes; nothing happens twice. */
export class Client extends Session {
  // --- games ---

  /** How a game looks and what it says (SPEC 26). Keep it: it stays as it is while `welcome.games` has
   * the same `hash` for it. */
  game(name: string): Promise<GameDocument> {
    return gameDocument(this, name);
  }

  /** The lessons of a game (SPEC 26.16), as `lessons_hash` of its document names them. */
  lessons(game: string, hash: string): Promise<GameLessons> {
    return gameLessons(this, game, hash);
  }

  /** The positions of a line, from ply `first` (0: the opening) to its end. */
  async replay(line: Line, first = 0): Promise<PositionState[]> {
    const positions: PositionState[] = [];
    for (let ply = first; ply <= line.actions.length; ply = first + positions.length) {
      const { replay } = await this.request({ type: "replay", ...plain(line), first: ply });
      let position = replay!.position;
      positions.push(position);
      for (const diff of replay!.diffs) {
        const next = applyPosition(position, diff);
        if (!next) throw new Error("the server's replay names a cell that no board has");
        positions.push((position = next));
      }
    }
    return positions;
  }

  /** Where the score after the last action of a line comes from (SPEC 26.12). */
  async account(line: Line): Promise<Account> {
    const first = line.actions.length;
    const { replay } = await this.request({ type: "replay", ...plain(line), first, account: true });
    return replay!.account ?? {};
  }

  /** The last two positions of a line (only one at the opening), and what may be played after it (SPEC 6.15).
   * With `account`, also where the score comes from. The server refuses this as `not_now` to players of that
   * game. */
  async analyze(line: Line, question: LineQuestion = {}, account = false): Promise<Analyzed> {
    const first = Math.max(0, line.actions.length - 1);
    const { replay } = await this.request({
      type: "replay",
      ...plain(line),
      first,
      account,
      legal: question,
    });
    const { position, diffs, legal, account: told } = replay!;
    const last = diffs[0] ? applyPosition(position, diffs[0]) : position;
    if (!last) throw new Error("the server's replay names a cell that no board has");
    return { before: diffs[0] ? position : null, position: last, legal: legal!, account: told ?? null };
  }

  // --- a room ---

  /** Make a room. A private room gets an `invitation`, which others need to join it. */
  async create(options: CreateOptions): Promise<{ room: string; invitation: string | null }> {
    const invitation = options.access === "private" ? newInvitation(this.environment) : null;
    const { room } = await this.request({ type: "create", nonce: this.nonce(), ...options, invitation });
    return { room: room!, invitation };
  }

  /** Play an action that was chosen for this `turn` of the current epoch. */
  async act(room: Room, turn: number, action: string): Promise<void> {
    const epoch = room.state?.epoch ?? null;
    await this.aimed(room, { type: "act", room: room.id, turn, action, epoch });
  }

  /** What may be played, or may follow `prefix` (SPEC 6.4). */
  async legal(room: Room, prefix = ""): Promise<Legal> {
    return (await this.request({ type: "legal", room: room.id, prefix })).legal!;
  }

  /** Why an action is not legal at `turn`, or why no action can be put together from points that were picked
   * in this order; null if it is legal, or if an action can (SPEC 6.12). It plays nothing. A server without
   * the feature `why` refuses it as `bad_field`. */
  async why(
    room: Room,
    turn: number,
    question: { action: string } | { points: string[] },
  ): Promise<LegalRefusal | null> {
    return (await this.judged(room, turn, question)).refusal ?? null;
  }

  /** What points that were picked in this order would put on the board, as `[index, value]` pairs (SPEC
   * 26.13); null if no action can be put together from them. */
  async preview(room: Room, turn: number, points: string[]): Promise<[number, number][] | null> {
    const { total, preview } = await this.judged(room, turn, { points });
    return total ? (preview ?? []) : null;
  }

  private async judged(
    room: Room,
    turn: number,
    question: { action: string } | { points: string[] },
  ): Promise<Legal> {
    return (await this.aimed(room, { type: "legal", room: room.id, turn, ...question })).legal!;
  }

  /** Give the game up. If you hold both seats, name one, or give up the seat that is to act. */
  async resign(room: Room, seat: Seat | null = null): Promise<void> {
    await this.request({ type: "resign", room: room.id, nonce: this.nonce(), seat });
  }

  /** End the game before you have acted in it; nobody loses. */
  async abort(room: Room, seat: Seat | null = null): Promise<void> {
    await this.request({ type: "abort", room: room.id, nonce: this.nonce(), seat });
  }

  /** Offer something to the other player. If they offer the same already, it is agreed. */
  async offer(room: Room, what: What, seat: Seat | null = null): Promise<void> {
    await this.request({ type: "offer", room: room.id, what, nonce: this.nonce(), seat });
  }

  /** Accept what the other player offers. `turn` is the turn at which you saw the offer. */
  async accept(room: Room, what: What, turn: number, seat: Seat | null = null): Promise<void> {
    await this.request({ type: "accept", room: room.id, what, turn, nonce: this.nonce(), seat });
  }

  /** Decline what the other player offers. */
  async decline(room: Room, what: What, seat: Seat | null = null): Promise<void> {
    await this.request({ type: "decline", room: room.id, what, nonce: this.nonce(), seat });
  }

  /** Withdraw your offer. */
  async withdraw(room: Room, what: What, seat: Seat | null = null): Promise<void> {
    await this.request({ type: "withdraw", room: room.id, what, nonce: this.nonce(), seat });
  }

  /** End the game because your opponent has left it (SPEC 25). */
  async claim(room: Room, outcome: Claim["outcome"], seat: Seat | null = null): Promise<void> {
    await this.request({ type: "claim", room: room.id, outcome, nonce: this.nonce(), seat });
  }

  /** The log of a room from event `first` on. You need not follow the room. */
  async log(room: string, first = 1): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (;;) {
      const { log } = await this.request({ type: "log", room, first: first + entries.length });
      if (!log?.length) return entries;
      entries.push(...log);
    }
  }

  /** A signed receipt of a room's log up to event `seq` (null: the last that you may see): it proves what the
   * server has acknowledged (SPEC 28.10). You need not follow the room. A server that signs none refuses this
   * as `not_now`. */
  async receipt(room: string, seq: number | null = null): Promise<Receipt> {
    return (await this.request({ type: "receipt", room, seq })).receipt!;
  }

  // --- chat ---

  /** Say something in a room. `delayed` is called if you have said too much, and the message has to wait. */
  async say(room: Room, text: string, delayed?: (error: Refused) => void): Promise<void> {
    await this.request({ type: "say", room: room.id, nonce: this.nonce(), text }, delayed);
  }

  /** Tell the operators about a message; `text` says what is wrong with it. */
  async reportMessage(room: Room, channel: Channel, seq: number, text = ""): Promise<void> {
    await this.request({ type: "report_message", room: room.id, channel, seq, text });
  }

  /** Mute or block a user; null: neither any more. Returns your block list. */
  async block(user: string, level: BlockListEntry["level"] | null): Promise<BlockListEntry[]> {
    return (await this.request({ type: "block", user, level })).block_list ?? [];
  }

  /** Everyone you mute or block. */
  async blockList(): Promise<BlockListEntry[]> {
    return (await this.request({ type: "block" })).block_list ?? [];
  }

  // --- the lobby ---

  /** The public rooms that are open or running, at most `limit` (null: all): open rooms, then running
   * ones, then open rooms in which nobody waits (`away`); the latest of each first. It asks for as many
   * pages as that takes. */
  listRooms(limit: number | null = 50, filter: RoomFilter = {}): Promise<Card[]> {
    return listRooms(this, limit, filter);
  }

  /** Watch the lobby, or a part of it, over as many connections as it takes, until you stop the watch. A
   * client has one lobby, so only one watch may run at a time. A server without the feature `filters` shows
   * all of the lobby. */
  watchLobby(show: (view: LobbyView) => void, part: LobbyPart = {}): LobbyWatch {
    return watchLobby(this, show, part);
  }

  /** Find an opponent. With the `nonce` of an earlier seek, go on with that seek. */
  seek(options: SeekOptions, nonce?: string): PendingRoom {
    return requestRoom(this, { ...options, type: "seek" }, nonce);
  }

  /** As a house bot of a level, play with the next user who seeks in vain, or who wants this level. */
  standIn(nonce?: string, bot_level?: string): PendingRoom {
    return requestRoom(this, { type: "stand_in", ...(bot_level && { bot_level }) }, nonce);
  }

  /** Ask a user for a game. With the `nonce` of an earlier challenge, go on with that challenge. */
  challenge(options: ChallengeOptions, nonce?: string): PendingRoom {
    return requestRoom(this, { ...options, type: "challenge" }, nonce);
  }

  /** Accept a challenge, or decline it. Returns the room of the game; null if you declined. */
  async answerChallenge(challenge: string, accept: boolean): Promise<string | null> {
    return (await this.request({ type: "answer_challenge", challenge, accept })).room ?? null;
  }

  /** The rooms in which you hold a seat and that are not over. */
  async myRooms(): Promise<MyRoom[]> {
    return (await this.request({ type: "my_rooms" })).my_rooms ?? [];
  }

  // --- you ---

  /** Register a name, which nobody else can have then, or change it. You get a new recovery code, which the
   * server tells you only once (SPEC 24). A new code for the same name also ends all your other sessions. */
  async register(name: string): Promise<AccountState> {
    const same = name === this.welcome?.name && this.welcome.features.includes("sessions");
    const { account } = await this.request({ type: "register", nonce: this.nonce(), name });
    if (same) this.useToken(account!.token).catch(() => {}); // then the next connection ends them
    else this.renamed(account!);
    return account!;
  }

  /** Sign out everywhere else: all tokens that you have had become invalid (SPEC 24.12). You get new ones by
   * `welcomed`, the first before that. */
  async endSessions(): Promise<void> {
    const { token } = await this.request({ type: "end_sessions" });
    await this.useToken(token!);
  }

  /** Keep a token, then end all other sessions with it. */
  private async useToken(token: string): Promise<void> {
    this.renamed({ name: this.welcome!.name, token });
    const ok = await this.request({ type: "end_sessions", token });
    this.renamed({ name: this.welcome!.name, token: ok.token! });
  }

  /** Delete your account. From then on, nobody can be this user. */
  async deleteAccount(): Promise<void> {
    await this.request({ type: "delete_account" });
  }

  /** Everything that the server stores about you: lines of JSON text, and a cursor if there are more
   * (SPEC 24.11). */
  async downloadAccount(after: string | null = null): Promise<{ lines: string[]; next?: string | null }> {
    const { lines = [], next } = await this.request({ type: "download_account", after });
    return { lines: lines!, next };
  }

  /** Set the URL that the server calls when you are to act and are not connected; null: none any more.
   * Returns the key that signs the calls, which the server tells you only once (SPEC 23.13). */
  async setWebhook(url: string | null): Promise<string | null> {
    return (await this.request({ type: "set_webhook", nonce: this.nonce(), url })).secret ?? null;
  }

  /** Milliseconds to the server and back. */
  async ping(): Promise<number> {
    const sent = this.environment.elapsed();
    await this.request({ type: "ping" });
    return this.environment.elapsed() - sent;
  }

  private nonce(): string {
    return newNonce(this.environment);
  }
}

/** A line as fields of a `replay`. */
const plain = ({ game, size = null, actions, rules = null }: Line) => ({
  game,
  size,
  actions: [...actions],
  rules,
});
