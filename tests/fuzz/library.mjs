// What the TypeScript library makes of input, for test_libraries.py: a JSON line for each question, and
// one for its answer. Frames of msgpack are written as hex.

import { createInterface } from "node:readline";

const DIST = "../../clients/web/client/dist";
const { retryDelay } = await import(`${DIST}/backoff.js`);
const { ChatHistory } = await import(`${DIST}/chat.js`);
const { ServerClock, timeLeft } = await import(`${DIST}/clocks.js`);
const { json, msgpack } = await import(`${DIST}/codec.js`);
const { Follower } = await import(`${DIST}/follower.js`);
const { hinted } = await import(`${DIST}/hint.js`);
const { agreesWith } = await import(`${DIST}/listing.js`);
const { foldLobby } = await import(`${DIST}/lobby.js`);

const read = ([codec, frame]) => (codec === "json" ? json.decode(frame) : msgpack.decode(Buffer.from(frame, "hex")));
const written = (bytes) => (typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("hex"));

/** What a step leads to, and the state after it. */
function follow(follower, [what, value]) {
  if (what === "rejoin") follower.rejoin();
  else if (what === "joined") follower.joined({ resumed: value });
  else {
    const message = read(value);
    return message.type === "snapshot" ? follower.snapshot(message) : follower.event(message);
  }
  return null;
}

const answers = {
  read,
  write: ([codec, message]) => written({ json, msgpack }[codec].encode(message)),
  follow(steps) {
    const follower = new Follower();
    return steps.map((step) => {
      const verdict = follow(follower, step);
      return { verdict, since: follower.since, state: follower.state };
    });
  },
  chat(steps) {
    const history = new ChatHistory();
    return steps.map(([channel, messages, trimmed]) => [
      history.take(channel, messages, trimmed),
      history.last("players"),
      history.last("spectators"),
      history.messages.length,
    ]);
  },
  lobby(frames) {
    let view = null;
    return frames.map((frame) => {
      const message = read(frame);
      if (view || message.type === "lobby") view = foldLobby(view, message);
      return view;
    });
  },
  time(pings) {
    const clock = new ServerClock();
    return pings.map((ping) => {
      if (ping === null) clock.restart();
      else clock.measured(...ping);
      return clock.offset;
    });
  },
  left: ([control, clock, seat, now]) => timeLeft(control, clock, seat, now),
  delay: ([attempt, chance]) => retryDelay(attempt, chance),
  hint: ([url, room]) => hinted(url, room),
  agrees: ([filter, card]) => agreesWith(filter, card),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [question, value] = JSON.parse(line);
  process.stdout.write(JSON.stringify(answers[question](value) ?? null) + "\n");
}
