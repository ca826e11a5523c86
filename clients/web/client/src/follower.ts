/** Following one room: what to do about each message, and how to repair the state (SPEC 6). */

import { advance, type Trouble } from "./fold.js";
import type { Event, Ok, RoomState, Since, Snapshot } from "./messages.js";
import { positionDigest } from "./position.js";

/** The most characters of a proof; a longer proof is not sent back (SPEC 6.13). */
const MOST_PROOF = 64;

/**
 * What a message leads to: there is a new state; nothing; join again with `since` as it is now; report
 * that the board differs, and join again; or report it and stop, because the board differs again after a
 * fresh snapshot.
 */
export type Verdict = "changed" | "ignored" | "rejoin" | "mismatch" | "desync";

/** Keeps the state of one room; null until the first snapshot. */
export class Follower {
  state: RoomState | null = null;
  private proof: string | null = null; // the proof that came with the state's place, if any
  private waiting = false; // a join is under way, which will repair the state
  private distrusted = false; // the state is wrong, and only a snapshot helps
  private filled = false; // we joined to fill a hole, and no event has applied since
  private cured = false; // a snapshot repaired the state, and no event has applied since

  /** The place from which a join has to go on; null asks for a snapshot. */
  get since(): Since | null {
    if (this.state === null || this.distrusted) return null;
    const { epoch, seq, chain } = this.state;
    return { epoch, seq, chain, ...(this.proof !== null && { proof: this.proof }) };
  }

  /** A join with `since` is being sent: until its answer, ignore events that do not fit (SPEC 6.10). */
  rejoin(): void {
    this.waiting = this.state !== null;
  }

  /** A join was answered; without `resumed` the snapshot ends the wait. */
  joined(ok: Ok): void {
    if (ok.resumed) this.waiting = false;
  }

  /** A join was refused: it repairs nothing. */
  refused(): void {
    this.waiting = false;
  }

  snapshot({ state, proof }: Snapshot): Verdict {
    if (positionDigest(state.position) !== state.digest) return "desync";
    this.cured = this.distrusted;
    this.waiting = this.distrusted = false;
    this.take(state, proof);
    return "changed";
  }

  event(event: Event): Verdict {
    if (this.state === null) return "ignored"; // the snapshot that is on its way includes it
    const after = advance(this.state, event);
    if (typeof after !== "string") {
      this.take(after, event.proof);
      this.filled = this.cured = false;
      return "changed";
    }
    if (after === "duplicate" || this.waiting) return "ignored";
    return this.climb(after);
  }

  private take(state: RoomState, proof: string | null = null): void {
    this.state = state;
    this.proof = proof !== null && [...proof].length <= MOST_PROOF ? proof : null;
  }

  private climb(trouble: Trouble): Verdict {
    if (trouble === "hole" && !this.filled) this.filled = true;
    else if (this.cured) return "desync";
    else this.distrusted = true;
    return trouble === "mismatch" ? "mismatch" : "rejoin";
  }
}
