/** Requests that lead to a room later: to seek, to stand in, and to challenge (SPEC 23). */

import type { Ask, ServerPush } from "./connection.js";
import { newNonce } from "./environment.js";
import { Refused } from "./errors.js";
import type { Challenged } from "./messages.js";
import type { Session } from "./session.js";

/** Requests that may lead to a room. */
type RoomRequest = Plain<Extract<Ask, { type: "seek" | "stand_in" | "challenge" }>>;
type Plain<T> = T extends { nonce: string } ? Omit<T, "nonce"> : never;

export interface PendingRoom {
  /** The name of the request. With the same nonce, another client of the same user can go on with it. */
  readonly nonce: string;
  /** The room that it has led to, or null after `withdraw`. Rejects with Refused if the request has expired,
   * was declined or is not allowed, and with Stopped. */
  readonly room: Promise<string | null>;
  /** Resolves once the server has taken the request, and never if it refuses it. */
  readonly taken: Promise<void>;
  /** Withdraw the request. If the server was faster, there is a room all the same. */
  withdraw(): Promise<void>;
}

/** Ask for a room, over as many connections as it takes. With the `nonce` of an earlier request, go on with
 * that request. */
export function requestRoom(
  session: Session,
  what: RoomRequest,
  nonce = newNonce(session.environment),
): PendingRoom {
  let settle!: (room: string | null) => void;
  let fail!: (error: Error) => void;
  const room = new Promise<string | null>((resolve, reject) => ([settle, fail] = [resolve, reject]));
  let take!: () => void;
  const taken = new Promise<void>((resolve) => (take = resolve));
  const found = (id: string | null | undefined) => id && settle(id);
  const deaf = session.hear((news) => {
    if (news.type !== "paired" && news.type !== "notice") return;
    if (news.nonce !== nonce) return;
    if (news.type === "paired") settle(news.room);
    else if (news.kind === "seek_expired") fail(refusal("expired", "nobody came in time"));
    else if (news.kind === "challenge_declined") fail(refusal("declined", "the other player declines"));
  });
  const stop = session.welcomed(() => {
    session.request({ ...what, nonce } as Ask).then((ok) => (take(), found(ok.room)), fail);
  });
  const end = () => (deaf(), stop());
  room.then(end, end);
  const type = what.type === "challenge" ? "withdraw_challenge" : "cancel_seek";
  const withdraw = () => session.request({ type, nonce }).then((ok) => settle(ok.room ?? null), fail);
  return { nonce, room, taken, withdraw };
}

const refusal = (code: string, text: string) => new Refused({ type: "error", id: null, code, text });

/** The challenges that stand against you, after a message. Pure. */
export function foldChallenges(standing: readonly Challenged[], news: ServerPush): readonly Challenged[] {
  if (news.type === "challenged") {
    const again = standing.some(({ challenge }) => challenge === news.challenge);
    return again ? standing : [...standing, news];
  }
  const withdrawn = news.type === "notice" && news.kind === "challenge_withdrawn" && news.challenge;
  return withdrawn ? standing.filter(({ challenge }) => challenge !== withdrawn) : standing;
}
