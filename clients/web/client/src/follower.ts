/** Following one room: what to do about each message, and which trouble mends which (SPEC 6). */

import { advance, type Trouble } from "./fold.js";
import type { Event, Ok, RoomState, Since, Snapshot } from "./messages.js";
import { positionDigest } from "./position.js";

/**
 * What follows from a message: there is a new state; nothing; join again with `since` as it is now;
 * report the board that differs and then join again; or stop, for it differs again after a fresh
 * snapshot.
 */
/** Characters of a proof at most; a longer one is not sent back (SPEC 6.13). */
const MOST_PROOF = 64;

export type Verdict = "changed" | "ignored" | "rejoin" | "mismatch" | "desync";

/** Keeps the state of one room; null until the first snapshot. */
export class Follower {
  state: RoomState | null = null;
  private proof: string | null = null; // that came with the place of the state, if one did
  private waiting = false; // a join is under way that will mend all trouble seen until then
  private distrusted = false; // the state is wrong, and only a snapshot will do
  private filled = false; // no event has applied since a hole was to be filled
  private cured = false; // no event has applied since a snapshot was sent to mend a trouble

  /** From where a join has to go on; null asks for a snapshot. */
  get since(): Since | null {
    if (this.state === null || this.distrusted) return null;
    const { epoch, seq, chain } = this.state;
    return { epoch, seq, chain, ...(this.proof !== null && { proof: this.proof }) };
  }

  /** A join with `since` is being sent: until it is answered, trouble is no news (SPEC 6.10). */
  rejoin(): void {
    this.waiting = this.state !== null;
  }

  /** A join was answered; without `resumed` the snapshot ends the wait. */
  joined(ok: Ok): void {
    if (ok.resumed) this.waiting = false;
  }

  /** A join was refused: it mends nothing. */
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
    if (this.state === null) return "ignored"; // a snapshot is on its way that has it
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
    this.proof = proof !== null && proof.length <= MOST_PROOF ? proof : null;
  }

  private climb(trouble: Trouble): Verdict {
    if (trouble === "hole" && !this.filled) this.filled = true;
    else if (this.cured) return "desync";
    else this.distrusted = true;
    return trouble === "mismatch" ? "mismatch" : "rejoin";
  }
}
