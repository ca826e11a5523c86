// Feeds the Node example what test_example_vectors.py asks: `node vectors.mjs CLIENT` reads a JSON
// line for each case and writes one. A case is a room's `state`, sent as a snapshot, and if given the
// `frame` that comes next. Each case has a client of its own, which has no network and no timers.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const write = process.stdout.write.bind(process.stdout);
const client = pathToFileURL(process.argv[2]);
let socket, said, asked;

globalThis.WebSocket = class {
  constructor() { socket = this; }
  send(data) { asked.push(JSON.parse(data)); }
  close() {}
};
globalThis.setTimeout = () => {};
process.env.PIERULE_URL = "ws://nowhere/ws";
process.stdout.write = (line) => said.push(JSON.parse(line));
process.exit = () => { throw new Error("the client gave up"); };

async function observe({ state, frame }, number) {
  [said, asked] = [[], []];
  process.env.PIERULE_ROOM = state.room;
  const { apply } = await import(`${client}?${number}`); // another query, another client
  let after = null, read = null;
  try {
    socket.onmessage({ data: JSON.stringify({ type: "snapshot", state }) });
    if (frame) {
      read = JSON.parse(frame);
      if (read.type === "event") after = apply(state, read);
      socket.onmessage({ data: frame });
    }
  } catch (error) {
    if (!said.at(-1)?.fault) throw error;
  }
  return { said, asked, after, read };
}

const lines = readFileSync(0, "utf-8").trim().split("\n");
for (const [number, line] of lines.entries())
  write(JSON.stringify(await observe(JSON.parse(line), number)) + "\n");
