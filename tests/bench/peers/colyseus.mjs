// Rooms on Colyseus over its ws transport: a state of two fields, each patch sent at once.
// A line `ROOMS MEMBERS` on standard input makes rooms and reserves seats; the answer is their paths.
import { readFileSync } from "node:fs";
import http from "node:http";
import readline from "node:readline";
import { Room, Server, matchMaker } from "@colyseus/core";
import { schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";

const State = schema({ turn: t.number(), action: t.string() });

class Match extends Room {
  patchRate = null;
  maxClients = Infinity;
  seatReservationTimeout = 300;
  autoDispose = false;
  onCreate() {
    this.state = new State();
    this.state.turn = 0;
    this.state.action = "";
    this.onMessage("act", (_, action) => {
      this.state.turn += 1;
      this.state.action = action;
      this.broadcastPatch();
    });
  }
}

const listener = http.createServer();
const transport = new WebSocketTransport({
  server: listener, perMessageDeflate: false, pingInterval: 20000, pingMaxRetries: 2,
});
const server = new Server({ transport, greet: false });
server.define("match", Match);
await server.listen(0, "127.0.0.1", 1024);

const named = ["core", "schema", "ws-transport"].map(
  (name) => {
    const about = new URL(`node_modules/@colyseus/${name}/package.json`, import.meta.url);
    return `${name} ${JSON.parse(readFileSync(about)).version}`;
  },
);
const settings = `Colyseus ${named.join(", ")}, Node ${process.version}, patchRate: null and ` +
  "broadcastPatch() after each action, perMessageDeflate: false, pingInterval: 20000, in memory";
console.log(JSON.stringify({ port: listener.address().port, settings }));

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [rooms, members] = line.split(" ").map(Number);
  const paths = [];
  for (let number = 0; number < rooms; number++) {
    const { roomId } = await matchMaker.createRoom("match", {});
    for (let member = 0; member < members; member++) {
      const seat = await matchMaker.joinById(roomId, {});
      paths.push(`/${seat.processId}/${seat.roomId}?sessionId=${seat.sessionId}`);
    }
  }
  console.log(JSON.stringify(paths));
}
