/** What is said in a room, in both channels; their numbers have no holes (SPEC 21.5). Pure. */

import type { Chat, Line } from "./messages.js";

export type Channel = Chat["channel"];

/** A line, and the channel in which it was said. */
export interface Spoken extends Line {
  channel: Channel;
}

/** Lines of a channel that are kept here: beyond that, the oldest go. */
const KEPT = 200;

export class Talk {
  /** All that was heard, in the order in which it was said. */
  lines: readonly Spoken[] = [];
  private readonly heard: Record<Channel, Spoken[]> = { players: [], spectators: [] };

  /** Hear lines, each once. The first number that is missing, if one is: what lies behind it is not
   * heard yet. With `trimmed` the server has no others any more. */
  take(channel: Channel, lines: readonly Line[], trimmed = false): number | null {
    const heard = this.heard[channel];
    let missing: number | null = null;
    for (const line of lines) {
      const last = heard.at(-1)?.seq ?? 0;
      if (line.seq <= last) continue;
      if (last && line.seq > last + 1 && !trimmed) {
        missing = last + 1;
        break;
      }
      heard.push({ ...line, channel });
    }
    this.arrange(channel, heard.slice(-KEPT));
    return missing;
  }

  /** What a line says now: it was muted, or is so no longer. */
  correct(channel: Channel, lines: readonly Line[]): void {
    const said = new Map(lines.map((line) => [line.seq, line]));
    this.arrange(
      channel,
      this.heard[channel].map((line) => ({ ...line, ...said.get(line.seq) })),
    );
  }

  /** The number of the last line that was heard; 0 for none. */
  last(channel: Channel): number {
    return this.heard[channel].at(-1)?.seq ?? 0;
  }

  private arrange(channel: Channel, lines: Spoken[]): void {
    this.heard[channel] = lines;
    const { players, spectators } = this.heard;
    this.lines = [...players, ...spectators].sort((one, other) => one.at - other.at);
  }
}
