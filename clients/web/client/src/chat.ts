/** What is said in a room, in both channels; their numbers have no holes (SPEC 21.5). Pure. */

import type { Chat, ChatMessage } from "./messages.js";

export type Channel = Chat["channel"];

/** A message, and the channel in which it was said. */
export interface ChatEntry extends ChatMessage {
  channel: Channel;
}

/** Lines of a channel that are kept here: beyond that, the oldest go. */
const KEPT = 200;

export class ChatHistory {
  /** All that was heard, in the order in which it was said. */
  messages: readonly ChatEntry[] = [];
  private readonly heard: Record<Channel, ChatEntry[]> = { players: [], spectators: [] };

  /** Hear messages, each once. The first number that is missing, if one is: what lies behind it is not
   * heard yet. With `trimmed` the server has no others any more. */
  take(channel: Channel, messages: readonly ChatMessage[], trimmed = false): number | null {
    const heard = this.heard[channel];
    let missing: number | null = null;
    for (const message of messages) {
      const last = heard.at(-1)?.seq ?? 0;
      if (message.seq <= last) continue;
      if (last && message.seq > last + 1 && !trimmed) {
        missing = last + 1;
        break;
      }
      heard.push({ ...message, channel });
    }
    this.arrange(channel, heard.slice(-KEPT));
    return missing;
  }

  /** What a message says now: it was muted, or is so no longer. */
  correct(channel: Channel, messages: readonly ChatMessage[]): void {
    const said = new Map(messages.map((message) => [message.seq, message]));
    this.arrange(
      channel,
      this.heard[channel].map((message) => ({ ...message, ...said.get(message.seq) })),
    );
  }

  /** The number of the last message that was heard; 0 for none. */
  last(channel: Channel): number {
    return this.heard[channel].at(-1)?.seq ?? 0;
  }

  private arrange(channel: Channel, messages: ChatEntry[]): void {
    this.heard[channel] = messages;
    const { players, spectators } = this.heard;
    this.messages = [...players, ...spectators].sort((one, other) => one.at - other.at);
  }
}
